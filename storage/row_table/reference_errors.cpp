#include "storage/row_table/reference_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "common/error.h"
#include "runtime/append/constraint_error.h"
#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "storage/row_table/row_table.h"

namespace pelorus {

namespace {

// Returns "(a, b)=(1, 2)" for the columns of a table and a key of theirs.
std::string shownKey(const TableEntry& table, const std::vector<std::string>& columns, const RowColumns& types,
                     const RowCells& cells) {
    std::string names, values;
    for (size_t i = 0; i < columns.size(); ++i) {
        const Ref<Vector> one = Vector::make(types[i].type, 1);
        one->setScale(types[i].scale);
        if (isTextColumn(types[i])) {
            one->setString(0, cells[i]);
        } else {
            std::memcpy(one->mutableRaw(), cells[i].data(), cells[i].size());
        }
        const std::string between = i == 0 ? "" : ", ";
        std::string shown = columns[i];
        for (size_t c = 0; c < table.schema.size(); ++c)
            if (table.storedNameOf(c) == columns[i]) shown = table.schema[c].name;
        names += between + shown;
        values += between + (isTextColumn(types[i]) ? std::string(cells[i]) : toString(one->at(0)));
    }
    return fmt::format("({})=({})", names, values);
}

}  // namespace

void refuseMissingParent(const OpenForeignKey& key, const RowCells& cells) {
    const std::string& parent = key.parent->entry().name;
    const std::string& child = key.child->entry().name;
    const std::string shown = shownKey(key.child->entry(), key.key.columns, key.childTypes, cells);
    ConstraintError error(
        ConstraintError::Kind::MissingParent, child, "", key.key.name,
        fmt::format("<ForeignKeyViolation>The foreign key {} of the table {} refuses a row: no row of {} has the key "
                    "{}. Nothing was written.",
                    key.key.name, child, parent, shown),
        "Write that row first, or another key.");
    error.setParent(parent, fmt::format("Key {} is not present in table \"{}\".", shown, parent));
    throw error;
}

void refuseReferredRow(const OpenForeignKey& key, const RowCells& cells) {
    const std::string& parent = key.parent->entry().name;
    const std::string& child = key.child->entry().name;
    const std::string shown = shownKey(key.parent->entry(), key.key.parentColumns, key.parentTypes, cells);
    ConstraintError error(
        ConstraintError::Kind::StillReferenced, child, "", key.key.name,
        fmt::format("<ForeignKeyViolation>The key {} of the table {} stays: by the foreign key {} rows of the table {} "
                    "refer to it. Nothing was written.",
                    shown, parent, key.key.name, child),
        "Erase these rows first, or give them another key.");
    error.setParent(parent, fmt::format("Key {} is still referenced from table \"{}\".", shown, child));
    throw error;
}

void refuseUnfit(const OpenForeignKey& key) {
    throw UserError(fmt::format("<OutOfRange>The new key of the table {} does not fit into the columns of the foreign "
                                "key {} of the table {}.",
                                key.parent->entry().name, key.key.name, key.child->entry().name),
                    "Give it a smaller number, or the columns a wider type.");
}

Value defaultOf(const TableEntry& table, const std::string& storedName) {
    size_t at = 0;
    while (at < table.schema.size() && table.storedNameOf(at) != storedName) ++at;
    const ColumnSchema& column = table.schema.at(at);
    const Ref<Vector> none = Vector::make(column.type, 1);
    none->setScale(column.scale);
    const RowCell null = nullCell(column.type);
    if (storageOf(column.type) == Storage::String) {
        none->setString(0, null);
    } else {
        std::memcpy(none->mutableRaw(), null.data(), null.size());
    }
    const ColumnDefault own = table.defaultOf(at);
    if (own.expression.empty()) return Value::of(none);
    const BuiltinFunction* builtin = FunctionRegistry::instance().findForNode("pgDefaultValue");
    if (builtin == nullptr) {
        throw UserError(fmt::format("The table {} has defaults, which this process cannot evaluate.", table.name),
                        "Write to it by a node.");
    }
    static const Services nothing;
    Request request(Principal::owner());
    Context context(nothing, request);
    Value arguments[] = {Value::of(none), Value::ofString(table.declaredTypeOf(at)), Value::ofString(own.expression)};
    return builtin->call(context, arguments);
}

}  // namespace pelorus
