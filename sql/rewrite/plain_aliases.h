// Aliases without `as`, as standard SQL has them: select price p from t.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// Replaces items of the select list and of group by that read as calls of a name that is no function, a p, by the
// column a under the name p. What orders the rows by such an item orders by its name. A variable or a built-in in any
// letter case is called as before: its name is no column here.
Ref<Query> withPlainAliases(const Query& query, Context& context);

}  // namespace pelorus
