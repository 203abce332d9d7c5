#include "storage/table/local_table.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/stored_transaction.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/maintenance.h"
#include "storage/version/version_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"

namespace pelorus {

namespace {

// A snapshot that keeps the chunk list, and by its Pin all versions that it needs. If every chunk has rows and none
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

// A snapshot with rows of a transaction that are not stored yet: each partition of them has a version of its own, which
// has them as the newest run in memory.
class SnapshotWithRows final : public TableSnapshot {
public:
    // `seen` is a snapshot of the table, `chunks` the rows in the form in which they are stored.
    SnapshotWithRows(std::shared_ptr<TableSnapshot> seen, std::vector<ChunkRows> chunks, const LocalStorage& storage,
                     const TableEntry& table, const std::string& pathPrefix)
        : seen_(std::move(seen)), schema_(table.storedSchema()), rule_(sortRuleOf(table)) {
        const std::vector<PartitionEntry>& before = seen_->partitions();
        for (size_t p = 0; p < before.size(); ++p) parts_.push_back({before[p], p, nullptr});
        for (ChunkRows& chunk : chunks) {
            const std::string path = pathPrefix + chunk.path;
            auto part =
                std::find_if(parts_.begin(), parts_.end(), [&](const Part& each) { return each.entry.path == path; });
            if (part == parts_.end()) part = parts_.insert(part, {{path, chunk.index, ""}, 0, nullptr});
            const uint64_t id = storage.versions().find(table.id, chunk.path);
            const ChunkVersionRef stored = id == 0 ? nullptr : storage.versions().version(id, seen_->number());
            auto version = stored ? std::make_shared<ChunkVersion>(*stored) : std::make_shared<ChunkVersion>();
            version->rowCount += chunk.rows->rowCount();
            version->parts.push_back({nullptr, chunk.rows, chunk.rows->rowCount(), 0});
            part->version = std::move(version);
        }
        std::stable_sort(parts_.begin(), parts_.end(),
                         [](const Part& a, const Part& b) { return a.entry.index < b.entry.index; });
        for (const Part& part : parts_) entries_.push_back(part.entry);
    }

    uint64_t number() const override { return seen_->number(); }
    const std::vector<PartitionEntry>& partitions() const override { return entries_; }
    bool isInSchemeOrder() const override { return true; }
    std::unique_ptr<PartitionReader> open(size_t partition) const override {
        const Part& part = parts_[partition];
        return part.version ? makeChunkReader(part.version, schema_, rule_) : seen_->open(part.position);
    }

private:
    struct Part {
        PartitionEntry entry;
        size_t position;          // in `seen_`, where there is no version
        ChunkVersionRef version;  // null: that of `seen_`
    };
    const std::shared_ptr<TableSnapshot> seen_;
    const TableSchema schema_;
    const SortRule rule_;
    std::vector<Part> parts_;
    std::vector<PartitionEntry> entries_;
};

}  // namespace

LocalTable::LocalTable(std::shared_ptr<LocalStorage> storage, DatabaseEntry database, TableEntry entry,
                       OutsideRules rules)
    : CatalogTable(storage->catalog(), std::move(database), std::move(entry), rules), storage_(std::move(storage)) {}

bool LocalTable::appendChunks(std::vector<TableChunks> parts, Transaction* with) {
    std::vector<ChunkRows> chunks = std::move(parts[0].chunks);
    for (size_t i = 1; i < parts.size(); ++i)
        chunks.insert(chunks.end(), parts[i].chunks.begin(), parts[i].chunks.end());
    if (with == nullptr) {
        storage_->commits().append(std::move(chunks));
        return true;
    }
    if (with->clock() != clock())
        throw UserError("<NotSupported>A transaction changes tables of one data folder.", "Commit between them.");
    const bool isPressed = dynamic_cast<StoredTransaction&>(*with).commitWith(std::move(chunks));
    if (isPressed) storage_->maintenance().notePressure();
    return true;
}

// Rows that were added since are no conflict: the caller tries again. Another update or delete is.
bool LocalTable::replaceChunks(std::vector<ReplacedChunk> chunks, const TableSnapshot& seen, const TableEntry&) {
    std::vector<std::string> paths;
    std::vector<ChunkRows> rows;
    for (ReplacedChunk& chunk : chunks) {
        paths.push_back(chunk.rows.path);
        rows.push_back(std::move(chunk.rows));
    }
    const uint64_t since = seen.number();
    if (storage_->commits().replace(std::move(rows), since)) return true;
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

std::shared_ptr<TableSnapshot> LocalTable::withRows(std::shared_ptr<TableSnapshot> snapshot,
                                                    const MemoryTable& rows) const {
    return std::make_shared<SnapshotWithRows>(std::move(snapshot), storedForm(rows), *storage_, entry(),
                                              partitionPath(""));
}

}  // namespace pelorus
