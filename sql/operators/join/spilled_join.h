// Joins of tables on disk that memory does not hold: both sides go to files, cut by a hash of the keys that must be
// equal, and are joined part by part.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "sql/bind/row_source.h"
#include "sql/operators/join/joins.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

// Whose order the rows of a join have. A full join has those of the right side that met nobody last.
enum class JoinOrder : uint8_t { Left, Right, LeftThenRight };
JoinOrder orderOf(JoinKind kind);

// Tables to be joined on disk.
struct SpilledSides {
    RowSource left, right;
};
// Nothing when the sides and the result of their join fit in memory or are there already, or cannot be spilled.
std::optional<SpilledSides> sidesToSpill(const Value& left, const Value& right, JoinOrder order, Context& context);
// All rows of a side.
SpilledParts spilledSide(const RowSource& source, const RowCut& cut, bool numbered, Context& context);
// The column in which a numbered side has its rows' numbers.
constexpr const char* kSpilledRow = " row";
// Takes such a column out of the table.
Ref<Vector> takeNumbers(MemoryTable& rows, const char* name);

// Joins rows of the two sides whose keys are in the same part; the result is in the join's order, and keeps all columns
// whose names begin with a blank.
using PartJoin = std::function<Ref<Table>(const Ref<MemoryTable>& left, const Ref<MemoryTable>& right)>;

// Joins all rows. nullptr when the tables fit in memory or are there already, or have no key to partition by.
// `equalKeys`: the columns that a left and a right row must have equal to match.
Ref<MemoryTable> joinInParts(const Value& left, const Value& right, const JoinColumns& equalKeys, JoinOrder order,
                             const PartJoin& join, Context& context);

}  // namespace pelorus
