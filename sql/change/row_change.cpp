#include "sql/change/row_change.h"

#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "runtime/code/query.h"
#include "sql/bind/plan_select.h"
#include "sql/change/change.h"
#include "sql/expression/constraint.h"

namespace pelorus {

static constexpr const char* kNumberColumn = " row";  // no name of a column begins with a blank

// Returns the rows in which two columns of one type differ.
static std::vector<int32_t> changedCells(const Value& before, const Value& after) {
    std::vector<int32_t> rows;
    const Vector& a = before.vector();
    const Vector& b = after.vector();
    const bool isText = storageOf(a.type()) == Storage::String;
    const auto width = static_cast<size_t>(a.width());
    for (int64_t i = 0; i < a.size(); ++i) {
        const auto at = static_cast<size_t>(i) * width;
        const bool isSame = isText ? a.string(i) == b.string(i) : std::memcmp(a.raw() + at, b.raw() + at, width) == 0;
        if (!isSame) rows.push_back(static_cast<int32_t>(i));
    }
    return rows;
}

// Returns the columns that the conditions fix to one value each.
static std::vector<RowAccess::Equality> fixedColumns(const Query& query, const TableSchema& columns, Context& context) {
    std::vector<RowAccess::Equality> fixed;
    if (query.updateSource) return fixed;
    NodeList conditions;
    for (const NodeRef& written : query.where) splitAnd(written, conditions);
    for (const ColumnConstraint& constraint : constraintsOf(conditions, columns, context)) {
        if (constraint.anyOf.size() == 1) fixed.emplace_back(constraint.column, constraint.anyOf[0]);
    }
    return fixed;
}

// Computes the change of rows and returns it, with the number of rows that matched. Cells that stay as they are make no
// change.
static std::pair<RowAccess::RowUpdate, int64_t> rowUpdate(const Query& query, const Table& table,
                                                          const RowAccess::Rows& seen, Context& context) {
    RowAccess::RowUpdate update;
    const auto count = static_cast<int32_t>(seen.rows->rowCount());
    std::vector<int32_t> numbers(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    const Ref<MemoryTable> rows = seen.rows->copy();
    update.erases = query.verb != QueryVerb::Update;
    if (update.erases) rows->setColumn(kNumberColumn, Value::of(Vector::of(Type::Int, numbers)));
    const int64_t matched = changeRows(query, table, *rows, context);
    if (update.erases) {
        std::vector<char> isKept(numbers.size(), 0);
        const Value& kept = *rows->column(kNumberColumn);
        for (int64_t i = 0; i < kept.size(); ++i) isKept[static_cast<size_t>(kept.vector().asLong(i))] = 1;
        for (const int32_t row : numbers) {
            if (isKept[static_cast<size_t>(row)] == 0) update.positions.push_back(row);
        }
        return {std::move(update), matched};
    }
    std::vector<char> isChanged(numbers.size(), 0);
    for (const SelectItem& item : query.items) {
        const int column = seen.rows->findColumn(item.aliases.at(0));
        const Value& after = rows->column(column);
        for (const int32_t row : changedCells(seen.rows->column(column), after))
            isChanged[static_cast<size_t>(row)] = 1;
        update.columns.emplace_back(column, after);
    }
    for (const int32_t row : numbers) {
        if (isChanged[static_cast<size_t>(row)] != 0) update.positions.push_back(row);
    }
    return {std::move(update), matched};
}

int64_t changeRowTable(const Query& query, const PartitionedTable& table, RowAccess& access, Context& context) {
    for (;;) {
        context.checkCancelled();
        const RowAccess::Rows seen = access.rowsToChange(fixedColumns(query, table.columns(), context));
        const auto [update, matched] = rowUpdate(query, table, seen, context);
        if (update.positions.empty() || access.changeRows(seen, update)) return matched;
    }
}

}  // namespace pelorus
