#include "stdlib/window/rolling_order.h"

#include <algorithm>

#include "common/check.h"
#include "common/thread/cancellation.h"

namespace pelorus {

// The number of rows above which moving memory costs more than the tree.
static constexpr int64_t kLongestList = 4096;

RollingOrder::RollingOrder(RollingColumns columns, int64_t rows, int64_t longest)
    : columns_(columns), listed_(longest <= kLongestList) {
    if (listed_) {
        sorted_.reserve(static_cast<size_t>(longest) + 1);
        return;
    }
    for (int64_t i = 0; i < rows; ++i) {
        if (!isNull(columns.x[i])) sorted_.push_back(columns.x[i]);
    }
    std::sort(sorted_.begin(), sorted_.end(), [](double a, double b) {
        checkCancelled();
        return a < b;
    });
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    ranks_.resize(static_cast<size_t>(rows));
    inPieces(rows, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            ranks_[static_cast<size_t>(i)] =
                static_cast<int32_t>(std::lower_bound(sorted_.begin(), sorted_.end(), columns.x[i]) - sorted_.begin());
        }
    });
    tree_.resize(sorted_.size() + 1);
}

void RollingOrder::add(int64_t i) {
    ++count_;
    if (listed_) {
        double x = columns_.x[i];
        sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), x), x);
    } else {
        change(i, 1);
    }
}

void RollingOrder::remove(int64_t i) {
    DCHECK(count_ > 0) << "a row that leaves the window has entered it";
    --count_;
    if (listed_) {
        sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), columns_.x[i]));
    } else {
        change(i, -1);
    }
}

void RollingOrder::change(int64_t i, int64_t by) {
    for (auto k = static_cast<size_t>(ranks_[static_cast<size_t>(i)]) + 1; k < tree_.size(); k += k & (~k + 1))
        tree_[k] += by;
}

int64_t RollingOrder::before(std::vector<double>::const_iterator place) const {
    const auto position = static_cast<size_t>(place - sorted_.begin());
    if (listed_) return static_cast<int64_t>(position);
    int64_t sum = 0;
    for (size_t k = position; k > 0; k &= k - 1) sum += tree_[k];
    return sum;
}

std::pair<int64_t, int64_t> RollingOrder::placesOf(double x) const {
    const auto lower = std::lower_bound(sorted_.begin(), sorted_.end(), x);
    return {before(lower), before(std::upper_bound(lower, sorted_.end(), x))};
}

double RollingOrder::element(int64_t k) const {
    DCHECK(k >= 0 && k < count_) << "the element is in the window";
    if (listed_) return sorted_[static_cast<size_t>(k)];
    size_t at = 0, step = 1;
    while (step * 2 < tree_.size()) step *= 2;
    for (; step > 0; step /= 2) {
        if (at + step < tree_.size() && tree_[at + step] <= k) {
            at += step;
            k -= tree_[at];
        }
    }
    return sorted_[at];
}

}  // namespace pelorus
