#include "storage/row_table/row_checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/append/constraint_error.h"
#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"
#include "storage/row_table/row_cells.h"

namespace pelorus {

namespace {

// Returns the rows under the names that checks know: the stored ones.
Value namedAsStored(const TableEntry& entry, const MemoryTable& rows) {
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (size_t c = 0; c < entry.schema.size(); ++c) {
        names.push_back(entry.storedNameOf(c));
        columns.push_back(rows.column(static_cast<int>(c)));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(columns))));
}

Value declaredTypes(const TableEntry& entry) {
    std::vector<std::string> types;
    for (size_t c = 0; c < entry.schema.size(); ++c) types.push_back(entry.declaredTypeOf(c));
    return Value::of(Vector::ofStrings(types));
}

std::vector<const RowTableCheck*> byName(const std::vector<RowTableCheck>& checks) {
    std::vector<const RowTableCheck*> sorted;
    for (const RowTableCheck& check : checks) sorted.push_back(&check);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    return sorted;
}

}  // namespace

RowChecks::RowChecks(const TableEntry& entry, const MemoryTable& rows) : entry_(entry) {
    if (entry.rowTable->checks.empty() || rows.rowCount() == 0) return;
    const BuiltinFunction* builtin = FunctionRegistry::instance().findForNode("pgFailedRows");
    if (builtin == nullptr) {
        throw UserError(fmt::format("The table {} has checks, which this process cannot evaluate.", entry.name),
                        "Write to it by a node.");
    }
    static const Services none;
    Request request(Principal::owner());
    Context context(none, request);
    const Value table = namedAsStored(entry, rows);
    const Value types = declaredTypes(entry);
    for (const RowTableCheck* check : byName(entry.rowTable->checks)) {
        Value arguments[] = {table, types, Value::ofString(check->expression)};
        const Value positions = builtin->call(context, arguments);
        if (positions.size() == 0) continue;
        failed_.resize(static_cast<size_t>(rows.rowCount()), nullptr);
        for (int64_t i = 0; i < positions.size(); ++i) {
            const RowTableCheck*& first = failed_[static_cast<size_t>(positions.vector().asLong(i))];
            if (first == nullptr) first = check;
        }
    }
}

void RowChecks::require(int64_t row) const {
    if (failed_.empty() || failed_[static_cast<size_t>(row)] == nullptr) return;
    const std::string& name = failed_[static_cast<size_t>(row)]->name;
    throw ConstraintError(
        ConstraintError::Kind::CheckViolation, entry_.name, "", name,
        fmt::format("<CheckViolation>A row fails the check {} of the table {}: {}. Nothing was written.", name,
                    entry_.name, failed_[static_cast<size_t>(row)]->expression),
        "Write values that satisfy it.");
}

void requireRules(const TableEntry& entry, const MemoryTable& rows) {
    const RowChecks checks(entry, rows);
    for (int64_t row = 0; row < rows.rowCount(); ++row) {
        for (size_t c = 0; c < entry.schema.size(); ++c)
            checkedCell(entry, c, rows.column(static_cast<int>(c)).vector(), row);
        checks.require(row);
    }
}

}  // namespace pelorus
