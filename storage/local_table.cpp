#include "storage/local_table.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/kernel/cast.h"

namespace pelorus {

namespace {

// Holds the chunk list, and by its Pin all versions that it needs.
class LocalSnapshot final : public TableSnapshot {
public:
    LocalSnapshot(std::shared_ptr<LocalStorage> storage, const TableEntry& table, const std::string& database,
                  uint64_t number)
        : storage_(std::move(storage)), pin_(storage_->versions(), number), schema_(table.schema) {
        for (const auto& identity : *storage_->versions().chunks(table.id)) {
            ChunkVersionRef version = storage_->versions().version(identity->id, pin_.number());
            if (!version || version->rowCount == 0) continue;
            partitions_.push_back({partitionPath(database, identity->path), identity->index, ""});
            versions_.push_back(std::move(version));
        }
    }

    uint64_t number() const override { return pin_.number(); }
    const std::vector<PartitionEntry>& partitions() const override { return partitions_; }
    std::unique_ptr<PartitionReader> open(size_t partition) const override {
        return makeChunkReader(versions_[partition], schema_);
    }

private:
    // "dfs://TAQ" and "/20070801/A_D" give "/TAQ/20070801/A_D".
    static std::string partitionPath(const std::string& database, const std::string& path) {
        const size_t scheme = database.find("://");
        return "/" + (scheme == std::string::npos ? database : database.substr(scheme + 3)) + path;
    }

    const std::shared_ptr<LocalStorage> storage_;
    const VersionSet::Pin pin_;
    const TableSchema schema_;
    std::vector<PartitionEntry> partitions_;
    std::vector<ChunkVersionRef> versions_;
};

}  // namespace

LocalTable::LocalTable(std::shared_ptr<LocalStorage> storage, DatabaseEntry database, TableEntry entry, OutsideRules rules)
    : storage_(std::move(storage)), database_(std::move(database)), entry_(std::move(entry)), rules_(rules) {
    name = entry_.name;
    schemes_.push_back(entry_.partitionColumns.empty() ? PartitionScheme() : database_.scheme);
    schemeRevision_ = database_.revision;
    scheme_ = &schemes_.back();
}

// The database may have got new partitions since the handle was opened. True when there is a newer scheme now.
bool LocalTable::takeNewerScheme() {
    if (entry_.partitionColumns.empty()) return false;
    DatabaseEntry now = storage_->catalog().database(database_.path);
    const std::lock_guard guard(schemeMutex_);
    if (now.revision <= schemeRevision_) return false;
    schemes_.push_back(std::move(now.scheme));
    schemeRevision_ = now.revision;
    scheme_.store(&schemes_.back(), std::memory_order_release);
    return true;
}

void LocalTable::checkExists() const {
    const std::optional<TableEntry> now = storage_->catalog().findTable(entry_.database, entry_.name);
    if (now && now->id == entry_.id) return;
    throw UserError("The table " + entry_.name + " of " + entry_.database + " has been dropped.",
                    "Open the table again with loadTable.");
}

int64_t LocalTable::rowCount() const {
    const VersionSet::Pin pin(storage_->versions(), 0);
    int64_t rows = 0;
    for (const auto& identity : *storage_->versions().chunks(entry_.id)) {
        const ChunkVersionRef version = storage_->versions().version(identity->id, pin.number());
        if (version) rows += version->rowCount;
    }
    return rows;
}

std::shared_ptr<TableSnapshot> LocalTable::snapshot(uint64_t number) const {
    checkExists();
    if (number != 0) storage_->serve(number);
    return std::make_shared<LocalSnapshot>(storage_, entry_, database_.path, number);
}

AppendReport LocalTable::append(const MemoryTable& given) {
    checkExists();
    if (given.columnCount() != columnCount()) {
        throw UserError(fmt::format("The number of columns of the table to insert must be {}, but it is {}.", columnCount(),
                                    given.columnCount()),
                        "Columns go by position; schema(table) shows them.");
    }
    // The names are the table's, whatever the rows call them; types are as good as the table's already or become so here.
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (int c = 0; c < columnCount(); ++c) {
        const ColumnSchema& column = entry_.schema[static_cast<size_t>(c)];
        names.push_back(column.name);
        columns.push_back(castForStorage(given.column(c), column.type, column.name, column.scale));
    }
    const MemoryTable rows(std::move(names), std::move(columns));
    const bool listNewValues = rules_.newValues != OutsidePolicy::Skip;
    PartitionedRows cut = cutByPartition(rows, entry_, scheme(), listNewValues);
    if (cut.report.outsideScheme > 0 && takeNewerScheme()) cut = cutByPartition(rows, entry_, scheme(), listNewValues);
    if (!cut.newValues.empty()) {
        if (rules_.newValues == OutsidePolicy::Fail) {
            throw UserError("A row has no partition: " + cut.report.firstOutside + " (S01016).",
                            "Add its value with addValuePartitions, or set newValuePartitionPolicy to add.");
        }
        addValues(cut.newValues);
        cut = cutByPartition(rows, entry_, scheme(), false);
    }
    if (cut.report.outsideScheme > 0 && !rules_.allowMissing) {
        throw UserError(fmt::format("{} row(s) have no partition, the first is {} (S01016). Nothing was written.",
                                    cut.report.outsideScheme, cut.report.firstOutside),
                        "Extend the partition scheme, or set allowMissingPartitions to true to drop such rows.");
    }
    storage_->append(std::move(cut.chunks));
    return cut.report;
}

void LocalTable::addValues(const std::vector<std::pair<size_t, Value>>& values) {
    for (;;) {
        DatabaseEntry grown = storage_->catalog().database(database_.path);
        for (const auto& [level, value] : values) grown.scheme.mutableLevels()[level].extend(value);
        try {
            storage_->catalog().updateDatabase(grown);
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;
            continue;  // another append added values at the same time
        }
        takeNewerScheme();
        return;
    }
}

}  // namespace pelorus
