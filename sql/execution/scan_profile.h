// What reading a source measured, for explain.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pelorus {

// Counters of a scan, and of what is spilled of its rows. The threads of its pipelines add to them.
struct ScanProfile {
    std::atomic<int64_t> blocks{0};         // that were read
    std::atomic<int64_t> skippedBlocks{0};  // that bounds excluded, or nobody wanted
    std::atomic<int64_t> readRows{0};       // of the blocks
    std::atomic<int64_t> passedRows{0};     // that satisfy the conditions
    std::atomic<int64_t> readBytes{0};      // of decoded columns; strings count as sixteen each
    std::atomic<int64_t> spilledBytes{0};
    std::atomic<int64_t> nanos{0};  // of the wall clock, as the share of the scan in the time of its pipelines

    // Counts rows of a table in memory whose columns are shared whole: nothing is read.
    void countWhole(int64_t rows) {
        readRows += rows;
        passedRows += rows;
    }
};

}  // namespace pelorus
