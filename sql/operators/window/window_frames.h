// Rows as a window function reads them: group by group, in order, with the bounds of groups, of peers and of frames.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/kernel/sort/row_order.h"
#include "sql/operators/window/bound_window.h"
#include "sql/operators/window/range_aggregates.h"

namespace pelorus {

// Bounds of rows of whole groups, one group after the other; or of a range of the rows of one group, which a stream
// computes piece by piece.
struct WindowRows {
    std::span<const int32_t> groupBegin;  // where groups begin, and the end of the last
    std::vector<int32_t> peerBegin;       // the same of peers: neighbours in a group with equal order keys
    bool isRange = false;
    // Of a range:
    int64_t before = 0;       // rows of the group in front of these
    int64_t peersBefore = 0;  // peers in front of those of the first row
    int64_t total = 0;        // rows of the group

    int32_t count() const { return groupBegin.back(); }
    size_t groupCount() const { return groupBegin.size() - 1; }
    // Returns the rows of the whole group g.
    int64_t rowsOfGroup(size_t g) const { return isRange ? total : groupBegin[g + 1] - groupBegin[g]; }
};

// Finds the peers. `order` has the rows' keys; where it is empty, all rows of a group are peers.
void findPeers(WindowRows& rows, std::span<const OrderKey> order);

// Returns the frame of each row. Peers with a frame by peers share one. REQUIRES: findPeers, where readsPeers.
std::vector<RowSpan> framesOf(const BoundWindow& window, const WindowRows& rows, std::span<const OrderKey> order);

// What remains of a frame without the rows that it excludes, in order: before the row, itself, behind it.
using FrameParts = std::array<RowSpan, 3>;
inline int64_t rowsOf(const FrameParts& parts) {
    int64_t rows = 0;
    for (const RowSpan part : parts) rows += part.end - part.begin;
    return rows;
}
// REQUIRES: findPeers, where readsPeers.
std::vector<FrameParts> withoutExcluded(const BoundWindow& window, const WindowRows& rows,
                                        std::span<const RowSpan> frames);

}  // namespace pelorus
