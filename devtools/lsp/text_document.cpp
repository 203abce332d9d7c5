#include "devtools/lsp/text_document.h"

#include <algorithm>

#include "common/check.h"

namespace pelorus {

namespace {

// Bytes of the character that begins with this byte, and its units of UTF-16.
size_t lengthOf(std::string_view rest) {
    const auto first = static_cast<unsigned char>(rest[0]);
    const size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 1;
    if (length > rest.size()) return 1;
    for (size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(rest[i]) & 0xC0) != 0x80) return 1;
    }
    return length;
}

int64_t unitsOfCharacter(size_t bytes, PositionEncoding encoding) {
    if (encoding == PositionEncoding::Utf8) return static_cast<int64_t>(bytes);
    return encoding == PositionEncoding::Utf16 && bytes == 4 ? 2 : 1;
}

}  // namespace

int64_t unitsOf(std::string_view text, PositionEncoding encoding) {
    if (encoding == PositionEncoding::Utf8) return static_cast<int64_t>(text.size());
    int64_t units = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t bytes = lengthOf(text.substr(at));
        units += unitsOfCharacter(bytes, encoding);
        at += bytes;
    }
    return units;
}

LineOffsets::LineOffsets(std::string_view text) : starts_{0} {
    for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
        starts_.push_back(at + 1);
    }
}

size_t LineOffsets::offsetAt(std::string_view text, EditorPosition position, PositionEncoding encoding) const {
    if (position.line < 0) return 0;
    if (position.line >= static_cast<int64_t>(starts_.size())) return text.size();
    const auto line = static_cast<size_t>(position.line);
    size_t at = starts_[line];
    size_t end = line + 1 < starts_.size() ? starts_[line + 1] - 1 : text.size();
    if (end > at && text[end - 1] == '\r') --end;
    int64_t left = position.character;
    if (encoding == PositionEncoding::Utf8) {
        return std::min(end, at + static_cast<size_t>(std::max<int64_t>(left, 0)));
    }
    while (at < end && left > 0) {
        const size_t bytes = lengthOf(text.substr(at, end - at));
        left -= unitsOfCharacter(bytes, encoding);
        at += bytes;
    }
    return at;
}

EditorPosition LineOffsets::positionAt(std::string_view text, size_t offset, PositionEncoding encoding) const {
    offset = std::min(offset, text.size());
    CHECK(!starts_.empty() && starts_[0] == 0) << "the first line of a document begins at its first byte";
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const auto line = static_cast<size_t>(after - starts_.begin()) - 1;
    return {static_cast<int64_t>(line), unitsOf(text.substr(starts_[line], offset - starts_[line]), encoding)};
}

TextChange TextChange::then(const TextChange& later) const {
    TextChange both;
    both.begin = std::min(begin, later.begin);
    both.oldEnd = oldEnd + (later.oldEnd > newEnd ? later.oldEnd - newEnd : 0);
    both.newEnd = std::max(newEnd, later.oldEnd) + later.newEnd - later.oldEnd;
    return both;
}

size_t TextChange::before(size_t place) const {
    if (place <= begin) return place;
    return place >= newEnd ? place - newEnd + oldEnd : std::min(place, oldEnd);
}

TextChange TextDocument::replace(EditorPosition begin, EditorPosition end, std::string_view text,
                                 PositionEncoding encoding) {
    const size_t from = offsetAt(begin, encoding);
    const size_t to = std::max(from, offsetAt(end, encoding));
    CHECK(to <= text_.size()) << "an edit lies within its document";
    text_.replace(from, to - from, text);
    lines_ = LineOffsets(text_);
    return {from, to, from + text.size()};
}

}  // namespace pelorus
