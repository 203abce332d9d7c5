#include "sql/keys/distinct_estimate.h"

#include <algorithm>
#include <vector>

#include "runtime/table/table.h"
#include "sql/keys/group_table.h"

namespace pelorus {

double estimateDistinct(const Value& column) {
    constexpr int64_t kSampleRows = 4096;
    const int64_t rows = column.size(), sampled = std::min(rows, kSampleRows);
    if (rows == 0 || !column.isTypedVector()) return static_cast<double>(std::max<int64_t>(rows, 1));
    std::vector<int32_t> positions(static_cast<size_t>(sampled));
    // One row of each stretch, at a place that follows no period of the values.
    for (int64_t i = 0; i < sampled; ++i) {
        const int64_t begin = i * rows / sampled, end = (i + 1) * rows / sampled;
        const uint64_t scattered = static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15ULL >> 33;
        positions[static_cast<size_t>(i)] = static_cast<int32_t>(
            begin + static_cast<int64_t>(scattered % static_cast<uint64_t>(std::max<int64_t>(end - begin, 1))));
    }
    const std::vector<Value> keys{gatherElements(column, positions.data(), sampled)};
    GroupTable table({column.type()});
    std::vector<int32_t> groups(positions.size());
    table.assign(keys, sampled, groups.data());
    std::vector<int32_t> counts(static_cast<size_t>(table.size()));
    for (const int32_t group : groups) ++counts[static_cast<size_t>(group)];
    const auto once = static_cast<double>(std::count(counts.begin(), counts.end(), 1));
    const double share = static_cast<double>(sampled) / static_cast<double>(rows);
    return static_cast<double>(table.size()) / (1 - (1 - share) * once / static_cast<double>(sampled));
}

}  // namespace pelorus
