#include "apps/console/error_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/string/source_lines.h"
#include "interpreter/parser/parser.h"
#include "interpreter/vm/vm.h"
#include "presentation/view/text_width.h"

namespace pelorus {

namespace {

struct ErrorStyles {
    explicit ErrorStyles(bool hasColors)
        : place(hasColors ? "\033[1;31m" : ""),
          advice(hasColors ? "\033[36m" : ""),
          stack(hasColors ? "\033[90m" : ""),
          end(hasColors ? "\033[0m" : "") {}
    const char* place;
    const char* advice;
    const char* stack;
    const char* end;
};

std::string located(std::string_view name, SourcePosition position, std::string_view message, std::string_view script,
                    const ErrorStyles& styles) {
    if (!position.known()) {
        return fmt::format("{}{}:{} {}", styles.place, name.empty() ? "Error" : name, styles.end, message);
    }
    std::string text =
        name.empty()
            ? fmt::format("{}Error at {}:{}:{} {}", styles.place, position.line, position.column, styles.end, message)
            : fmt::format("{}{}:{}:{}:{} {}", styles.place, name, position.line, position.column, styles.end, message);
    std::string_view line = lineOf(script, position.line);
    if (line.empty()) return text;
    text += fmt::format("\n    {}\n    ", line);
    // Columns count bytes. Tabs stay tabs and wide characters take two blanks, so that the caret is under the right
    // one.
    for (auto left = static_cast<size_t>(std::max(position.column - 1, 0)); !line.empty() && left > 0;) {
        const Utf8Char c = firstChar(line);
        text += c.code == '\t' ? "\t" : std::string(static_cast<size_t>(charWidth(c.code)), ' ');
        line.remove_prefix(c.bytes);
        left -= std::min(left, c.bytes);
    }
    return text + styles.place + "^" + styles.end;
}

}  // namespace

std::string errorText(const std::exception& error, std::string_view name, std::string_view script, bool hasColors) {
    const ErrorStyles styles(hasColors);
    std::string text;
    if (auto* e = dynamic_cast<const ScriptError*>(&error)) {
        text = located(name, e->position, e->what(), script, styles);
        constexpr size_t kShown = 8;
        for (size_t i = 0; i < e->callStack.size() && i < kShown; ++i)
            text += fmt::format("\n    {}in {}{}", styles.stack, e->callStack[i], styles.end);
        if (e->callStack.size() > kShown) text += fmt::format("\n    … and {} more", e->callStack.size() - kShown);
    } else if (auto* e = dynamic_cast<const SyntaxError*>(&error)) {
        text = located(name, e->position, e->what(), script, styles);
    } else {
        text = located(name, SourcePosition(), error.what(), script, styles);
    }
    auto* known = dynamic_cast<const Error*>(&error);
    if (known && !known->hint().empty()) text += fmt::format("\n{}{}{}", styles.advice, known->hint(), styles.end);
    return text;
}

}  // namespace pelorus
