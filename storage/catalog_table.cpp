#include <fmt/format.h>

#include "common/error.h"
#include "runtime/kernel/cast.h"
#include "storage/local_table.h"
#include "storage/sort_rule.h"

namespace pelorus {

CatalogTable::CatalogTable(Catalog& catalog, DatabaseEntry database, TableEntry entry, OutsideRules rules)
    : catalog_(catalog), database_(std::move(database)), entry_(std::move(entry)), rules_(rules) {
    name = entry_.name;
    schemes_.push_back(entry_.partitionColumns.empty() ? PartitionScheme() : database_.scheme);
    schemeRevision_ = database_.revision;
    scheme_ = &schemes_.back();
}

std::string CatalogTable::partitionPath(const std::string& chunkPath) const {
    const size_t scheme = database_.path.find("://");
    return "/" + (scheme == std::string::npos ? database_.path : database_.path.substr(scheme + 3)) + chunkPath;
}

// The database may have got new partitions since the handle was opened. True when there is a newer scheme now.
bool CatalogTable::takeNewerScheme() {
    if (entry_.partitionColumns.empty()) return false;
    DatabaseEntry now = catalog_.database(database_.path);
    const std::lock_guard guard(schemeMutex_);
    if (now.revision <= schemeRevision_) return false;
    schemes_.push_back(std::move(now.scheme));
    schemeRevision_ = now.revision;
    scheme_.store(&schemes_.back(), std::memory_order_release);
    return true;
}

void CatalogTable::checkExists() const {
    const std::optional<TableEntry> now = catalog_.findTable(entry_.database, entry_.name);
    if (now && now->id == entry_.id) return;
    throw UserError("The table " + entry_.name + " of " + entry_.database + " has been dropped.",
                    "Open the table again with loadTable.");
}

Ref<MemoryTable> CatalogTable::withOwnColumns(const MemoryTable& given) const {
    if (given.columnCount() != columnCount()) {
        throw UserError(fmt::format("The number of columns of the table to insert must be {}, but it is {}.",
                                    columnCount(), given.columnCount()),
                        "Columns go by position; schema(table) shows them.");
    }
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (int c = 0; c < columnCount(); ++c) {
        const ColumnSchema& column = entry_.schema[static_cast<size_t>(c)];
        names.push_back(column.name);
        columns.push_back(castForStorage(given.column(c), column.type, column.name, column.scale));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

AppendReport CatalogTable::append(const MemoryTable& given) {
    checkExists();
    const Ref<MemoryTable> converted = withOwnColumns(given);
    const MemoryTable& rows = *converted;
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
    if (const SortRule rule = sortRuleOf(entry_); rule.isOrdered()) {
        for (ChunkRows& chunk : cut.chunks) chunk.rows = ordered(std::move(chunk.rows), rule);
    }
    store(std::move(cut.chunks));
    return cut.report;
}

void CatalogTable::addValues(const std::vector<std::pair<size_t, Value>>& values) {
    for (;;) {
        DatabaseEntry grown = catalog_.database(database_.path);
        for (const auto& [level, value] : values) grown.scheme.mutableLevels()[level].extend(value);
        try {
            catalog_.updateDatabase(grown);
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;
            continue;  // another append added values at the same time
        }
        takeNewerScheme();
        return;
    }
}

}  // namespace pelorus
