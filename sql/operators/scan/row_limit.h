// The operator that ends a pipeline early.
#pragma once

#include <cstdint>
#include <vector>

#include "common/thread/mutex.h"
#include "sql/execution/pipeline.h"

namespace pelorus {

// Passes on no more than the first rows of each morsel, and none of the morsels behind those that have enough together.
// More rows than wanted may pass, of morsels that run at the same time: the sink takes the first ones.
class RowLimit final : public BatchOperator {
public:
    explicit RowLimit(int64_t rows) : rows_(rows) {}

    void open(size_t morsels) override;
    bool wants(const Batch& batch) override;
    bool push(Batch& batch, Context& worker, Consumer& next) override;
    void close(size_t morsel) override;

private:
    const int64_t rows_;
    std::vector<int64_t> passed_;  // of each morsel, by its thread
    Mutex mutex_;
    std::vector<bool> isDone_ GUARDED_BY(mutex_);
    size_t done_ GUARDED_BY(mutex_) = 0;     // morsels up to here are done,
    int64_t before_ GUARDED_BY(mutex_) = 0;  // and have so many rows
    size_t end_ GUARDED_BY(mutex_) = 0;      // morsels from here on do not matter
};

}  // namespace pelorus
