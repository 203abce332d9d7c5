// Window functions of tables on disk whose rows exceed memory. Windows with the same keys after `partition by` are
// computed together: their rows are spilled, partitioned by a hash of the keys, and the windows are computed for one
// hash partition at a time. Those without keys are computed range by range of their order, where a row reads a given
// number of rows around it; the others in memory, of the columns that they read. In the end the query reads its rows
// next to the results of the windows.
#pragma once

#include <functional>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// `select`: the query over rows in memory, one row for each. nullptr when the rows fit in memory or are there already,
// or cannot be spilled.
Ref<MemoryTable> selectWindowsInParts(
    const SelectPlan& plan, Context& context,
    const std::function<Ref<MemoryTable>(const Query& query, const Ref<MemoryTable>& rows)>& select);

}  // namespace pelorus
