#include "runtime/table/remote_partitions.h"

#include <numeric>

#include "runtime/table/table.h"

namespace pelorus {

std::vector<size_t> partitionsWithRows(TableSnapshot& snapshot) {
    std::vector<size_t> all(snapshot.partitions().size());
    std::iota(all.begin(), all.end(), 0);
    auto* remote = dynamic_cast<RemotePartitions*>(&snapshot);
    return remote == nullptr ? all : remote->withRows(all);
}

}  // namespace pelorus
