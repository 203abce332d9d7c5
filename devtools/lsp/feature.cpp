#include "devtools/lsp/feature.h"

#include <fmt/format.h>

#include <algorithm>

namespace pelorus {

const Json* findMember(const Json& object, const char* name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json& member(const Json& object, const char* name) {
    const Json* found = findMember(object, name);
    if (!found) throw RequestError(kInvalidParams, fmt::format("The parameters lack {}.", name));
    return *found;
}

std::string stringMember(const Json& object, const char* name) {
    const Json& value = member(object, name);
    if (!value.is_string()) throw RequestError(kInvalidParams, fmt::format("{} must be a string.", name));
    return value.get<std::string>();
}

int64_t integerMember(const Json& object, const char* name) {
    const Json& value = member(object, name);
    if (!value.is_number()) throw RequestError(kInvalidParams, fmt::format("{} must be an integer.", name));
    // Beyond int64 a number of JSON has no integer.
    const double approximate = value.get<double>();
    if (!(approximate > -9e18 && approximate < 9e18)) {
        throw RequestError(kInvalidParams, fmt::format("{} is out of range.", name));
    }
    return value.get<int64_t>();
}

EditorPosition editorPosition(const Json& position) {
    return {integerMember(position, "line"), integerMember(position, "character")};
}

Json positionJson(EditorPosition position) {
    return {{"line", position.line}, {"character", position.character}};
}

Json rangeIn(std::string_view text, const LineOffsets& lines, TextRange range, PositionEncoding encoding) {
    return {{"start", positionJson(lines.positionAt(text, range.begin, encoding))},
            {"end", positionJson(lines.positionAt(text, range.end, encoding))}};
}

size_t DocumentView::offsetOf(const Json& position) const {
    return document.text.offsetAt(editorPosition(position), workspace.encoding());
}

DocumentView::Cursor DocumentView::cursorOf(const Json& position) const {
    Cursor cursor;
    cursor.now = offsetOf(position);
    cursor.place = since.before(cursor.now);
    const TextRange before = analysis->statementAt(cursor.place);
    // A range that begins or ends in the changed part takes in all of it.
    const auto now = [&](size_t place) { return place - since.oldEnd + since.newEnd; };
    cursor.statement.begin = before.begin <= since.begin   ? before.begin
                             : before.begin < since.oldEnd ? since.begin
                                                           : now(before.begin);
    cursor.statement.end = before.end < since.begin ? before.end : now(std::max(before.end, since.oldEnd));
    cursor.statement.begin = std::min(cursor.statement.begin, cursor.now);
    cursor.statement.end = std::clamp(cursor.statement.end, cursor.now, document.text.text().size());
    return cursor;
}

Json DocumentView::positionOf(size_t offset) const {
    return positionJson(document.text.positionAt(offset, workspace.encoding()));
}

Json DocumentView::rangeOf(TextRange range) const {
    return rangeIn(document.text.text(), document.text.lines(), range, workspace.encoding());
}

}  // namespace pelorus
