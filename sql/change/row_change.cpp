#include "sql/change/row_change.h"

#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "interpreter/session/session.h"
#include "runtime/code/query.h"
#include "runtime/code/rewrite.h"
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

// A change of rows as a statement computed it.
struct ComputedChange {
    RowAccess::RowUpdate update;
    int64_t matched = 0;
    Ref<MemoryTable> met;  // the matched rows: as they will be, or as they were before a delete; null: nobody asks
};

// Returns the query with one more item, which marks the rows that it matches.
static Ref<Query> marking(const Query& query) {
    Ref<Query> marked = copyQuery(query);
    marked->items.push_back({makeRef<Constant>(Value::ofInt(1), SourcePosition()), {kNumberColumn}, {}});
    return marked;
}

// Returns the marked rows without their marks.
static Ref<MemoryTable> markedRows(const MemoryTable& rows) {
    std::vector<int32_t> positions;
    const Value& marks = *rows.column(kNumberColumn);
    for (int64_t i = 0; i < marks.size(); ++i) {
        if (marks.vector().asLong(i) == 1) positions.push_back(static_cast<int32_t>(i));
    }
    Ref<MemoryTable> marked = rows.gather(positions.data(), static_cast<int64_t>(positions.size()));
    marked->dropColumn(marked->findColumn(kNumberColumn));
    return marked;
}

static ComputedChange computeErase(const Query& query, const Table& table, const RowAccess::Rows& seen, bool wantsMet,
                                   Context& context) {
    ComputedChange change;
    change.update.erases = true;
    std::vector<int32_t> numbers(static_cast<size_t>(seen.rows->rowCount()));
    std::iota(numbers.begin(), numbers.end(), 0);
    const Ref<MemoryTable> rows = seen.rows->copy();
    rows->setColumn(kNumberColumn, Value::of(Vector::of(Type::Int, numbers)));
    change.matched = changeRows(query, table, *rows, context);
    std::vector<char> isKept(numbers.size(), 0);
    const Value& kept = *rows->column(kNumberColumn);
    for (int64_t i = 0; i < kept.size(); ++i) isKept[static_cast<size_t>(kept.vector().asLong(i))] = 1;
    std::vector<int32_t>& positions = change.update.positions;
    for (const int32_t row : numbers) {
        if (isKept[static_cast<size_t>(row)] == 0) positions.push_back(row);
    }
    if (wantsMet) change.met = seen.rows->gather(positions.data(), static_cast<int64_t>(positions.size()));
    return change;
}

// Cells that stay as they are make no change.
static ComputedChange computeUpdate(const Query& query, const Table& table, const RowAccess::Rows& seen, bool wantsMet,
                                    Context& context) {
    ComputedChange change;
    const auto count = seen.rows->rowCount();
    const Ref<MemoryTable> rows = seen.rows->copy();
    if (wantsMet)
        rows->setColumn(kNumberColumn,
                        Value::of(Vector::of(Type::Int, std::vector<int32_t>(static_cast<size_t>(count)))));
    change.matched = changeRows(wantsMet ? *marking(query) : query, table, *rows, context);
    std::vector<char> isChanged(static_cast<size_t>(count), 0);
    for (const SelectItem& item : query.items) {
        const int column = seen.rows->findColumn(item.aliases.at(0));
        const Value& after = rows->column(column);
        for (const int32_t row : changedCells(seen.rows->column(column), after))
            isChanged[static_cast<size_t>(row)] = 1;
        change.update.columns.emplace_back(column, after);
    }
    for (int32_t row = 0; row < count; ++row) {
        if (isChanged[static_cast<size_t>(row)] != 0) change.update.positions.push_back(row);
    }
    if (wantsMet) change.met = markedRows(*rows);
    return change;
}

int64_t changeRowTable(const Query& query, const PartitionedTable& table, RowAccess& access, Context& context) {
    const auto* session = static_cast<const Session*>(context.session);
    const bool wantsMet = session != nullptr && session->takesMetRows;
    for (;;) {
        context.checkCancelled();
        const RowAccess::Rows seen = access.rowsToChange(fixedColumns(query, table.columns(), context));
        const ComputedChange change = query.verb == QueryVerb::Update
                                          ? computeUpdate(query, table, seen, wantsMet, context)
                                          : computeErase(query, table, seen, wantsMet, context);
        if (wantsMet) session->takesMetRows(change.met);
        if (change.update.positions.empty() || access.changeRows(seen, change.update)) return change.matched;
    }
}

}  // namespace pelorus
