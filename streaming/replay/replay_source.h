// ReplaySource reads the rows of one input of a replay, part by part, with the time of each.
#pragma once

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "streaming/replay/replay.h"

namespace pelorus {

// A cursor over one input. The rows in `rows` have not been played yet. One thread uses it.
class ReplaySource {
public:
    // `input` outlives the object. `partsAtOnce` data sources are loaded together, at least 1.
    ReplaySource(const ReplayInput& input, int partsAtOnce) : input_(input), partsAtOnce_(partsAtOnce) {}

    const ReplayInput& input() const { return input_; }
    bool hasMore() const { return next_ < input_.parts.size(); }
    const Ref<MemoryTable>& rows() const { return rows_; }
    // NANOTIMESTAMP, NANOTIME for times of the day, or LONG for numbers.
    const Ref<Vector>& times() const { return times_; }
    int64_t size() const { return rows_ ? rows_->rowCount() : 0; }

    // Reads further parts. Throws UserError when a part is no table, or lacks its time. REQUIRES: hasMore().
    void readMore(Context& context);
    // Returns the number of rows up to the first that is not before `horizon`.
    int64_t before(int64_t horizon) const;
    int64_t lastTime() const { return times_->data<int64_t>()[size() - 1]; }
    void drop(int64_t count);

private:
    const ReplayInput& input_;
    const int partsAtOnce_;
    size_t next_ = 0;
    Ref<MemoryTable> rows_;
    Ref<Vector> times_;
};

}  // namespace pelorus
