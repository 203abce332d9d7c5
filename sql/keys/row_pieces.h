// Parallel loops over the rows of a column in pieces.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/thread/thread_pool.h"

namespace pelorus {

constexpr int64_t kPieceRows = int64_t{1} << 17;

inline int64_t pieceCount(int64_t rows) {
    return (rows + kPieceRows - 1) / kPieceRows;
}

// Calls f(begin, end) for pieces of kPieceRows rows, the last one shorter, on all threads.
template <class F>
void forEachPiece(int64_t rows, const F& f) {
    parallelFor(pieceCount(rows),
                [&](int64_t piece) { f(piece * kPieceRows, std::min(rows, (piece + 1) * kPieceRows)); });
}

}  // namespace pelorus
