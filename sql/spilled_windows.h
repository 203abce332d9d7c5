// Window functions of tables on disk whose rows memory does not hold: they go to files, cut by a hash of the keys after
// `partition by`, and the windows are computed part by part.
#pragma once

#include <functional>

#include "sql/select.h"

namespace pelorus {

// `select`: the query over rows in memory, one row for each. nullptr when the rows have room in memory or are there
// already, cannot be set aside, or when not all windows are within equal keys.
Ref<MemoryTable> selectWindowsInParts(
    const SelectPlan& plan, Context& context,
    const std::function<Ref<MemoryTable>(const Query& query, const Ref<MemoryTable>& rows)>& select);

}  // namespace pelorus
