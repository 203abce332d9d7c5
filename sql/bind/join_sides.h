// Predicate and projection pushdown into the tables of a join: conditions on one table alone are applied before the
// join, so that partitions are pruned, and columns that nobody reads stay on disk.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

struct JoinSide {
    Value table;
    std::string qualifier;  // its name in the query; may be empty
};

// Whether conditions on side `index` may be applied before the joins: no join adds or keeps rows because that side has
// no match for them.
bool takesConditions(const std::vector<JoinKind>& joins, size_t index);

// Returns a select of the rows and columns of sides[index] that the query needs, whose source is that side as a
// constant. Null where the table stays as it is: it is in memory already, nothing can be left out, or memory is short:
// such a join spills by itself. Nothing is read.
//
// `isRead` selects the columns that must stay. Names without a qualifier belong to the first side that has them.
Ref<Query> neededRows(const std::vector<JoinSide>& sides, size_t index, const NodeList& where,
                      const std::function<bool(const std::string& column)>& isRead, Context& context);

}  // namespace pelorus
