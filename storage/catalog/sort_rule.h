// The order of the rows of a chunk, and the choice among rows with equal sort columns.
//
// Rows are stored on disk in runs, each sorted when it was written; a reader merges them. A late row costs no more than
// its run, and no writer waits for another's order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

struct TableEntry;

// The sort rule of a table. A plain value.
struct SortRule {
    enum class Keep : uint8_t { All, First, Last };

    std::vector<int> columns;  // positions in the schema; empty: rows come as they arrived
    Keep keep = Keep::All;

    bool isOrdered() const { return !columns.empty(); }
};

// Returns the sort rule that a table's sortColumns and keepDuplicates describe.
SortRule sortRuleOf(const TableEntry& table);

// A sort rule with the columns that its positions refer to, under their names in chunks.
struct TableOrder {
    SortRule rule;
    TableSchema columns;
};

// Returns the positions of the rows that count, in order; none when all rows count and are in order. Keys are the sort
// columns, equal ones stay in order of arrival. O(n) for rows in order, else O(n log n).
std::optional<std::vector<int32_t>> orderedPositions(const std::vector<Value>& keys, SortRule::Keep keep, int64_t rows);

// Returns the rows of one write in the order of the rule, without those that it does not keep; `rows` itself when
// nothing changes.
Ref<MemoryTable> ordered(Ref<MemoryTable> rows, const SortRule& rule);

}  // namespace pelorus
