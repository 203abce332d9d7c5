#include "runtime/format/object_kind.h"

#include <iterator>

#include "common/type_table.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

std::string objectType(const Value& value) {
    if (value.isTable()) return value.table().asPartitioned() ? "ALIAS" : "BASIC";
    if (value.isDictionary()) return std::string(typeName(value.dictionary().valueType()));
    return std::string(typeName(value.type()));
}

std::string objectForm(const Value& value) {
    // Editors request the values of scalars; a handle has no value to show.
    if (value.isScalar() && (value.type() == Type::Handle || value.type() == Type::Resource)) return "SYSOBJ";
    constexpr const char* kForms[] = {"SCALAR", "VECTOR", "PAIR", "MATRIX", "SET", "DICTIONARY", "TABLE"};
    const auto form = static_cast<size_t>(value.form());
    return form < std::size(kForms) ? kForms[form] : "OTHER";
}

int64_t objectRows(const Value& value) {
    const bool isPartitioned = value.isTable() && value.table().asPartitioned();
    return value.isMatrix() ? value.matrix().rows : isPartitioned ? 0 : value.size();
}

int64_t objectColumns(const Value& value) {
    return value.isMatrix() ? value.matrix().columns : value.isTable() ? value.table().columnCount() : 1;
}

}  // namespace pelorus
