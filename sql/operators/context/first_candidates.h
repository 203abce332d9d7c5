// Candidates for the first rows of groups in an order: found in one pass, before rows are grouped.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/kernel/sort/row_order.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Returns ascending positions of rows that include the first `count` of each group of `keys` in `order`, the last ones
// where it is below zero. Nothing where the search would not pay: many groups, or a first key of the order whose values
// have no order-preserving words. O(n), and for rows without an order O(g c log(n / g)) changes of the bounds of g
// groups; each piece of the rows keeps the best `count` keys of every group, like a top-N query over all rows.
std::optional<std::vector<int32_t>> firstCandidates(const std::vector<OutputItem>& keys, const MemoryTable& rows,
                                                    const std::vector<OrderKey>& order, int64_t count,
                                                    Context& context);

}  // namespace pelorus
