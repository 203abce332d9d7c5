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
//
// Rows whose mask is 0 match nothing; an empty mask lets all rows match.
struct JoinMasks {
    std::vector<char> left, right;
};
Ref<MemoryTable> equiJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys, JoinKind kind,
                          const std::string& rightName, const JoinMasks& masks = {});

// As-of join: of the right rows with equal leading keys, the last whose last key is at most the left's. The right side
// is sorted by its last key within each group. O(left log right).
Ref<MemoryTable> asofJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys,
                          const std::string& rightName);

// Window join: for each left row the aggregates of the right rows with equal leading keys whose last key lies in the
// window around the left's, both ends in; 0:0 reaches from the previous left key to this one, which is out.
// `prevailing` adds the last right row before the window when none stands at its start. Aggregates are metacode over
// right columns; a bare column gives the window's values. Where nothing is in the window they are NULL.
struct WindowJoin {
    Value window;  // a pair of integers or durations
    NodeList aggregates;
    bool prevailing = false;
};
Ref<MemoryTable> windowJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys,
                            const WindowJoin& join, Context& context);

// Prefix join: left rows whose key begins with a right key; the right key stays under the right table's name.
Ref<MemoryTable> prefixJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys,
                            const std::string& rightName);

Ref<MemoryTable> crossJoin(const MemoryTable& left, const MemoryTable& right, const std::string& rightName);

// The join functions ej, lj, aj … of the language. `arguments` as in a call of them; `rightName` goes before right
// columns whose name the left table has.
bool isJoinName(std::string_view function);
// Whether argument i of the function is leftFilter or rightFilter.
bool isJoinFilter(std::string_view function, size_t i);
Ref<MemoryTable> joinByFunction(std::string_view function, std::span<const Value> arguments,
                                const std::string& rightName, Context& context);

}  // namespace pelorus
