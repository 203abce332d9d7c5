// TextDocument is the source text of a document, split into lines; it converts between offsets and an editor's
// positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// The unit in which an editor counts characters of a line.
enum class PositionEncoding : uint8_t { Utf8, Utf16, Utf32 };

// A position in the units of an editor. Lines and characters count from 0.
struct EditorPosition {
    int64_t line = 0;
    int64_t character = 0;
};

// An edit of a document: bytes [begin, oldEnd) of the old source text became [begin, newEnd) of the new one.
struct TextChange {
    size_t begin = 0, oldEnd = 0, newEnd = 0;

    // Returns the change that this one and a later one make together.
    TextChange then(const TextChange& later) const;
    // Maps an offset in the new source text to the old one.
    size_t before(size_t place) const;
};

// The offsets at which the lines of a source text begin. It does not own the source text, and is built in O(bytes).
class LineOffsets {
public:
    LineOffsets() : starts_{0} {}
    explicit LineOffsets(std::string_view text);

    size_t lineCount() const { return starts_.size(); }
    size_t lineBegin(size_t line) const { return starts_[line]; }
    // Returns the offset of a position; a position past the end of a line is clamped to its end, one past the last
    // line to the end of the source.
    size_t offsetAt(std::string_view text, EditorPosition position, PositionEncoding encoding) const;
    // Returns the position of a byte or of the end.
    EditorPosition positionAt(std::string_view text, size_t offset, PositionEncoding encoding) const;

private:
    std::vector<size_t> starts_;
};

// Returns the length of a UTF-8 string in the units of an encoding; bytes that are not UTF-8 count as one each.
int64_t unitsOf(std::string_view text, PositionEncoding encoding);

// The source text and the offsets of its lines. Not thread-safe.
class TextDocument {
public:
    TextDocument() = default;
    explicit TextDocument(std::string text) : text_(std::move(text)), lines_(text_) {}

    const std::string& text() const { return text_; }
    const LineOffsets& lines() const { return lines_; }
    size_t offsetAt(EditorPosition position, PositionEncoding encoding) const {
        return lines_.offsetAt(text_, position, encoding);
    }
    EditorPosition positionAt(size_t offset, PositionEncoding encoding) const {
        return lines_.positionAt(text_, offset, encoding);
    }
    // Replaces the range between two positions; a range whose end precedes its begin counts as empty.
    TextChange replace(EditorPosition begin, EditorPosition end, std::string_view text, PositionEncoding encoding);

private:
    std::string text_;
    LineOffsets lines_;
};

}  // namespace pelorus
