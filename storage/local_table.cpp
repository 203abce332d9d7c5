#include "storage/local_table.h"

#include <functional>

namespace pelorus {

namespace {

// Holds the chunk list, and by its Pin all versions that it needs.
class LocalSnapshot final : public TableSnapshot {
public:
    using PathOf = std::function<std::string(const std::string& chunkPath)>;
    LocalSnapshot(std::shared_ptr<LocalStorage> storage, const TableEntry& table, const PathOf& pathOf, uint64_t number)
        : storage_(std::move(storage)),
          pin_(storage_->versions(), number),
          schema_(table.schema),
          rule_(sortRuleOf(table)) {
        const auto chunks =
            storage_->versions().chunks(table.id);  // held while it is walked: a commit may replace the list
        for (const auto& identity : *chunks) {
            ChunkVersionRef version = storage_->versions().version(identity->id, pin_.number());
            if (!version || version->rowCount == 0) continue;
            partitions_.push_back({pathOf(identity->path), identity->index, ""});
            chunkPaths_.push_back(identity->path);
            versions_.push_back(std::move(version));
        }
    }

    uint64_t number() const override { return pin_.number(); }
    // Of a partition, within the table.
    const std::string& chunkPath(size_t partition) const { return chunkPaths_[partition]; }
    const std::vector<PartitionEntry>& partitions() const override { return partitions_; }
    std::unique_ptr<PartitionReader> open(size_t partition) const override {
        return makeChunkReader(versions_[partition], schema_, rule_);
    }

private:
    const std::shared_ptr<LocalStorage> storage_;
    const VersionSet::Pin pin_;
    const TableSchema schema_;
    const SortRule rule_;
    std::vector<PartitionEntry> partitions_;
    std::vector<std::string> chunkPaths_;
    std::vector<ChunkVersionRef> versions_;
};

}  // namespace

LocalTable::LocalTable(std::shared_ptr<LocalStorage> storage, DatabaseEntry database, TableEntry entry,
                       OutsideRules rules)
    : CatalogTable(storage->catalog(), std::move(database), std::move(entry), rules), storage_(std::move(storage)) {}

bool LocalTable::replace(const TableSnapshot& seen,
                         const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) {
    checkExists();
    const auto& snapshot = dynamic_cast<const LocalSnapshot&>(seen);
    std::vector<ChunkRows> chunks;
    for (const auto& [position, rows] : partitions) {
        chunks.push_back(
            {entry().id, snapshot.chunkPath(position), snapshot.partitions()[position].index, withOwnColumns(*rows)});
    }
    return storage_->replace(std::move(chunks), snapshot.number());
}

int64_t LocalTable::rowCount() const {
    const VersionSet::Pin pin(storage_->versions(), 0);
    const SortRule rule = sortRuleOf(entry());
    int64_t rows = 0;
    const auto chunks =
        storage_->versions().chunks(entry().id);  // held while it is walked: a commit may replace the list
    for (const auto& identity : *chunks) {
        const ChunkVersionRef version = storage_->versions().version(identity->id, pin.number());
        if (version) rows += countRows(version, entry().schema, rule);
    }
    return rows;
}

std::shared_ptr<TableSnapshot> LocalTable::snapshot(uint64_t number) const {
    checkExists();
    if (number != 0) storage_->serve(number);
    return std::make_shared<LocalSnapshot>(
        storage_, entry(), [this](const std::string& path) { return partitionPath(path); }, number);
}

}  // namespace pelorus
