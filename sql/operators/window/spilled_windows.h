// Window functions of tables on disk whose rows memory does not hold. Windows with the same keys after `partition by`
// are computed together: their rows go to files, cut by a hash of the keys, and the windows are computed part by part.
// Those without keys are computed stretch by stretch of their order, where a row reads a given number of rows around
// it; the others in memory, of the columns that they read. In the end the query reads its rows beside what the windows
// gave.
#pragma once

#include <functional>

#include "sql/select.h"

namespace pelorus {

// `select`: the query over rows in memory, one row for each. nullptr when the rows have room in memory or are there
// already, or cannot be set aside.
Ref<MemoryTable> selectWindowsInParts(
    const SelectPlan& plan, Context& context,
    const std::function<Ref<MemoryTable>(const Query& query, const Ref<MemoryTable>& rows)>& select);

}  // namespace pelorus
