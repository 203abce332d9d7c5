// Groups of more rows than memory holds: the rows are spilled in parts that share no group, and an operator computes
// one part at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/operators/window/spillable_source.h"

namespace pelorus {

// The order of the rows that the parts give.
enum class PartsOrder : uint8_t {
    Keys,     // group by group in ascending order of the keys
    Rows,     // that of the input
    EachRow,  // that of the input, of which each row gives one
};

// Computes the operator over the rows of a part. `sources` takes a row of the part for each row of the result: one of
// its group, or where the order is that of rows, the one from which it comes.
using GroupsOfPart = std::function<Ref<MemoryTable>(const Ref<MemoryTable>& rows, std::vector<int32_t>& sources)>;

// Returns the results of all parts as one table, with the bits that `compute` would give for all rows at once. `keys`
// are bound over the columns of the source, `columns` are those that a part has. Null where a result has lists in its
// cells or types that rows determine, so that the parts cannot be put together. REQUIRES: areKeysOfParts(keys).
Ref<MemoryTable> computedInParts(SpillableSource& source, const std::vector<ExpressionProgram>& keys,
                                 const std::vector<int>& columns, PartsOrder order, const GroupsOfPart& compute,
                                 Context& context);

// Whether each row has values of the keys by itself, by which rows can be cut.
bool areKeysOfParts(const std::vector<ExpressionProgram>& keys);

}  // namespace pelorus
