// Streaming window functions over the rows of one partition that come piece by piece in the order of the windows.
#pragma once

#include <functional>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/operators/window/bound_window.h"

namespace pelorus {

class WindowStream {
public:
    // Takes windows without `partition by` that have one order. `total`: the number of rows that will come. Their
    // column `kept` goes to `take`, with one column for each window, as soon as all rows that they read are there: at
    // the end, where a window has no reach.
    WindowStream(const std::vector<const Window*>& windows, std::string kept, int64_t total,
                 std::function<void(const MemoryTable& values)> take, Context& context);
    void add(const MemoryTable& rows);
    // Called after the last rows.
    void finish() { compute(true); }

private:
    void compute(bool isLast);

    std::vector<BoundWindow> windows_;
    std::string kept_;
    std::function<void(const MemoryTable& values)> take_;
    Context& context_;
    WindowReach reach_;
    Ref<MemoryTable> buffer_;  // rows that are computed and still read, then those to compute
    int64_t before_ = 0;       // rows in front of these
    int64_t peersBefore_ = 0;  // peers in front of those of the first row
    int64_t total_;
    int64_t done_ = 0;    // of them
    int64_t enough_ = 0;  // rows for a range with every row that it reads
    int64_t due_ = 0;     // rows at which to compute: more of them, where many have equal order keys
};

}  // namespace pelorus
