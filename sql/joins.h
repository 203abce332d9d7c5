// Joins of tables in memory: SQL-60 … SQL-64.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/context.h"
#include "runtime/table.h"

namespace pelorus {

struct JoinColumns {
    std::vector<std::string> left, right;  // key columns, pairwise
};

// Rows in the order of the left table (unmatched right rows of a full join last). Result: all left columns, then the
// right ones without the right keys; a right column whose name the left has is called `<rightName>_<column>`. Throws
// UserError for unknown or incomparable key columns. O(left + right) expected.
Ref<MemoryTable> equiJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys, JoinKind kind,
                          const std::string& rightName);

// As-of join: of the right rows with equal leading keys, the last whose last key is at most the left's. The right side
// is sorted by its last key within each group. O(left log right).
Ref<MemoryTable> asofJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys,
                          const std::string& rightName);

Ref<MemoryTable> crossJoin(const MemoryTable& left, const MemoryTable& right, const std::string& rightName);

// The join functions ej, lj, aj … of the language. `arguments` as in a call of them; `rightName` goes before right
// columns whose name the left table has.
bool isJoinName(std::string_view function);
Ref<MemoryTable> joinByFunction(std::string_view function, std::span<const Value> arguments,
                                const std::string& rightName, Context& context);

}  // namespace pelorus
