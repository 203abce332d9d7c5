// The node of a Window: functions of the rows of a group, which give a value for each row: context by, csort, over.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/registry/registry.h"
#include "sql/plan/node.h"
#include "sql/plan/output_item.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// The rows of its group that a call reads for a row.
struct WindowFrame {
    enum class Unit : uint8_t {
        Group,  // all of them
        Rows,   // so many rows around it
        Range,  // those within a distance of its order key
    };
    Unit unit = Unit::Group;
    FrameBound low = FrameBound::UnboundedPreceding, high = FrameBound::UnboundedFollowing;
    Value lowOffset, highOffset;  // of Preceding and Following: a number, or a duration; VOID for other bounds
};

// An expression of a Window, bound over the columns of its input. The operator makes the programs that it needs.
struct WindowItem {
    OutputItem written;
    BoundRef value;
};

// One expression that a Window computes: as a whole of each group where nothing quicker is known.
struct WindowCall {
    WindowItem item;
    // The function of a plain call f(a, b) and its arguments, over the columns of the input. Null for any other
    // expression, such as cumsum(x) - avg(x).
    const BuiltinFunction* function = nullptr;
    std::vector<BoundRef> arguments;
    WindowFrame frame;
};

// A key of the order within groups.
struct WindowOrder {
    BoundRef value;
    bool ascending = true;
    bool nullsGiven = false;
    bool nullsFirst = true;
};

// Computes calls over the rows of each group: a row for each row of the input.
struct WindowNode final : PlanNode {
    enum class Output : uint8_t {
        GroupOrder,  // group by group in the order of the keys, rows of a group in the order of the window
        RowOrder,    // in the order of the input
    };

    explicit WindowNode(PlanRef rows) : PlanNode(Kind::Window, std::move(rows)) {}
    TableSchema schema(Context& context) const override;

    std::vector<WindowItem> partitionBy;  // none: all rows are one group
    std::vector<WindowOrder> orderBy;     // of the rows of a group; none: as they come
    std::vector<WindowCall> calls;        // the columns of the result
    std::optional<WindowItem> having;     // a condition for each row, or one for all rows of a group
    std::optional<int64_t> limit;         // how many rows of each group are kept; below zero: its last ones
    Output output = Output::GroupOrder;

    // Replaced by the members above: deleted when operators/context takes this node instead of them.
    SelectPlan clauses;
};

// context by with roll: windows that step by time, rows or volume within each group, one row for each.
struct RollNode final : PlanNode {
    RollNode(PlanRef rows, SelectPlan clauses) : PlanNode(Kind::Roll, std::move(rows)), clauses(std::move(clauses)) {}
    TableSchema schema(Context& context) const override;
    SelectPlan clauses;
};

// f(…) over (…): functions of windows become columns of the rows; the rest of the select is bound over those, whose
// types rows determine.
struct OverNode final : PlanNode {
    OverNode(PlanRef rows, SelectPlan clauses) : PlanNode(Kind::Over, std::move(rows)), clauses(std::move(clauses)) {}
    TableSchema schema(Context& context) const override;
    SelectPlan clauses;
};

// The same with group by: over the groups.
struct OverGroupsNode final : PlanNode {
    OverGroupsNode(PlanRef rows, SelectPlan clauses)
        : PlanNode(Kind::OverGroups, std::move(rows)), clauses(std::move(clauses)) {}
    TableSchema schema(Context& context) const override;
    SelectPlan clauses;
};

}  // namespace pelorus
