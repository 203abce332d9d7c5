// The nodes of windows: functions of the rows of a group, which give a value for each row: context by, csort, over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/registry/registry.h"
#include "sql/plan/node.h"
#include "sql/plan/output_item.h"

namespace pelorus {

// A function of the rows of a group that is computed for all groups at once, along their bounds: an aggregate, which
// each row of its group has, or a function that looks back, such as cumsum.
struct WindowCall {
    const BuiltinFunction* function;
    // Over the columns of the input, then those of the calls before; nothing where an argument is left out.
    std::vector<std::optional<ExpressionProgram>> arguments;
    ColumnSchema column;  // of its values, under a name that no script can write
    size_t lastItem = 0;  // number of the last item that reads it, `having` after the others
};

// An expression of a Window.
struct WindowItem {
    BoundItem whole;  // over the rows of one group
    // The same over all rows: the columns of the input, then those of the calls. Nothing where a group has to be
    // computed by itself.
    std::optional<ExpressionProgram> alongGroups;
};

// Computes expressions over the rows of each group: a row for each row of the input.
struct WindowNode final : PlanNode {
    enum class Output : uint8_t {
        GroupOrder,  // group by group in the order of the keys, rows of a group in the order of the window
        RowOrder,    // in the order of the input
    };

    explicit WindowNode(PlanRef rows) : PlanNode(Kind::Window, std::move(rows)) {}
    TableSchema schema(Context& context) const override;

    std::vector<BoundItem> partitionBy;    // none: all rows are one group
    std::vector<OrderExpression> orderBy;  // of the rows of a group; none: as they come
    std::vector<WindowCall> calls;         // that items read, each after those that it reads
    std::vector<WindowItem> items;         // the columns of the result
    std::optional<WindowItem> having;      // a condition for each row, or one for all rows of a group
    std::optional<int64_t> limit;          // how many rows of each group are kept; below zero: its last ones
    Output output = Output::GroupOrder;
};

// context by with roll: windows that step by time, rows or volume within each group, one row for each.
struct RollNode final : PlanNode {
    explicit RollNode(PlanRef rows) : PlanNode(Kind::Roll, std::move(rows)) {}
    TableSchema schema(Context& context) const override;

    std::vector<BoundItem> partitionBy;
    std::vector<OrderExpression> orderBy;  // of the rows of a group; none: as they come
    std::vector<OutputItem> items;         // roll(…), then expressions over the rows of a window
};

// f(…) over (…): functions of windows become columns of the rows, or of groups; the rest of the select is bound over
// those, whose types rows determine.
struct OverNode final : PlanNode {
    // A window function, and the column that it becomes, under a name that no script can write.
    struct Column {
        std::string name;
        Ref<Window> window;
    };

    explicit OverNode(PlanRef rows) : PlanNode(Kind::Over, std::move(rows)) {}
    TableSchema schema(Context& context) const override;

    std::vector<Column> windows;
    Ref<Query> rest;                // the select over the input's columns and those of the windows, without a table
    std::vector<OutputItem> items;  // of the whole select, as they are written
};

}  // namespace pelorus
