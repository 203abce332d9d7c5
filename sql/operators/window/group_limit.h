// A limit of each group: its first rows in an order, or its last ones (top-N per group).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/value.h"

namespace pelorus {

// Returns positions of the first `limit` rows of each group in `order`, the last ones where it is below zero: group by
// group in the order of the keys, rows of a group in `order`, equal ones by position. `keys` are vectors of `rows`
// elements or scalars. Where few rows can be among them, only those are grouped and sorted.
std::vector<int32_t> rowsWithinLimit(std::span<const Value> keys, std::span<const OrderKey> order, int64_t rows,
                                     int64_t limit);

// Returns ascending positions of rows that include those. Nothing where the search would not pay: many groups, or a
// first key of the order whose values have no order-preserving words. O(n), and for rows without an order
// O(g c log(n / g)) changes of the bounds of g groups; each piece of the rows keeps the best words of every group.
std::optional<std::vector<int32_t>> candidatesWithinLimit(std::span<const Value> keys, std::span<const OrderKey> order,
                                                          int64_t rows, int64_t limit);

}  // namespace pelorus
