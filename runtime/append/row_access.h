// A table whose rows are changed one by one, rather than partition by partition.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/append/column_constraint.h"
#include "runtime/append/table_transaction.h"
#include "runtime/table/table.h"

namespace pelorus {

// The rows of a row table, for statements that change some of them. A statement reads rows as of its snapshot, computes
// what it changes while it holds no latch, locks the rows, computes again what others have changed meanwhile, and
// applies it. Without a `transaction` a call is one of its own.
class RowAccess {
public:
    virtual ~RowAccess() = default;

    // Makes this handle show '' of text columns as kEmptyText. Without it '' is NULL, as the language has it: what
    // reads as NULL and is changed to NULL stays '' then. What is written is '' where it is kEmptyText either way.
    virtual void showEmptyTexts() = 0;

    // Begins a transaction for one statement. May return null where calls need none.
    virtual std::unique_ptr<Transaction> beginTransaction() const = 0;

    // Rows as of a snapshot.
    struct Rows {
        Ref<MemoryTable> rows;      // all columns
        std::vector<uint64_t> ids;  // one per row
        std::shared_ptr<TableSnapshot> snapshot;
    };
    // Returns all rows that satisfy the constraints, perhaps others, too, in the order of the table. An index is used
    // where one fits. Checks no right.
    virtual Rows rowsToChange(const std::vector<ColumnConstraint>& constraints,
                              Transaction* transaction = nullptr) const = 0;

    // What has become of rows that a statement wanted to lock.
    struct LockedRows {
        std::vector<int32_t> kept;  // positions of those that are as they were seen
        Rows renewed;               // those that others have changed since, as they are now
        size_t visited = 0;         // number of positions that were looked at
    };
    // Locks the rows at `positions`, in this order, and stops when `limit` rows are locked. Rows that are gone are left
    // out, those that others have locked where the policy says so. Throws UserError: <LockNotAvailable>, <Deadlock>,
    // and <ConcurrentChange> for a changed row in a transaction of repeatable read. REQUIRES: the rows were seen in the
    // transaction.
    virtual LockedRows lockRows(const Rows& seen, const std::vector<int32_t>& positions, RowLockStrength strength,
                                RowLockPolicy policy, Transaction& transaction, int64_t limit = INT64_MAX) = 0;

    // Locks the table until the end of the transaction. `mode` counts PostgreSQL's modes: 1 for access share to 8 for
    // access exclusive. Throws as lockRows does.
    virtual void lockTable(int mode, bool waits, Transaction& transaction) = 0;

    // A change of rows: those at `positions` are erased, or get the values at the same positions of `columns`, which
    // are those of the table of these numbers.
    struct RowUpdate {
        std::vector<int32_t> positions;
        bool erases = false;
        std::vector<std::pair<int, Value>> columns;
    };
    // Applies the change; without a transaction it is durable and visible when this returns. Returns false, and changes
    // nothing, when the table has other columns now, or one of the rows has changed since: read them again. Throws
    // UserError, <DuplicateKey> or <NullInRequired>, when a constraint refuses it, and as lockRows does. REQUIRES: in a
    // transaction, that it has locked the rows.
    virtual bool changeRows(const Rows& seen, const RowUpdate& update, Transaction* transaction = nullptr) = 0;

    // Inserts the rows, which have the table's columns. Throws as changeRows does. Checks no right.
    virtual void insertRows(const MemoryTable& rows, Transaction& transaction) = 0;
    // Inserts the rows, which have the table's columns, whose key no row has, and returns their positions. The key is
    // that of the unique index of these columns; without columns, of each unique index. Throws UserError when there is
    // no such index (<NoSuchKey>), or another constraint refuses a row, also one that is left out. Checks no right.
    virtual std::vector<int32_t> insertNew(const MemoryTable& rows, const std::vector<std::string>& keyColumns,
                                           Transaction* transaction = nullptr) = 0;

    // Which rows of the table have the keys of given rows.
    struct Conflicts {
        Rows there;                    // rows of the table, as they are now, locked
        std::vector<int32_t> of;       // of each given row: the position in `there` of the one with its key; -1: none
        std::vector<int32_t> earlier;  // of each given row: the first given row with its key, itself where it is that
        // The first given row that a constraint refuses, whether its key is there or not, and the error; -1: none.
        int32_t refused = -1;
        std::exception_ptr error = nullptr;
    };
    // Looks for the keys of rows, which have the table's columns, in the unique index of these columns, and locks the
    // rows that have them. Throws UserError when there is no such index (<NoSuchKey>), and as lockRows does. Checks no
    // right.
    virtual Conflicts findConflicts(const MemoryTable& rows, const std::vector<std::string>& keyColumns,
                                    Transaction& transaction) const = 0;
    // Rows to insert: those at `positions` of `rows`; nobody has their keys in the unique index of these columns.
    struct NewRows {
        const MemoryTable& rows;
        std::vector<int32_t> positions;
        std::vector<std::string> keyColumns;
        // Of each row: how many of the changes come before it; none: all do.
        std::vector<int32_t> changesBefore = {};
        bool isTrial = false;  // put everything back at the end: only errors are of interest
    };
    // Inserts rows and changes those that findConflicts has locked. Returns false, and changes nothing, when the table
    // has other columns, or somebody has the key of a new one now: look for conflicts again. Throws as changeRows does.
    virtual bool insertAndChange(const NewRows& inserted, const Rows& seen, const RowUpdate& update,
                                 Transaction& transaction) = 0;

    // Makes an index of the rows that are there and of later ones. Throws UserError, and makes none, for an unknown
    // column, for a name that the table has (<DuplicateName>), and for a unique one when two rows have one key
    // (<DuplicateKey>). Checks no right.
    virtual void createIndex(const std::string& indexName, const std::vector<std::string>& columnNames,
                             bool isUnique) = 0;
};

}  // namespace pelorus
