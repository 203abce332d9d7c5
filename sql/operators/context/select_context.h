// context by: the select list of each group, and one row for each of its rows.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/bind/nodes/bind_window.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

Ref<MemoryTable> selectContext(const SelectPlan& plan, Context& context);

// Returns the result of a context by expression for a group, as one value for each of its rows; of VOID for a NULL of
// no type.
Value rowsOfGroup(const Value& v, int64_t rows);

// Returns positions of a group's rows in the order of csort.
std::vector<int32_t> csorted(const Query& query, const MemoryTable& group, Context& context);

}  // namespace pelorus
