// Nodes of groups: group by with its intervals, cgroup by, pivot by, and aggregates over all rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sql/expression/dummy_call.h"
#include "sql/plan/aggregate_plan.h"
#include "sql/plan/node.h"

namespace pelorus {

// Groups of a Scan, or of Rows, by the states of their aggregates; all rows as one group without keys. The select list
// is computed over the columns of the groups (columnsOfGroups).
struct AggregateNode final : PlanNode {
    explicit AggregateNode(PlanRef rows) : PlanNode(Kind::Aggregate, std::move(rows)) {}
    TableSchema schema(Context& context) const override;

    std::vector<BoundItem> keys;  // over the columns of the input, as the arguments of the aggregates
    AggregatePlan aggregates;
    std::vector<BoundItem> items;     // over the columns of the groups; keys that the list does not show come first
    std::optional<BoundItem> having;  // over the columns of the groups
    // A sort follows whose last keys are those of the groups, in separate columns (lastOrderColumn).
    bool keysLast = false;
};

// Kind of a group's value of one output column: a scalar, or all values collected by toArray, toColumnarTuple or
// toTuple.
enum class CellKind : uint8_t { Scalar, Array, ColumnarTuple, Tuple };

// Groups whose rows are gathered, since a function reads all rows of a group.
struct WholeGroupsNode final : PlanNode {
    struct Item {
        BoundItem item;  // over the columns of the input
        CellKind cells = CellKind::Scalar;
        bool readsOnlyKeys = false;  // it is the same in every row of its group
    };
    explicit WholeGroupsNode(PlanRef rows) : PlanNode(Kind::WholeGroups, std::move(rows)) {}
    TableSchema schema(Context& context) const override;

    std::vector<BoundItem> keys;    // over the columns of the input
    std::vector<size_t> shownKeys;  // keys that the list does not show: their columns come first
    std::vector<Item> items;
    std::optional<BoundItem> having;
};

// The order in which the groups of cgroup by accumulate: ties by their keys.
struct GroupOrder {
    std::vector<OrderExpression> keys;  // over the columns of the groups' keys
    size_t outerKeys = 0;  // the first keys of the groups, each of whose values has an accumulation of its own
};

// cgroup by of states: each group's are merged with those of the groups before it. Keys, then the other items.
struct CumulativeNode final : PlanNode {
    explicit CumulativeNode(PlanRef scan) : PlanNode(Kind::Cumulative, std::move(scan)) {}
    TableSchema schema(Context& context) const override;

    std::vector<BoundItem> keys;  // over the columns of the input, as the arguments of the aggregates
    AggregatePlan aggregates;
    GroupOrder order;
    std::vector<BoundItem> items;     // over the columns of the groups
    std::optional<BoundItem> having;  // over the columns of the groups
};

// The same of functions of whole columns, over the rows of a group and of those before it.
struct CumulativeRowsNode final : PlanNode {
    explicit CumulativeRowsNode(PlanRef rows) : PlanNode(Kind::CumulativeRows, std::move(rows)) {}
    TableSchema schema(Context& context) const override;

    std::vector<BoundItem> keys, items;  // over the columns of the input
    GroupOrder order;
    std::optional<BoundItem> having;
};

// group by with an interval: groups of windows of time, and rows for the windows without any.
struct IntervalNode final : PlanNode {
    // A column of the result: a key, or a column of the groups.
    struct Column {
        std::string name;
        int key = -1;    // number of the key
        int group = -1;  // number of the column among those of the groups
    };
    IntervalNode(PlanRef rows, ExpressionProgram x, DummyCall call)
        : PlanNode(Kind::Interval, std::move(rows)), x(std::move(x)), call(std::move(call)) {}
    TableSchema schema(Context& context) const override;

    ExpressionProgram x;  // over the columns of the input: the times
    DummyCall call;       // X, duration, fill …: its constants are computed when the plan runs
    int xInSource = -1;   // the column of the scan's source that the times are; -1 for other times
    NodeList conditions;  // all those of the query, over the columns of the source: they bound the windows
    // The groups, over given rows: those of the input, one for each window that a row is in, and the window's number.
    PlanRef groups;
    std::vector<OutputItem> keys;   // as they are written; the first columns of the groups
    std::vector<OutputItem> items;  // as they are written
    int interval = 0;               // number of the key that is the interval
    std::vector<Column> columns;
};

// pivot by: the last key determines the columns, the others the rows. The input has the cells.
struct PivotNode final : PlanNode {
    // A value of the cells: its name, and the functions of whole rows or columns that run afterwards, innermost first.
    struct Item {
        std::string name;  // of the column that a function of rows leaves
        OutputItem written;
        std::vector<Ref<Function>> after;
        int cells = 0;  // number of the column of the cells
    };
    explicit PivotNode(PlanRef cells) : PlanNode(Kind::Pivot, std::move(cells)) {}
    TableSchema schema(Context& context) const override;

    std::vector<OutputItem> keys;
    std::vector<int> keyColumns;  // numbers of their columns of the cells
    std::vector<Item> items;
    int cellColumns = 0;  // how many columns the cells have, where each item gives one value a cell
};

}  // namespace pelorus
