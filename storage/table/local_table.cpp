#include "storage/table/local_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "common/error.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/table_keys.h"

namespace pelorus {

namespace {

// Snapshot that holds the chunk list, and by its Pin all versions that it needs. If every chunk has rows and none
// changed since, which is the common case, its cost is independent of their number.
class LocalSnapshot final : public TableSnapshot {
public:
    LocalSnapshot(std::shared_ptr<LocalStorage> storage, const TableEntry& table, const std::string& pathPrefix,
                  uint64_t number)
        : storage_(std::move(storage)),
          pin_(storage_->versions(), number),
          schema_(table.storedSchema()),
          rule_(sortRuleOf(table)) {
        const VersionSet& versions = storage_->versions();
        auto [chunks, allHaveRows] = versions.listing(table.id, pin_.number());
        chunks_ = std::move(chunks);
        entries_ = versions.entries(table.id, chunks_, pathPrefix);
        if (!allHaveRows) keepThoseWithRows();
    }

    uint64_t number() const override { return pin_.number(); }
    // Returns the path of a partition, within the table.
    const std::string& chunkPath(size_t partition) const { return (*chunks_)[partition]->path; }
    const std::vector<PartitionEntry>& partitions() const override { return *entries_; }
    bool isInSchemeOrder() const override { return true; }
    std::unique_ptr<PartitionReader> open(size_t partition) const override {
        return makeChunkReader(storage_->versions().version((*chunks_)[partition]->id, pin_.number()), schema_, rule_);
    }

private:
    void keepThoseWithRows() {
        auto chunks = std::make_shared<std::vector<std::shared_ptr<const ChunkIdentity>>>();
        auto entries = std::make_shared<std::vector<PartitionEntry>>();
        for (size_t i = 0; i < chunks_->size(); ++i) {
            const ChunkVersionRef version = storage_->versions().version((*chunks_)[i]->id, pin_.number());
            if (!version || version->rowCount == 0) continue;
            chunks->push_back((*chunks_)[i]);
            entries->push_back((*entries_)[i]);
        }
        chunks_ = std::move(chunks);
        entries_ = std::move(entries);
    }

    const std::shared_ptr<LocalStorage> storage_;
    const VersionSet::Pin pin_;
    const TableSchema schema_;
    const SortRule rule_;
    VersionSet::ChunkList chunks_;
    VersionSet::Entries entries_;
};

// Maps chunk paths to positions in the snapshot's list.
std::unordered_map<std::string, size_t> positionsOf(const LocalSnapshot& snapshot) {
    std::unordered_map<std::string, size_t> positions;
    for (size_t p = 0; p < snapshot.partitions().size(); ++p) positions.emplace(snapshot.chunkPath(p), p);
    return positions;
}

}  // namespace

LocalTable::LocalTable(std::shared_ptr<LocalStorage> storage, DatabaseEntry database, TableEntry entry,
                       OutsideRules rules)
    : CatalogTable(storage->catalog(), std::move(database), std::move(entry), rules), storage_(std::move(storage)) {}

void LocalTable::store(std::vector<TableChunks> parts) {
    std::vector<ChunkRows> chunks = std::move(parts[0].chunks);
    for (size_t i = 1; i < parts.size(); ++i)
        chunks.insert(chunks.end(), parts[i].chunks.begin(), parts[i].chunks.end());
    storage_->append(std::move(chunks));
}

bool LocalTable::replace(const TableSnapshot& seen,
                         const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) {
    checkExists();
    const auto& snapshot = dynamic_cast<const LocalSnapshot&>(seen);
    std::vector<ChunkRows> chunks;
    for (const auto& [position, rows] : partitions) {
        chunks.push_back(
            {entry().id, snapshot.chunkPath(position), snapshot.partitions()[position].index, withOwnColumns(*rows)});
    }
    return replaceChunks(std::move(chunks), snapshot.number());
}

// CHG-02. Every partition that loses or gains rows is written in one transaction: its remaining rows, then the new
// ones.
bool LocalTable::replaceAndMove(const TableSnapshot& seen,
                                const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) {
    checkExists();
    const SortRule rule = sortRuleOf(entry());
    if (rule.keep != SortRule::Keep::All) {
        throw UserError(fmt::format("The partition columns of {} can't be updated: rows with one key replace each "
                                    "other, and none shall be lost.",
                                    name),
                        "Delete the rows and append them with the new values.");
    }
    const auto& snapshot = dynamic_cast<const LocalSnapshot&>(seen);
    std::map<std::string, ChunkRows> changed;
    std::vector<ChunkRows> moved;
    for (const auto& [position, rows] : partitions) {
        const std::string& path = snapshot.chunkPath(position);
        changed[path] = {entry().id, path, snapshot.partitions()[position].index,
                         MemoryTable::empty(entry().storedSchema())};
        PartitionedRows cut = placed(*withOwnColumns(*rows));
        if (cut.report.outsideScheme > 0) {
            throw UserError(fmt::format("No partition takes {} of the updated rows; the first is {}. Nothing was "
                                        "written.",
                                        cut.report.outsideScheme, cut.report.firstOutside),
                            "Extend the partition scheme first.");
        }
        for (ChunkRows& chunk : cut.chunks) {
            if (chunk.path == path) {
                changed[path].rows = std::move(chunk.rows);
            } else {
                moved.push_back(std::move(chunk));
            }
        }
    }
    const std::unordered_map<std::string, size_t> positions = positionsOf(snapshot);
    for (const ChunkRows& chunk : moved) {
        auto [at, isNew] = changed.try_emplace(chunk.path, chunk);
        if (isNew) {
            const auto known = positions.find(chunk.path);
            at->second.rows = known == positions.end()
                                  ? MemoryTable::empty(entry().storedSchema())
                                  : withOwnColumns(*readRows(*snapshot.open(known->second), columns()));
        }
        at->second.rows = at->second.rows->copy();
        at->second.rows->append(*chunk.rows);
        if (rule.isOrdered()) at->second.rows = ordered(at->second.rows, rule);
    }
    std::vector<ChunkRows> chunks;
    for (auto& [path, chunk] : changed) chunks.push_back(std::move(chunk));
    return replaceChunks(std::move(chunks), snapshot.number());
}

// TXN-06, TXN-20: rows that were only added since are no conflict, the caller tries again; another update or delete is.
bool LocalTable::replaceChunks(std::vector<ChunkRows> chunks, uint64_t since) {
    std::vector<std::string> paths;
    for (const ChunkRows& chunk : chunks) paths.push_back(chunk.path);
    if (storage_->replace(std::move(chunks), since)) return true;
    if (commitsByPartition()) return false;
    const VersionSet& versions = storage_->versions();
    for (const std::string& path : paths) {
        const uint64_t chunk = versions.find(entry().id, path);
        const ChunkVersionRef before = chunk == 0 ? nullptr : versions.version(chunk, since);
        const ChunkVersionRef now = chunk == 0 ? nullptr : versions.newest(chunk);
        if (!before || (now && now->generation == before->generation)) continue;
        throw SystemError(fmt::format("<ChunkInTransaction>Another update or delete changed the partition {} of {} at "
                                      "the same time. Nothing of this one was written.",
                                      partitionPath(path), name),
                          "Run it again; in a database with atomic='CHUNK' that happens by itself.", true);
    }
    return false;
}

// A partition is read, changed and replaced; those that have no rows yet are made in the same transaction. When another
// client changed a partition meanwhile, all is repeated on its new state.
UpsertReport LocalTable::upsert(const MemoryTable& given, const UpsertRule& rule) {
    std::vector<std::string> key = rule.keyColumns;
    for (const std::string& name : partitionColumns()) {
        if (std::find(key.begin(), key.end(), name) == key.end()) key.push_back(name);
    }
    const auto checkColumns = [&](const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            if (findColumn(name) < 0) throw unknownColumn(name, columns());
        }
    };
    checkColumns(key);
    checkColumns(rule.sortColumns);
    for (;;) {
        const auto seen = takeSnapshot();
        const auto positions = positionsOf(dynamic_cast<const LocalSnapshot&>(*seen));
        PartitionedRows cut = placed(*withOwnColumns(given));
        UpsertReport report;
        std::vector<ChunkRows> changed;
        for (const ChunkRows& chunk : cut.chunks) {
            const auto at = positions.find(chunk.path);
            const bool isNew = at == positions.end();
            Ref<MemoryTable> rows =
                isNew ? MemoryTable::empty(columns()) : readRows(*seen->open(at->second), columns());
            TableKeys keys(key, "", false);
            const UpsertReport own = rows->upsert(*chunk.rows, keys, rule.ignoreNull);
            report.inserted += own.inserted;
            report.updated += own.updated;
            if (!isNew && !rule.sortColumns.empty()) {
                SortRule order;
                for (const std::string& name : rule.sortColumns) order.columns.push_back(findColumn(name));
                rows = ordered(std::move(rows), order);
            } else if (isNew && sortRuleOf(entry()).isOrdered()) {
                rows = ordered(std::move(rows), sortRuleOf(entry()));
            }
            changed.push_back({entry().id, chunk.path, chunk.index, withOwnColumns(*rows)});
        }
        if (replaceChunks(std::move(changed), seen->number())) return report;
    }
}

int64_t LocalTable::rowCount() const {
    const VersionSet::Pin pin(storage_->versions(), 0);
    const SortRule rule = sortRuleOf(entry());
    const TableSchema stored = entry().storedSchema();
    int64_t rows = 0;
    const auto chunks =
        storage_->versions().chunks(entry().id);  // held while it is walked: a commit may replace the list
    for (const auto& identity : *chunks) {
        const ChunkVersionRef version = storage_->versions().version(identity->id, pin.number());
        if (version) rows += countRows(version, stored, rule);
    }
    return rows;
}

std::shared_ptr<TableSnapshot> LocalTable::takeSnapshot(uint64_t number) const {
    std::shared_ptr<void> held = heldEntry(number == 0);
    return holding(std::move(held), std::make_shared<LocalSnapshot>(storage_, entry(), partitionPath(""), number));
}

}  // namespace pelorus
