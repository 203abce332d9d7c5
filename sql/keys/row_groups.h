// The rows of each group of a table in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
std::vector<Value> keysOfRows(const std::vector<OutputItem>& keys, const MemoryTable& table, Context& context);
// The rows of all groups in one list: those of group g from begin[g] to begin[g + 1].
struct FlatRowGroups {
    std::vector<Value> keys;
    std::vector<int32_t> begin;
    Ref<Vector> places;    // INT: the position of each row of the table in the list
    bool inPlace = false;  // the rows are in this order already

    // Returns the list as positions in the table.
    std::vector<int32_t> rows() const;
};
// Numbers that identify the groups of rows, without an order of the groups.
struct GroupNumbers {
    int64_t slots = 0;  // all numbers are below it
    // Writes the group numbers of the rows [begin, begin + count). Thread-safe.
    std::function<void(int64_t begin, int64_t count, int32_t* numbers)> write;
};
// Returns nothing when there are more than `most`.
std::optional<GroupNumbers> groupNumbers(const std::vector<OutputItem>& keys, const MemoryTable& table, int64_t most,
                                         Context& context);
// `order` lists the rows of the table in the order that they keep within their groups; empty for table order.
FlatRowGroups groupRowsFlat(const std::vector<OutputItem>& keys, const MemoryTable& table,
                            const std::vector<int32_t>& order, Context& context);
RowGroups groupRows(const std::vector<OutputItem>& keys, const MemoryTable& table, Context& context);

// The same by bound keys, and by the columns of the keys: one value for each row, or one for all of them.
RowGroups groupRows(const std::vector<BoundItem>& keys, const MemoryTable& table, Context& context);
RowGroups groupRows(const std::vector<Value>& keys, int64_t rows);

}  // namespace pelorus
