// Joins of tables on disk that exceed memory: both sides are spilled, partitioned by a hash of the keys that must be
// equal, and joined one hash partition at a time (grace hash join).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "sql/operators/join/joins.h"
#include "sql/plan/row_source.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

// Side that determines the order of the rows of a join. A full join has unmatched rows of the right side last.
enum class JoinOrder : uint8_t { Left, Right, LeftThenRight };
JoinOrder orderOf(JoinKind kind);

// Sides of a join that spills.
struct SpilledSides {
    RowSource left, right;
};
// Nothing when the sides and the result of their join fit in memory or are there already, or cannot be spilled.
std::optional<SpilledSides> sidesToSpill(const Value& left, const Value& right, JoinOrder order, Context& context);
// Returns the rows of a table as a source that can be spilled.
RowSource sideToSpill(const Value& table, Context& context);
// Whether the table is one on the disk of this node.
bool canSpillSide(const Value& table, Context& context);
// Spills all rows of a side.
SpilledParts spilledSide(const RowSource& source, const RowCut& cut, bool numbered, Context& context);
// The column with the row numbers of a numbered side.
constexpr const char* kSpilledRow = " row";
// Removes such a column from the table and returns it.
Ref<Vector> takeNumbers(MemoryTable& rows, const char* name);

// Joins rows of the two sides whose keys are in the same hash partition; the result is in the join's order, and keeps
// all columns whose names begin with a blank.
using PartJoin = std::function<Ref<Table>(const Ref<MemoryTable>& left, const Ref<MemoryTable>& right)>;

// Joins all rows. nullptr when the tables fit in memory or are there already, or have no key to partition by.
// `equalKeys`: the columns that a left and a right row must have equal to match.
Ref<MemoryTable> joinInParts(const Value& left, const Value& right, const JoinColumns& equalKeys, JoinOrder order,
                             const PartJoin& join, Context& context);

}  // namespace pelorus
