// The rows of each group of a table in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/plan/output_item.h"

namespace pelorus {

// Positions of the rows of each group, groups in ascending order of their keys, rows in order.
struct RowGroups {
    std::vector<Value> keys;
    std::vector<std::vector<int32_t>> rows;
};
// Evaluates keys over all rows. Throws UserError for one that does not give one value per row.
std::vector<Value> keysOfRows(const std::vector<BoundItem>& keys, const MemoryTable& table, Context& context);
// Numbers that identify the groups of rows, without an order of the groups.
struct GroupNumbers {
    int64_t slots = 0;  // all numbers are below it
    // Writes the group numbers of the rows [begin, begin + count). Thread-safe.
    std::function<void(int64_t begin, int64_t count, int32_t* numbers)> write;
};
// Returns nothing when there are more than `most`. `keys`: vectors of that many elements, or scalars.
std::optional<GroupNumbers> groupNumbers(std::span<const Value> keys, int64_t rows, int64_t most);

// Groups the rows of a table by expressions, or rows by the columns of their keys: one value for each row, or one for
// all of them.
RowGroups groupRows(const std::vector<OutputItem>& keys, const MemoryTable& table, Context& context);
RowGroups groupRows(const std::vector<BoundItem>& keys, const MemoryTable& table, Context& context);
RowGroups groupRows(const std::vector<Value>& keys, int64_t rows);

}  // namespace pelorus
