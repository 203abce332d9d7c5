// The stages of a select. Each takes the query with its names resolved and the source it reads.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/table/table.h"
#include "sql/bind/aggregate_plan.h"
#include "sql/bind/row_source.h"
#include "sql/operators/scan/scan.h"

namespace pelorus {

// One column of the result: its names (several for a function with several results) and its expression.
struct OutputItem {
    std::vector<std::string> names;
    NodeRef value;
    bool named = false;  // by `as`
};

struct SelectPlan {
    Ref<Query> query;
    RowSource source;
    std::vector<OutputItem> items;
    std::vector<OutputItem> keys;  // group by, context by
    NodeList filters;              // conditions that the scan takes: the elementwise ones in front
    NodeList laterFilters;         // the rest, applied one after the other
};

// Returns the select list as columns with distinct names. Default names are numbered; a duplicate explicit name
// is an error.
std::vector<OutputItem> outputItems(const std::vector<SelectItem>& items, const TableSchema& columns, Context& context);

SelectPlan planSelect(const Query& query, Context& context);

// Splits a condition into the operands of `and`.
void splitAnd(const NodeRef& node, NodeList& parts);
// Whether the value for a row depends on that row only, and on constants, however it is written.
bool isRowwise(const NodeRef& node, Context& context);

// Plans the aggregates of a grouped select as states; false when they need whole groups of rows.
bool planGroups(const SelectPlan& plan, Context& context, AggregatePlan& aggregates);

// Returns the result's rows before order by and limit. When the source is partitioned over nodes, partial queries run
// where the partitions are stored. `keysLast`: groups need not come in the order of their keys, because the caller
// sorts the rows; the keys then are in further columns, lastOrderColumn(0) and on, and break ties between rows.
Ref<MemoryTable> aggregatedRows(const SelectPlan& plan, const AggregatePlan& aggregates, bool keysLast,
                                Context& context);
// Computes select lists with functions of all rows of a group.
Ref<MemoryTable> rowsOfWholeGroups(const SelectPlan& plan, Context& context);
// Returns the column of an output expression without any group: of the type that it would have, where functions declare
// it or show it without rows.
Value columnWithoutGroups(const Node& item, const TableSchema& columns, Context& context);
// Runs the one of the two that suits the plan.
Ref<MemoryTable> selectGrouped(const SelectPlan& plan, Context& context);
inline std::string lastOrderColumn(size_t key) {
    return " last order " + std::to_string(key);
}
// Whether some column's values are not numbers or strings of one type, so that no block of it is a vector.
bool hasTupleColumns(const TableSchema& columns);
// Computes functions of whole columns over the concatenated rows that pass all filters.
Ref<MemoryTable> collectedItems(const SelectPlan& plan, Context& context);
Ref<MemoryTable> selectContext(const SelectPlan& plan, Context& context);

// A column of a pivot: the value that it shows, and its column key; -1 where a row function left one column.
struct PivotColumn {
    size_t item = 0;
    int64_t key = -1;
};
// The wide table of pivot by, and properties that exec needs for a matrix.
struct PivotedRows {
    Ref<MemoryTable> table;
    std::vector<PivotColumn> columns;  // those after the row keys
    int keyColumns = 0;                // the first columns hold the row keys
    Value columnKeys;                  // the values that became columns
    bool reduced = false;              // a row function left one column
};
PivotedRows selectPivot(const SelectPlan& plan, Context& context);
// Adds to each part all columns that any of them has, NULL where it has none, in the order of one pivot of all rows.
void unifyColumns(std::vector<PivotedRows>& parts, Context& context);
Value pivotMatrix(const PivotedRows& pivoted);
Ref<MemoryTable> selectCumulative(const SelectPlan& plan, Context& context);

// Returns the columns of the source that the query mentions, in ascending order; the first one when it mentions none.
std::vector<int> mentionedColumns(const SelectPlan& plan);
// Returns the rows that pass all filters, with the columns that the query mentions.
Ref<MemoryTable> filteredRows(const SelectPlan& plan, Context& context);
// Applies the later filters of the plan to a table of such rows.
Ref<MemoryTable> filterLater(const SelectPlan& plan, Ref<MemoryTable> rows, Context& context);

// count(2) counts rows: rewrites an expression so that its aggregates of constants see them once for each row.
NodeRef withRepeatedConstants(const NodeRef& item, const TableSchema& columns, Context& context);

// Adds the value of an output expression to a result: a vector of its rows, a scalar repeated, or several columns.
void addOutput(MemoryTable& result, const OutputItem& item, Value value, int64_t rows);

// Positions of the rows of each group, groups in ascending order of their keys, rows in order.
struct RowGroups {
    std::vector<Value> keys;
    std::vector<std::vector<int32_t>> rows;
};
// The rows of all groups in one list: those of group g from begin[g] to begin[g + 1].
struct FlatRowGroups {
    std::vector<Value> keys;
    std::vector<int32_t> begin;
    Ref<Vector> places;    // INT: the position of each row of the table in the list
    bool inPlace = false;  // the rows are in this order already

    // Returns the list as positions in the table.
    std::vector<int32_t> rows() const;
};
// Numbers that identify the groups of rows, without an order of the groups.
struct GroupNumbers {
    int64_t slots = 0;  // all numbers are below it
    // Writes the group numbers of the rows [begin, begin + count). Thread-safe.
    std::function<void(int64_t begin, int64_t count, int32_t* numbers)> write;
};
// Returns nothing when there are more than `most`.
std::optional<GroupNumbers> groupNumbers(const std::vector<OutputItem>& keys, const MemoryTable& table, int64_t most,
                                         Context& context);
// `order` lists the rows of the table in the order that they keep within their groups; empty for table order.
FlatRowGroups groupRowsFlat(const std::vector<OutputItem>& keys, const MemoryTable& table,
                            const std::vector<int32_t>& order, Context& context);
// context by with the rows of all groups concatenated once, and the select list of each group computed on slices of
// them. Null when a result is anything else than one column of one type.
Ref<MemoryTable> selectContextBySlices(const SelectPlan& plan, const Ref<MemoryTable>& rows, Context& context);
// Returns the limit or top of a query with context by.
int64_t groupLimit(const NodeRef& node, Context& context);

// Returns the result of a context by expression for a group, as one value for each of its rows; of VOID for a NULL of
// no type.
Value rowsOfGroup(const Value& v, int64_t rows);
// Evaluates an order's expressions over rows: a value for each row. Constants, which order nothing, are left out.
std::vector<OrderKey> orderKeys(const std::vector<OrderItem>& items, const MemoryTable& rows, Context& context);
// Returns positions of a group's rows in the order of csort.
std::vector<int32_t> csorted(const Query& query, const MemoryTable& group, Context& context);
RowGroups groupRows(const std::vector<OutputItem>& keys, const MemoryTable& table, Context& context);

}  // namespace pelorus
