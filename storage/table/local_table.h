// Implements runtime/table/table.h for the partitioned tables of the catalog, and over LocalStorage for those on this
// node's disk.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/table/stored_table.h"
#include "runtime/table/table.h"
#include "storage/catalog/catalog.h"
#include "storage/catalog/sort_rule.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/local_storage.h"
#include "storage/table/outside_rules.h"
#include "storage/version/version_set.h"

namespace pelorus {

class Transaction;
struct PartitionedRows;

// A handle of a table of the catalog whose rows are partitioned; derived classes store its chunks. It refers to the
// table by id: after dropTable its calls throw UserError, even when a table of the same name was created since. The
// catalog outlives it. Thread-safe.
class CatalogTable : public PartitionedTable, public StoredTable {
public:
    CatalogTable(Catalog& catalog, DatabaseEntry database, TableEntry entry, OutsideRules rules);

    const TableSchema& columns() const override { return entry().schema; }
    const std::string& databasePath() const override { return database_.path; }
    // Returns the scheme, which grows with the database; references returned before remain valid with the handle.
    const PartitionScheme& scheme() const override { return *scheme_.load(std::memory_order_acquire); }
    const std::vector<std::string>& partitionColumns() const override { return entry().partitionColumns; }
    std::string textIndexOf(int column) const override { return entry().textIndexOf(static_cast<size_t>(column)); }
    const PartitionFunction* partitionFunction(size_t level) const override {
        return functionOf(entry().partitionFunctions, level);
    }
    AppendReport append(const MemoryTable& rows) override;
    // It appends as `append` does, but a row without a partition is an error.
    void appendTogether(const std::vector<RowsOfTable>& parts, Transaction* with) override;
    bool isSameTable(const StoredTable& other) const override;
    SecuredObject secured() const override;
    SecuredObject securedDatabase() const override;

    void addColumns(const TableSchema& columns) override;
    void dropColumn(const std::string& name) override;
    void renameColumn(const std::string& name, const std::string& newName) override;
    void retypeColumn(const std::string& name, Type type) override;
    void reorderColumns(const std::vector<std::string>& names) override;
    // The following change the rows of a snapshot. `upsert` is repeated when they have changed meanwhile; the others
    // return false then.
    UpsertReport upsert(const MemoryTable& rows, const UpsertRule& rule) override;
    bool replace(const TableSnapshot& seen,
                 const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) override;
    bool replaceAndMove(const TableSnapshot& seen,
                        const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) override;
    bool commitsByPartition() const override { return database().atomic == "CHUNK"; }
    std::shared_ptr<TableSnapshot> takeSnapshotIn(Transaction& transaction) const override;
    std::shared_ptr<TableSnapshot> withRows(std::shared_ptr<TableSnapshot> snapshot,
                                            const MemoryTable& rows) const override;

    // Changes what the catalog says of the table beside its columns: defaults, constraints, indexes. `change` may be
    // called more than once. Throws what it throws.
    virtual void changeDefinition(const std::function<void(TableEntry& table)>& change) { changeEntry(change); }

    // Returns whether the catalog's entry is that of this handle still.
    bool isCurrent() const;
    // Reads the entry from the catalog: other handles, or other sessions, may have changed columns and comments.
    void takeNewerEntry() const;
    // Returns the current entry for this handle; references returned before remain valid with the handle.
    const TableEntry& entry() const { return *entry_.load(std::memory_order_acquire); }
    const DatabaseEntry& database() const { return database_; }

protected:
    // The rows of an append to a table.
    struct TableChunks {
        CatalogTable* table;
        TableEntry entry;  // entry by which the rows are bound
        std::vector<ChunkRows> chunks;
    };
    // Stores the chunks of all tables, this one among them, as one transaction, or, where it is not null, as the commit
    // of `with`. Returns false when one of the entries has changed: nothing is stored, and the caller binds the rows
    // anew.
    virtual bool appendChunks(std::vector<TableChunks> parts, Transaction* with) = 0;
    // The new rows of a partition, and its position in the snapshot that showed the old ones; none: it had no rows.
    struct ReplacedChunk {
        ChunkRows rows;
        std::optional<size_t> position;
    };
    // Replaces rows as one transaction. Returns false when they have changed since they were seen: nothing is stored.
    virtual bool replaceChunks(std::vector<ReplacedChunk> chunks, const TableSnapshot& seen,
                               const TableEntry& entry) = 0;
    // Returns the catalog's current entry. Throws UserError when the table was dropped since the handle was opened.
    TableEntry checkExists() const;
    // Returns an object that keeps the result of entry() unchanged while it lives: a query reads it more than once. If
    // no other such object lives and `newest` is set, the entry is first read from the catalog. Throws like
    // checkExists.
    std::shared_ptr<void> heldEntry(bool newest) const;
    // Changes the entry in the catalog, and reads it anew.
    void changeEntry(const std::function<void(TableEntry&)>& change);
    // Returns the snapshot in a pointer that keeps the entry unchanged, too.
    static std::shared_ptr<TableSnapshot> holding(std::shared_ptr<void> entry, std::shared_ptr<TableSnapshot> snapshot);
    // Returns rows with the types of the table and the names of its chunks; `newColumns` of the last columns may be
    // missing and are NULL then. Throws UserError when a column does not fit.
    Ref<MemoryTable> withOwnColumns(const MemoryTable& given, uint32_t newColumns = 0) const {
        return withColumnsOf(entry(), given, newColumns);
    }
    static Ref<MemoryTable> withColumnsOf(const TableEntry& table, const MemoryTable& given, uint32_t newColumns);
    // Returns the column with longer STRINGs and BLOBs than can be stored cut. Throws UserError for such a SYMBOL.
    static Value withinLimits(Value column, const std::string& name);
    // Returns the rows cut by partition; extends the scheme, or throws UserError, for rows outside of it, as the
    // settings say.
    PartitionedRows placed(const MemoryTable& rows);
    // Returns rows as they would be stored, cut by partition; those that no partition takes are left out.
    std::vector<ChunkRows> storedForm(const MemoryTable& rows) const;
    // Returns "/TAQ/20070801/A_D" for "dfs://TAQ" and "/20070801/A_D".
    std::string partitionPath(const std::string& chunkPath) const;

private:
    std::string chunkPathOf(const PartitionEntry& partition) const;
    std::unordered_map<std::string, size_t> positionsOf(const TableSnapshot& snapshot) const;

    AppendReport keep(const MemoryTable& given);
    struct Prepared;
    Prepared prepare(const MemoryTable& given);
    void finish(Prepared prepared);
    void addValues(const std::vector<std::pair<size_t, Value>>& values);
    bool takeNewerScheme();
    void appendedAllColumns(TableEntry now);

    Catalog& catalog_;
    const DatabaseEntry database_;
    const OutsideRules rules_;

    mutable Mutex entryMutex_;
    mutable std::deque<TableEntry> entries_ GUARDED_BY(entryMutex_);
    mutable std::atomic<const TableEntry*> entry_{nullptr};

    mutable Mutex holdersMutex_;  // orders steps: no reader becomes a holder while another takes a newer entry
    const std::shared_ptr<int> holders_ = std::make_shared<int>(0);  // one more reference for each holder of the entry

    Mutex schemeMutex_;
    // A dimension table has a scheme without levels: one partition "/".
    std::deque<PartitionScheme> schemes_ GUARDED_BY(schemeMutex_);
    uint64_t schemeRevision_ GUARDED_BY(schemeMutex_) = 0;
    std::atomic<const PartitionScheme*> scheme_{nullptr};
};

// A handle of a table on this node's disk, whose storage it keeps open. Thread-safe.
class LocalTable final : public CatalogTable {
public:
    LocalTable(std::shared_ptr<LocalStorage> storage, DatabaseEntry database, TableEntry entry,
               OutsideRules rules = {});

    int64_t rowCount() const override;
    std::shared_ptr<TableSnapshot> takeSnapshot(uint64_t number = 0) const override;
    LocalStorage& storage() const { return *storage_; }
    const void* clock() const override { return storage_.get(); }
    std::shared_ptr<TableSnapshot> withRows(std::shared_ptr<TableSnapshot> snapshot,
                                            const MemoryTable& rows) const override;

private:
    bool appendChunks(std::vector<TableChunks> parts, Transaction* with) override;
    bool replaceChunks(std::vector<ReplacedChunk> chunks, const TableSnapshot& seen, const TableEntry& entry) override;

    const std::shared_ptr<LocalStorage> storage_;
};

// The rows of an append, cut by partition. A plain value.
struct PartitionedRows {
    std::vector<ChunkRows> chunks;
    AppendReport report;
    std::vector<std::pair<size_t, Value>> newValues;  // level and value, of rows outside VALUE levels; distinct
};
// Cuts rows by partition; a scheme without levels puts all into "/". Rows that no partition takes are left out and
// counted in the report; `listNewValues`: the values that VALUE levels lack are listed, too.
PartitionedRows cutByPartition(const MemoryTable& rows, const TableEntry& table, const PartitionScheme& scheme,
                               bool listNewValues);

// Returns a reader of one chunk version, which keeps the version and its files alive; `version` may be null: no rows.
std::unique_ptr<PartitionReader> makeChunkReader(ChunkVersionRef version, const TableSchema& schema,
                                                 const SortRule& rule);
// Returns the number of rows that such a reader shows.
int64_t countRows(const ChunkVersionRef& version, const TableSchema& schema, const SortRule& rule);

}  // namespace pelorus
