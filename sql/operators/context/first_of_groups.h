// The first rows of each group in an order: context by … csort … limit.
#pragma once

#include "sql/select.h"

namespace pelorus {

// Only they are put in order, and items computed for them. REQUIRES: csort's items depend on their own row only. Null
// where an item, or having, looks at other rows of its group, too. `limit` below zero means the last ones.
Ref<MemoryTable> firstOfGroups(const SelectPlan& plan, const MemoryTable& rows, int64_t limit, Context& context);

}  // namespace pelorus
