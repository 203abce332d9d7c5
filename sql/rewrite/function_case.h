// Queries take the names of built-in functions in any letter case, as SQL does: AVG(price) is avg(price). So are some
// names of the standard: stddev_samp(x) is std(x).
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// Replaces calls of undefined names by calls of the one built-in whose name differs in case only, or that the standard
// calls so. Inner queries are left unchanged: each is executed by itself.
Ref<Query> withBuiltinsOfAnyCase(const Query& query, Context& context);

}  // namespace pelorus
