// What a query orders by, when that is an item of its select list under another name.
#pragma once

#include <string>

#include "runtime/code/query.h"

namespace pelorus {

// Returns the column that a name or t.name means; empty for other expressions.
std::string columnOf(const Node& node);
// Whether two expressions mean the same: x and t.x are one column, t.x and u.x are two.
bool isSameColumn(const NodeRef& a, const NodeRef& b);

// select k as key, … group by k order by k orders by key: names of the result are all that orders rows of groups.
// Returns null where nothing is to be changed.
Ref<Query> withOrderOfItems(const Query& query);

}  // namespace pelorus
