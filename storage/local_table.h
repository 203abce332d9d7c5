// A partitioned table on this node's disk: runtime/table.h over LocalStorage.
//
// Thread-safe. A handle refers to its table by id: after dropTable its calls fail with UserError, also when a table of the
// same name was created since.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "runtime/table.h"
#include "storage/catalog.h"
#include "storage/local_storage.h"

namespace pelorus {

// What append does with rows that no partition takes (PAR-11).
enum class OutsidePolicy { Skip, Fail, Add };

struct OutsideRules {
    OutsidePolicy newValues = OutsidePolicy::Skip;  // of VALUE levels: newValuePartitionPolicy
    bool allowMissing = true;                       // of the others: allowMissingPartitions
};

class LocalTable final : public PartitionedTable {
public:
    LocalTable(std::shared_ptr<LocalStorage> storage, DatabaseEntry database, TableEntry entry, OutsideRules rules = {});

    const TableSchema& columns() const override { return entry_.schema; }
    int64_t rowCount() const override;
    const std::string& databasePath() const override { return database_.path; }
    // Grows with the database; what was returned before stays valid with the handle.
    const PartitionScheme& scheme() const override { return *scheme_.load(std::memory_order_acquire); }
    const std::vector<std::string>& partitionColumns() const override { return entry_.partitionColumns; }
    std::shared_ptr<TableSnapshot> snapshot(uint64_t number = 0) const override;
    AppendReport append(const MemoryTable& rows) override;

    const TableEntry& entry() const { return entry_; }
    const DatabaseEntry& database() const { return database_; }
    LocalStorage& storage() const { return *storage_; }

private:
    void checkExists() const;
    void addValues(const std::vector<std::pair<size_t, Value>>& values);
    bool takeNewerScheme();

    const std::shared_ptr<LocalStorage> storage_;
    const DatabaseEntry database_;
    const TableEntry entry_;
    const OutsideRules rules_;

    std::mutex schemeMutex_;
    std::deque<PartitionScheme> schemes_;  // guarded by schemeMutex_; of a dimension table: no levels, one partition "/"
    uint64_t schemeRevision_ = 0;          // guarded by schemeMutex_
    std::atomic<const PartitionScheme*> scheme_{nullptr};
};

// Rows cut by partition: what a transaction over chunks is made of. A scheme without levels puts all into "/".
struct PartitionedRows {
    std::vector<ChunkRows> chunks;
    AppendReport report;
    std::vector<std::pair<size_t, Value>> newValues;  // level and value, of rows outside VALUE levels; distinct
};
PartitionedRows cutByPartition(const MemoryTable& rows, const TableEntry& table, const PartitionScheme& scheme,
                               bool listNewValues);

// One chunk version as a reader; the version and its files live as long as it.
std::unique_ptr<PartitionReader> makeChunkReader(ChunkVersionRef version, const TableSchema& schema);

}  // namespace pelorus
