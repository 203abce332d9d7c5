// Joins of tables in memory.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/keys/join_keys.h"
#include "sql/operators/window/range_aggregates.h"

namespace pelorus {

class JoinedRows;

// The rows of one side in the rows of a join, -1 for none; `all` is each once and in order, and needs no numbers.
struct SideRows {
    bool all = false;
    RowNumbers rows;
};

// Columns of the result of a join.
struct JoinedColumns {
    std::string rightName;  // of the right table, in front of names that the left one has, too
    // Whether columns of this name are read; all are when it is empty. Others are left out, keys stay.
    std::function<bool(const std::string& name)> isRead = {};
    // Prefix under which key columns that the result would leave out are kept: an outer join has NULL in them. Must
    // begin with a blank, like all hidden columns.
    std::string hiddenPrefix = {};
};

// Pairs of rows with equal keys.
struct RowPairs {
    SideRows left, right;
};
// Returns the pairs of an inner join, in an order that the two sides determine. Rows whose key is NULL have no partner.
// Throws UserError for more than 2^31 - 1 pairs.
RowPairs equiPairs(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys);
// Returns for each left row the number of a right row with equal keys, or -1.
SideRows firstPartners(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys);

// Rows in the order of the left table (unmatched right rows of a full join last), of the right one for a right join.
// Result: all left columns, then the right ones without the right keys (a right join leaves out the left keys); a right
// column whose name the left has is called `<rightName>_<column>`. Throws UserError for unknown or incomparable key
// columns. O(left + right) expected.
//
// Rows whose mask is 0 match nothing; an empty mask lets all rows match.
struct JoinMasks {
    std::vector<char> left, right;
};
Ref<JoinedRows> equiJoin(const Ref<MemoryTable>& left, const Ref<MemoryTable>& right, const JoinColumns& keys,
                         JoinKind kind, const JoinedColumns& shown, const JoinMasks& masks = {});

// Kinds of as-of join. Of the right rows with equal leading keys, by their last keys
//   backward  the last of those at most the left's;
//   forward   the first of those at least the left's;
//   nearest   the nearer one of these two, the backward one when both are as near.
// Sides sorted by their last keys are merged, O(left + right); other right sides are sorted within each group first,
// where they are not yet, and searched: O(left log right).
enum class AsofDirection : uint8_t { Backward, Forward, Nearest };
struct AsofJoin {
    AsofDirection direction = AsofDirection::Backward;
    Value tolerance = {};  // the max distance of a match, see AsofTolerance
};
Ref<JoinedRows> asofJoin(const Ref<MemoryTable>& left, const Ref<MemoryTable>& right, const JoinColumns& keys,
                         const AsofJoin& join, const JoinedColumns& shown);

// Read range of each left row of an as-of or window join, as ordered numbers: right rows with last keys from `low` to
// `high`, and in an as-of join their neighbours. NULL where the key is.
struct ReadRange {
    Ref<Vector> low, high, right;
};
// Has no vectors for keys that are ordered, but have no numbers by themselves. Throws UserError like asofJoin.
ReadRange asofRange(const Value& left, const Value& right, const std::string& name);

// Window join: for each left row the aggregates of the right rows with equal leading keys whose last key is in the
// window around the left's, both ends included; 0:0 reaches from the previous left key to this one, which is excluded.
// `prevailing` adds the last right row before the window when none is at its start. Aggregates are metacode over right
// columns; a bare column yields the window's values. NULL for an empty window.
struct WindowJoin {
    Value window;  // a pair of integers or durations
    NodeList aggregates;
    bool prevailing = false;
    SumsBefore before = {};  // of right rows in front of those at hand, of a join without other keys

    // Whether windows begin at the left row before, in the order of the table.
    bool sincePrevious() const;
};
// Returns the ranges of windows since the previous row, which begin at its range.
ReadRange windowRange(const Value& left, const Value& right, const WindowJoin& join, const std::string& name);
Ref<MemoryTable> windowJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys,
                            const WindowJoin& join, Context& context);

// Prefix join: left rows whose key begins with a right key; the right key stays under the right table's name.
Ref<JoinedRows> prefixJoin(const Ref<MemoryTable>& left, const Ref<MemoryTable>& right, const JoinColumns& keys,
                           const JoinedColumns& shown);

// The join functions ej, lj, aj … of the language. `arguments` as in a call of them; without a right name the table's.
// Except for window joins, and joins on disk, the rows are materialized when they are read (joined_rows.h).
Ref<Table> joinByFunction(std::string_view function, std::span<const Value> arguments, const JoinedColumns& shown,
                          Context& context);

}  // namespace pelorus
