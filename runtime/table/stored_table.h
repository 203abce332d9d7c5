// A table of a database that can do more than be read and appended to: its columns change, rows replace others by key.
#pragma once

#include <string>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

class StoredTable {
public:
    virtual ~StoredTable() = default;

    // Tables of one clock show one state of all of them in snapshots of one number. nullptr: the table has a separate
    // clock.
    virtual const void* clock() const { return nullptr; }
    // atomic='CHUNK' (TXN-06): each partition of an update or delete is a transaction of its own, tried again when
    // another came first. Else all are one, and one that meets another update or delete fails.
    virtual bool commitsByPartition() const { return false; }

    // Columns are changed in the catalog only: no row is written again. The handle sees the new columns at once, other
    // handles when they are opened again. Throw UserError when a column exists, is missing, or is of the partition
    // scheme or the order of the table.
    virtual void addColumns(const TableSchema& columns) = 0;
    virtual void dropColumn(const std::string& name) = 0;
    virtual void renameColumn(const std::string& name, const std::string& newName) = 0;
    // Rows from before are converted when they are read; what does not fit the new type is NULL.
    virtual void retypeColumn(const std::string& name, Type type) = 0;
    // The named columns come first, in that order.
    virtual void reorderColumns(const std::vector<std::string>& names) = 0;

    // Upserts as MemoryTable::upsert does, partition by partition; the partition columns belong to the key. With
    // `sortColumns` the partitions that changed are sorted by these.
    struct UpsertRule {
        std::vector<std::string> keyColumns;
        std::vector<std::string> sortColumns;
        bool ignoreNull = false;
    };
    virtual UpsertReport upsert(const MemoryTable& rows, const UpsertRule& rule) = 0;

    // Replaces rows as PartitionedTable::replace does, when partition columns changed: each row goes to the partition
    // that it belongs to now. Throws UserError when no partition takes one, or where rows that meet there may replace
    // each other (CHG-02).
    virtual bool replaceAndMove(const TableSnapshot& seen,
                                const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) = 0;
};

// All rows of a partition.
Ref<MemoryTable> readRows(const PartitionReader& reader, const TableSchema& schema);

}  // namespace pelorus
