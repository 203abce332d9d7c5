// Implements runtime/table/table.h for row tables on this node.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/append/row_access.h"
#include "storage/table/local_table.h"

namespace pelorus {

class RowPart;
class RowStatement;
struct RowShape;
struct RowView;

// A handle of a row table, whose storage it keeps open. It has one partition. Its snapshots have the numbers of those
// of column tables, so a query sees one state of both. Thread-safe.
class RowTable final : public CatalogTable, public RowAccess {
public:
    RowTable(std::shared_ptr<LocalStorage> storage, DatabaseEntry database, TableEntry entry);

    int64_t rowCount() const override;
    std::shared_ptr<TableSnapshot> takeSnapshot(uint64_t number = 0) const override;
    const void* clock() const override { return storage_.get(); }
    // Upserts by the primary key, or the unique index of the given key columns. Throws UserError when there is none.
    UpsertReport upsert(const MemoryTable& rows, const UpsertRule& rule) override;
    void retypeColumn(const std::string& name, Type type) override;

    std::shared_ptr<TableSnapshot> takeSnapshotIn(Transaction& transaction) const override;
    std::unique_ptr<Transaction> beginTransaction() const override;
    void showEmptyTexts() override { showsEmptyTexts_ = true; }
    // Makes changes of rows through this handle throw UserError (<DefinitionChanged>), and change nothing, when the
    // definition of the table is no longer that of the revision: what was computed by it knows nothing of a new column.
    void requireRevision(uint64_t revision) { requiredRevision_ = revision; }
    Rows rowsToChange(const std::vector<ColumnConstraint>& constraints,
                      Transaction* transaction = nullptr) const override;
    LockedRows lockRows(const Rows& seen, const std::vector<int32_t>& positions, RowLockStrength strength,
                        RowLockPolicy policy, Transaction& transaction, int64_t limit = INT64_MAX) override;
    void lockTable(int mode, bool waits, Transaction& transaction) override;
    bool changeRows(const Rows& seen, const RowUpdate& update, Transaction* transaction = nullptr) override;
    void insertRows(const MemoryTable& rows, Transaction& transaction) override;
    std::vector<int32_t> insertNew(const MemoryTable& rows, const std::vector<std::string>& keyColumns,
                                   Transaction* transaction = nullptr) override;
    Conflicts findConflicts(const MemoryTable& rows, const std::vector<std::string>& keyColumns,
                            Transaction& transaction) const override;
    bool insertAndChange(const NewRows& inserted, const Rows& seen, const RowUpdate& update,
                         Transaction& transaction) override;
    void createIndex(const std::string& indexName, const std::vector<std::string>& columnNames, bool isUnique) override;

    // Throws ConstraintError, and changes nothing, when rows that are there do not satisfy what is new.
    void changeDefinition(const std::function<void(TableEntry& table)>& change) override;
    // Does so, and gives the rows that are there values in columns that the change adds: `fill` returns these by the
    // names of the columns, one a row. A crash leaves all of it or nothing.
    using FillColumns = std::function<std::vector<std::pair<std::string, Value>>(int64_t rows)>;
    void changeDefinition(const std::function<void(TableEntry& table)>& change, const FillColumns& fill);

    // Returns what is wrong between pages and indexes; empty when nothing is.
    std::vector<std::string> check() const;

private:
    friend class ReferenceQueue;

    bool appendChunks(std::vector<TableChunks> parts, Transaction* with) override;
    bool replaceChunks(std::vector<ReplacedChunk> chunks, const TableSnapshot& seen, const TableEntry& entry) override;

    enum class Purpose { Lock, Change, Define };
    std::unique_ptr<RowStatement> begin(Transaction* given, Purpose purpose) const;
    void requireOwn(const Transaction* transaction) const;
    std::shared_ptr<TableSnapshot> snapshotIn(std::shared_ptr<void> held, uint64_t pinned, const RowView& view) const;
    void requireReferredKeys(const TableEntry& wanted) const;
    void insertAll(RowStatement& statement, const MemoryTable& rows) const;
    bool changeLocked(RowStatement& statement, const Rows& seen, const RowUpdate& update, uint64_t number) const;
    void fillColumns(const TableEntry& wanted, const std::vector<uint64_t>& rows,
                     const std::vector<std::pair<std::string, Value>>& filled);
    Ref<MemoryTable> shown(Ref<MemoryTable> rows) const;
    std::shared_ptr<const RowShape> shape() const LOCKS_EXCLUDED(shapeMutex_);

    const std::shared_ptr<LocalStorage> storage_;
    bool showsEmptyTexts_ = false;               // set before the handle is used
    std::atomic<uint64_t> requiredRevision_{0};  // 0: any; one for all runs that share the handle
    mutable Mutex shapeMutex_;
    mutable std::shared_ptr<const RowShape> shape_ GUARDED_BY(shapeMutex_);  // of the entry when it was made
};

}  // namespace pelorus
