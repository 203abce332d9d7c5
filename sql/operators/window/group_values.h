// Values of expressions over the rows of each group, for rows of all groups that lie one group after the other: along
// the bounds of the groups where the calls have states, such as price - avg(price) and cumsum(deltas(price)), by a call
// for each group otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/keys/parted_rows.h"
#include "sql/plan/window_node.h"

namespace pelorus {

// Pieces of consecutive groups for one task each, with similar numbers of rows.
struct GroupPiece {
    size_t firstGroup = 0, endGroup = 0;
};
// `begin`: where groups begin, and the end of the last.
std::vector<GroupPiece> groupPieces(std::span<const int32_t> begin);

// Computes the items of a Window. Columns of the input are moved to the groups at first use; those of calls are
// computed then, and dropped after the last item that reads them. Used by one thread, and uses all; refers to what it
// is given.
class GroupValues {
public:
    GroupValues(const WindowNode& node, const MemoryTable& rows, const PartedRows& groups, Context& context);

    // Returns the values of the next item in the order of the node, `having` last: a vector with a value for each row,
    // group by group, or a scalar for all. VOID where some group has another shape or type.
    Value next(const WindowItem& item);

private:
    const Value& column(int number);
    Value evaluate(const ExpressionProgram& program);
    Value called(const WindowCall& call);
    Value aggregated(const WindowCall& call, std::span<const Value> arguments);
    Value stepped(const WindowCall& call, std::span<const Value> arguments);
    Value ofEachGroup(const ExpressionProgram& item);

    const WindowNode& node_;
    const MemoryTable& rows_;
    const PartedRows& groups_;
    const std::vector<int32_t> begin_;
    const std::vector<GroupPiece> pieces_;
    Context& context_;
    std::vector<Value> columns_;    // of the input, then of the calls; VOID before the first use
    std::vector<int32_t> groupOf_;  // of each row, once an aggregate needs it
    size_t next_ = 0;               // number of the next item
};

}  // namespace pelorus
