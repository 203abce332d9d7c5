// Inner joins whose conditions stand in `where`: select … from a, b, c where a.x = b.x and b.y = c.y.
#pragma once

#include <memory>
#include <optional>

#include "sql/bind/join_sides.h"
#include "sql/bind/read_names.h"
#include "sql/plan/row_source.h"
#include "sql/plan/source_node.h"

namespace pelorus {

// Returns how many sides, from the first on, make a graph of inner joins: those of `from a, b` and `cross join` with
// conditions, of inner joins whose `on` is more than equalities, and of two inner joins and more. 0 for others.
size_t sidesOfGraph(const JoinNode& node, const Query& query);

// Joins the first `count` sides of a query in an order by estimates. Conditions that were applied are left out of
// `source.remaining`; the columns of the result get the names that joins from left to right would give them, and are
// added to `source.qualified`. Rows come in the order of such joins where the query can tell.
Value runJoinGraph(const JoinNode& node, const Query& query, size_t count, const std::vector<JoinSide>& sides,
                   const std::shared_ptr<const ReadNames>& read, RowSource& source, Context& context);

}  // namespace pelorus
