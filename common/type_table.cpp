#include "common/type_table.h"

#include <cctype>

namespace pelorus {

static bool equalIgnoringCase(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
        if (std::toupper(static_cast<unsigned char>(a[i])) != std::toupper(static_cast<unsigned char>(b[i]))) {
            return false;
        }
    }
    return true;
}

bool typeByName(std::string_view name, Type& type) {
    const bool array = name.size() > 2 && name.ends_with("[]");
    if (array) name.remove_suffix(2);
    for (const TypeFacts& row : kTypeTable) {
        if (equalIgnoringCase(row.name, name)) {
            type = array ? arrayTypeOf(row.type) : row.type;
            return !array || canBeInArrayVector(row.type);
        }
    }
    return false;
}

bool typeSpecByName(std::string_view name, TypeSpec& spec) {
    const size_t open = name.find('(');
    if (open == std::string_view::npos) return typeByName(name, spec.type);
    const size_t close = name.find(')', open);
    if (close == std::string_view::npos || close == open + 1 || close > open + 3) return false;
    int scale = 0;
    for (char c : name.substr(open + 1, close - open - 1)) {
        if (c < '0' || c > '9') return false;
        scale = scale * 10 + (c - '0');
    }
    std::string plain(name.substr(0, open));
    plain += name.substr(close + 1);
    if (!typeByName(plain, spec.type)) return false;
    const Type elements = elementTypeOf(spec.type);
    if (!isDecimal(elements) || scale > maxScale(elements)) return false;
    spec.scale = static_cast<uint8_t>(scale);
    return true;
}

bool typeByConstant(int64_t constant, TypeSpec& spec, bool* hasScale) {
    if (constant < 0) return false;
    const int64_t id = constant & 0xFFFF, scale = constant >> 16;
    const int64_t elements = id >= kArrayVectorBase ? id - kArrayVectorBase : id;
    if (elements >= kTypeCount) return false;
    const auto elementType = static_cast<Type>(elements);
    if (id >= kArrayVectorBase && !canBeInArrayVector(elementType)) return false;
    if (scale > 0 && (!isDecimal(elementType) || scale - 1 > maxScale(elementType))) return false;
    spec.type = static_cast<Type>(id);
    spec.scale = scale > 0 ? static_cast<uint8_t>(scale - 1) : uint8_t{0};
    if (hasScale) *hasScale = scale > 0;
    return true;
}

std::string typeString(Type type, uint8_t scale) {
    const Type elements = elementTypeOf(type);
    std::string string(typeName(elements));
    if (isDecimal(elements) && elements != Type::Decimal) string += "(" + std::to_string(scale) + ")";
    return isArrayType(type) ? string + "[]" : string;
}

}  // namespace pelorus
