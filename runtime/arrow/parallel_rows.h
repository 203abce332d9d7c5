// inParallel walks the rows of a batch on several threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/thread/thread_pool.h"

namespace pelorus::arrow {

// Calls f(begin, end) for pieces of the rows, on several threads where there are many: most of the time of a copy goes
// into pages that are touched for the first time. REQUIRES: pieces do not depend on each other. Throws what f throws.
template <class F>
void inParallel(int64_t rows, const F& f) {
    constexpr int64_t kPiece = int64_t{1} << 17;
    if (rows <= 2 * kPiece) return f(int64_t{0}, rows);
    parallelFor((rows + kPiece - 1) / kPiece,
                [&](int64_t piece) { f(piece * kPiece, std::min(rows, (piece + 1) * kPiece)); });
}

}  // namespace pelorus::arrow
