// What standard SQL writes in its own way, as the binder takes it.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// Returns the query with names of functions in our letter case, aliases with `as`, and sets of keys as a union; null
// where nothing is to be changed. Inner queries are left unchanged: each is executed by itself.
Ref<Query> standardQuery(const Query& query, Context& context);

}  // namespace pelorus
