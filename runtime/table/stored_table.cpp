#include "runtime/table/stored_table.h"

#include <numeric>

#include "runtime/table/remote_partitions.h"

namespace pelorus {

Ref<MemoryTable> readRows(const PartitionReader& reader, const TableSchema& schema) {
    Ref<MemoryTable> rows = MemoryTable::empty(schema, reader.rowCount());
    for (int c = 0; c < static_cast<int>(schema.size()); ++c) {
        Value& column = rows->mutableColumns()[static_cast<size_t>(c)];
        for (int block = 0; block < reader.blockCount(); ++block) appendElements(column, reader.read(block, c));
    }
    return rows;
}

std::vector<size_t> partitionsWithRows(TableSnapshot& snapshot) {
    std::vector<size_t> all(snapshot.partitions().size());
    std::iota(all.begin(), all.end(), 0);
    auto* remote = dynamic_cast<RemotePartitions*>(&snapshot);
    return remote == nullptr ? all : remote->withRows(all);
}

}  // namespace pelorus
