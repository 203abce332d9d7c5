// f(…) over (partition by … order by … frame).
#pragma once

#include <optional>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/table/table.h"

namespace pelorus {

// Rows of one partition in the order of a window: all of them, or a range.
struct WindowRows {
    Ref<MemoryTable> rows;
    int64_t before = 0;                       // rows of the partition in front of these
    int64_t peersBefore = 0;                  // groups of equal order keys in front of that of the first row
    int64_t total = 0;                        // rows of the partition
    std::vector<int32_t> peerBegin, peerEnd;  // of each row: those with equal order keys
    std::vector<int32_t> first, last;         // of each row: its frame
    bool isWhole() const { return rows->rowCount() == total; }
};
std::vector<OrderKey> windowOrder(const Window& window, const MemoryTable& rows, Context& context);
void findPeers(WindowRows& rows, const std::vector<OrderKey>& keys);
// Returns the function's value for each of the rows, when a range contains every row that they read. REQUIRES:
// findPeers.
Value windowValues(const Window& window, WindowRows& rows, Context& context);
// Number of rows before and after a row that the window reads; nothing when that depends on more than their number.
struct WindowReach {
    int64_t before = 0, behind = 0;
};
std::optional<WindowReach> reachOf(const Window& window, Context& context);

// Computes each window function of the query into a column of `rows`, under a name that no script can write, and
// replaces it by that column. Throws UserError where a window function is not allowed.
Ref<Query> withWindowColumns(const Query& query, MemoryTable& rows, Context& context);

}  // namespace pelorus
