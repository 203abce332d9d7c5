#include "stdlib/models/nearest_centers.h"

#include <algorithm>
#include <limits>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/widest.h"

namespace pelorus {

namespace {

constexpr size_t kLanes = 8;  // rows that are computed at once
constexpr size_t kFour = 4;   // centers that are: their sums stay in registers

// A value for each of the rows, which the compiler keeps in as many registers as it takes.
using Lanes [[gnu::vector_size(kLanes * sizeof(double)), gnu::aligned(alignof(double)), gnu::may_alias]] = double;

}  // namespace

NearestCenters::NearestCenters(const std::vector<std::vector<double>>& centers)
    : count_(centers.size()), width_(count_ == 0 ? 0 : centers[0].size()), origin_(width_, 0.0) {
    CHECK(count_ > 0) << "there is a center";
    const size_t fours = (count_ + kFour - 1) / kFour;
    squares_.assign(fours * kFour, std::numeric_limits<double>::infinity());
    fours_.assign(fours * kFour * width_, 0.0);
    for (size_t c = 0; c < width_; ++c) {
        for (const auto& center : centers) origin_[c] += center[c] / static_cast<double>(count_);
    }
    for (size_t j = 0; j < count_; ++j) {
        squares_[j] = 0;
        for (size_t c = 0; c < width_; ++c) {
            const double at = centers[j][c] - origin_[c];
            fours_[(j / kFour * width_ + c) * kFour + j % kFour] = at;
            squares_[j] += at * at;
        }
    }
}

void NearestCenters::find(const std::vector<std::vector<double>>& columns, size_t begin, size_t end,
                          int32_t* nearest) const {
    // A tile of rows, moved by the origin, stays in the first cache while all centers go over it.
    const size_t tile = std::clamp<size_t>(2048 / std::max<size_t>(width_, 1), 1, 32) * kLanes;
    std::vector<double> moved(tile * width_, 0.0), found(tile);
    for (size_t first = begin; first < end; first += tile) {
        checkCancelled();  // a tile takes as long as there are centers
        const size_t rows = std::min(tile, end - first), width = width_, fours = squares_.size() / kFour;
        for (size_t c = 0; c < width; ++c) {
            const double *column = columns[c].data() + first, origin = origin_[c];
            double* to = moved.data() + c * tile;
            onWidest([=]() __attribute__((always_inline)) {
                for (size_t i = 0; i < rows; ++i) to[i] = column[i] - origin;
            });
        }
        const double *cells = moved.data(), *centers = fours_.data(), *squares = squares_.data();
        double* places = found.data();
        onWidest([=]() __attribute__((always_inline)) {
            for (size_t lane = 0; lane < rows; lane += kLanes) {
                Lanes best = std::numeric_limits<double>::infinity() - Lanes{}, place = {};
                for (size_t f = 0; f < fours; ++f) {
                    Lanes sums[kFour] = {};
                    const double* numbers = centers + f * width * kFour;
                    for (size_t c = 0; c < width; ++c) {
                        const Lanes x = *reinterpret_cast<const Lanes*>(cells + c * tile + lane);
                        sums[0] += x * numbers[c * kFour];
                        sums[1] += x * numbers[c * kFour + 1];
                        sums[2] += x * numbers[c * kFour + 2];
                        sums[3] += x * numbers[c * kFour + 3];
                    }
                    for (size_t j = 0; j < kFour; ++j) {
                        const Lanes distance = squares[f * kFour + j] - 2 * sums[j];
                        const Lanes at = static_cast<double>(f * kFour + j) - Lanes{};
                        // Without a branch, which nobody could foresee.
                        const auto isNearer = distance < best;
                        best = isNearer ? distance : best;
                        place = isNearer ? at : place;
                    }
                }
                *reinterpret_cast<Lanes*>(places + lane) = place;
            }
        });
        for (size_t i = 0; i < rows; ++i) nearest[first - begin + i] = static_cast<int32_t>(found[i]);
    }
}

}  // namespace pelorus
