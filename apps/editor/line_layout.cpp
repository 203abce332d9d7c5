#include "apps/editor/line_layout.h"

#include "apps/editor/text_colours.h"
#include "common/check.h"
#include "presentation/view/text_width.h"

namespace pelorus {

namespace {

constexpr std::string_view kReset = "\x1b[0m";

class LayoutBuilder {
public:
    LayoutBuilder(const EditedText& edited, size_t columns, TerminalColours colours)
        : edited_(edited), columns_(columns), colours_(colours) {
        layout_.rows.emplace_back();
    }

    LineLayout run() {
        put(edited_.prompt, TextStyle::Plain);
        const std::string_view text = edited_.text;
        size_t line = 0;
        for (size_t at = 0; at < text.size();) {
            const Utf8Char c = firstChar(text.substr(at));
            if (edited_.cursor >= at && edited_.cursor < at + c.bytes)
                noteCursor(c.code < 0x7F ? 1 : static_cast<size_t>(charWidth(c.code)));
            if (c.code == '\n') {
                endRow();
                ++at;
                put(continuationPrompt(++line), TextStyle::Comment);
                continue;
            }
            putChar(text.substr(at, c.bytes), c, styleAt(at));
            at += c.bytes;
        }
        if (edited_.cursor >= text.size()) noteCursor(1);
        switchTo(TextStyle::Plain);
        return std::move(layout_);
    }

private:
    LineLayout::Row& row() { return layout_.rows.back(); }

    TextStyle styleAt(size_t at) const {
        return edited_.highlighting ? edited_.highlighting->styles[at] : TextStyle::Plain;
    }

    std::string continuationPrompt(size_t line) const {
        const char open =
            edited_.highlighting && line < edited_.highlighting->open.size() ? edited_.highlighting->open[line] : '\0';
        return {open ? open : '.', ' '};
    }

    void switchTo(TextStyle style) {
        if (colours_ == TerminalColours::None || style == style_) return;
        if (style_ != TextStyle::Plain) row().text += kReset;
        row().text += escapeSequence(style, colours_ == TerminalColours::Many);
        style_ = style;
    }

    // Styles end with the row, so that a row can be painted by itself.
    void endRow() {
        switchTo(TextStyle::Plain);
        layout_.rows.emplace_back();
    }

    void put(std::string_view text, TextStyle style) {
        for (size_t at = 0; at < text.size();) {
            const Utf8Char c = firstChar(text.substr(at));
            putChar(text.substr(at, c.bytes), c, style);
            at += c.bytes;
        }
    }

    void putChar(std::string_view bytes, const Utf8Char& c, TextStyle style) {
        if (c.code == '\t') {
            constexpr size_t kTab = 8;
            for (size_t blanks = kTab - row().width % kTab; blanks > 0; --blanks) putCell(" ", 1, style);
        } else if (c.code < 0x20 || c.code == 0x7F) {
            putCell("^", 1, style);
            const char letter = static_cast<char>(c.code ^ 0x40);
            putCell({&letter, 1}, 1, style);
        } else if (c.code == 0xFFFD && c.bytes == 1) {
            putCell("\xEF\xBF\xBD", 1, style);
        } else if (c.code < 0xA0 && c.code >= 0x80) {
            putCell("?", 1, style);
        } else {
            putCell(bytes, static_cast<size_t>(charWidth(c.code)), style);
        }
    }

    void putCell(std::string_view bytes, size_t width, TextStyle style) {
        if (row().width + width > columns_) endRow();
        switchTo(style);
        row().text += bytes;
        row().width += width;
    }

    // The cursor is where a character of this width will be: behind a full row at the start of the next one.
    void noteCursor(size_t width) {
        if (row().width + width > columns_) endRow();
        layout_.cursorRow = layout_.rows.size() - 1;
        layout_.cursorColumn = row().width;
    }

    const EditedText& edited_;
    const size_t columns_;
    const TerminalColours colours_;
    TextStyle style_ = TextStyle::Plain;
    LineLayout layout_;
};

}  // namespace

LineLayout layOutText(const EditedText& edited, size_t columns, TerminalColours colours) {
    CHECK(columns >= 2) << "a character of two columns has a place";
    return LayoutBuilder(edited, columns, colours).run();
}

}  // namespace pelorus
