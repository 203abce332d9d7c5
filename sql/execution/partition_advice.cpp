#include "sql/execution/partition_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/thread/thread_pool.h"
#include "runtime/memory/budget.h"

namespace pelorus {

static constexpr int64_t kMegabyte = 1 << 20, kSmallest = 100 * kMegabyte, kLargest = 1024 * kMegabyte;
// Small partitions cost nothing while they are few.
static constexpr size_t kManyPartitions = 1000;
static constexpr int64_t kBytesOfString = 16;

std::string partitionAdvice(const std::vector<int64_t>& sizes, int64_t memoryBytes, int workers) {
    if (sizes.empty()) return "";
    const int64_t largest = *std::max_element(sizes.begin(), sizes.end());
    const int64_t most = std::min(kLargest, memoryBytes / (8 * std::max(1, workers)));
    if (largest > most) {
        return fmt::format(
            "The largest partition holds {} MB of rows; at most {} MB keep every thread's share of memory small: "
            "partition by one level more, or by shorter ranges.",
            largest / kMegabyte, most / kMegabyte);
    }
    const int64_t average =
        std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) / static_cast<int64_t>(sizes.size());
    if (sizes.size() >= kManyPartitions && average < kSmallest) {
        return fmt::format(
            "{} partitions hold {:.3g} MB of rows on average; fewer ones of 100 MB to 1 GB are read faster.",
            sizes.size(), static_cast<double>(average) / kMegabyte);
    }
    return "";
}

std::string partitionAdvice(const PartitionedTable& table, const TableSnapshot& snapshot,
                            const std::vector<size_t>& chosen) {
    int64_t rowBytes = 0;
    for (const ColumnSchema& column : table.columns())
        rowBytes += column.type == Type::String || column.type == Type::Blob || isArrayType(column.type)
                        ? kBytesOfString
                        : widthOf(column.type);
    std::vector<int64_t> sizes;
    for (const size_t p : chosen) {
        if (snapshot.partitions()[p].node.empty()) sizes.push_back(rowBytes * snapshot.open(p)->rowCount());
    }
    return partitionAdvice(sizes, memory::limitBytes(), workerCount());
}

}  // namespace pelorus
