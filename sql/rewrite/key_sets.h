// Groups by several sets of keys at once: rollup, cube, grouping sets.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// Returns a query without sets of keys that gives the same rows: one over the union of the groups of each set, whose
// keys that a set lacks are NULL. grouping(k, …) is the number whose bits say which of the keys the set lacks, the last
// key being the lowest bit. Where sums, counts, averages, minima and maxima are all that is asked for, the rows are
// read once: the groups of all keys are those that the sets group again. Throws UserError for `*` in the select list.
Ref<Query> withoutGroupingSets(const Query& query, Context& context);

}  // namespace pelorus
