// A table of a database that can do more than be read and appended to: its columns change, rows replace others by key.
#pragma once

#include <string>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

class Transaction;

// The rows to append to one table.
struct RowsOfTable {
    Ref<PartitionedTable> table;
    Ref<MemoryTable> rows;
};

class StoredTable {
public:
    virtual ~StoredTable() = default;

    // Tables of one clock show one state of all of them in snapshots of one number. nullptr: the table has a separate
    // clock.
    virtual const void* clock() const { return nullptr; }
    // Returns a snapshot for a statement of the transaction, whose clock is this table's: rows that it has changed
    // itself are seen in it. Checks no right.
    virtual std::shared_ptr<TableSnapshot> takeSnapshotIn(Transaction& transaction) const = 0;
    // Returns the snapshot, which is one of this table, with these rows of its columns as if they were stored. Throws
    // UserError (<NotSupported>) where the table cannot show them.
    virtual std::shared_ptr<TableSnapshot> withRows(std::shared_ptr<TableSnapshot> snapshot,
                                                    const MemoryTable& rows) const = 0;
    // Stores rows of several tables of this one's catalog by one commit: all are durable and visible when it returns,
    // none when it throws. They become part of `with`, unless it is null, which has ended then.
    virtual void appendTogether(const std::vector<RowsOfTable>& parts, Transaction* with) = 0;
    // Returns whether the other is a handle of the same table.
    virtual bool isSameTable(const StoredTable& other) const = 0;
    // Returns true for atomic='CHUNK': each partition of an update or delete is a separate transaction, retried after a
    // conflict. Otherwise all are one, which fails on a conflict with another update or delete.
    virtual bool commitsByPartition() const { return false; }

    // Column changes affect the catalog only: no row is rewritten. The handle sees the new columns at once, other
    // handles when they are opened again. Throws UserError when a column exists, is missing, or is of the partition
    // scheme or the order of the table.
    virtual void addColumns(const TableSchema& columns) = 0;
    virtual void dropColumn(const std::string& name) = 0;
    virtual void renameColumn(const std::string& name, const std::string& newName) = 0;
    // Changes the type of a column. Existing rows are converted when they are read; values that do not fit the new type
    // are NULL.
    virtual void retypeColumn(const std::string& name, Type type) = 0;
    // Moves the named columns to the front, in that order.
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
    // each other.
    virtual bool replaceAndMove(const TableSnapshot& seen,
                                const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) = 0;
};

// Returns all rows of a partition.
Ref<MemoryTable> readRows(const PartitionReader& reader, const TableSchema& schema);

}  // namespace pelorus
