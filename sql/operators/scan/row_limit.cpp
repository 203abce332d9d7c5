#include "sql/operators/scan/row_limit.h"

#include "common/check.h"

namespace pelorus {

void RowLimit::open(size_t morsels) {
    passed_.resize(morsels);
    const MutexLock lock(mutex_);
    isDone_.resize(morsels);
    end_ = morsels;
}

bool RowLimit::wants(const Batch& batch) {
    if (passed_[batch.morsel()] >= rows_) return false;
    const MutexLock lock(mutex_);
    return batch.morsel() < end_;
}

bool RowLimit::push(Batch& batch, Context& worker, Consumer& next) {
    int64_t& passed = passed_[batch.morsel()];
    // The last batch is computed only as far as it is needed.
    batch.keepFirst(rows_ - passed);
    passed += batch.rows();
    return next.push(batch, worker) && passed < rows_;
}

void RowLimit::close(size_t morsel) {
    const MutexLock lock(mutex_);
    isDone_[morsel] = true;
    while (done_ < end_ && isDone_[done_]) {
        CHECK(passed_[done_] <= rows_) << "a morsel passes no more rows than are wanted";
        before_ += passed_[done_++];
        if (before_ >= rows_) end_ = done_;
    }
}

}  // namespace pelorus
