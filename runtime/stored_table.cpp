#include "runtime/stored_table.h"

namespace pelorus {

Ref<MemoryTable> readRows(const PartitionReader& reader, const TableSchema& schema) {
    Ref<MemoryTable> rows = MemoryTable::empty(schema, reader.rowCount());
    for (int c = 0; c < static_cast<int>(schema.size()); ++c) {
        Vector& column = rows->mutableColumns()[static_cast<size_t>(c)].vector();
        for (int block = 0; block < reader.blockCount(); ++block) {
            column.append(*reader.read(block, c), 0, reader.blockRows(block));
        }
    }
    return rows;
}

}  // namespace pelorus
