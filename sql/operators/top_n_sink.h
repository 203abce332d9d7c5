// The sink of the first rows in an order: finds them without sorting all, by their keys alone.
#pragma once

#include <cstdint>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/kernel/sort/row_order.h"
#include "sql/execution/pipeline.h"
#include "sql/operators/late_columns.h"
#include "sql/plan/row_item.h"

namespace pelorus {

// Keeps the best `count` rows of each morsel, in the order of the keys and, where those are equal, of the rows. Once a
// morsel has so many, the last of them bounds what other morsels keep: blocks whose bounds come after it are not read.
// Memory: O(count) per morsel.
class TopNSink final : public Sink {
public:
    // `readsCheaply`: a block of a column costs nothing to read, so that it may be read before the conditions are
    // evaluated. REQUIRES: keys are not empty, count > 0, both lists outlive the sink.
    TopNSink(const std::vector<RowItem>& items, const std::vector<TopKey>& keys, int64_t count, bool readsCheaply);

    void open(size_t morsels) override { leaves_.resize(morsels); }
    bool wants(const Batch& batch) override;
    bool push(Batch& batch, Context& worker) override;
    void close(size_t morsel) override;

    // Returns the first of all rows, in order, once.
    std::vector<RowPlace> places();

private:
    // The best rows of a morsel. Equal keys are in the order of the rows: keeping the first of them, in order,
    // preserves it.
    struct Leaf {
        std::vector<Value> keys;
        std::vector<RowPlace> places;
        bool isBound = false;
    };

    std::vector<OrderKey> orderKeys() const;
    void keepFirst(Leaf& leaf);
    void tighten(const OrderKey& key);
    bool boundOf(Value& bound);

    const std::vector<RowItem>& items_;
    const std::vector<TopKey>& keys_;
    const int64_t count_;
    const bool readsCheaply_;
    std::vector<Leaf> leaves_;  // each written by the thread of its morsel
    Mutex mutex_;
    bool isBound_ GUARDED_BY(mutex_) = false;
    Value bound_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
