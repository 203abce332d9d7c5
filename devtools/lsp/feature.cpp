#include "devtools/lsp/feature.h"

#include <fmt/format.h>

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

Json rangeIn(std::string_view text, const LineTable& lines, TextRange range, PositionEncoding encoding) {
    return {{"start", positionJson(lines.positionAt(text, range.begin, encoding))},
            {"end", positionJson(lines.positionAt(text, range.end, encoding))}};
}

size_t DocumentView::offsetOf(const Json& position) const {
    return document.text.offsetAt(editorPosition(position), workspace.encoding());
}

Json DocumentView::positionOf(size_t offset) const {
    return positionJson(document.text.positionAt(offset, workspace.encoding()));
}

Json DocumentView::rangeOf(TextRange range) const {
    return rangeIn(document.text.text(), document.text.lines(), range, workspace.encoding());
}

}  // namespace pelorus
