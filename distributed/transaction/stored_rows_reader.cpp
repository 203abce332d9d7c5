#include "distributed/transaction/stored_rows_reader.h"

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/metadata/cluster_map.h"
#include "distributed/transaction/snapshot_pins.h"
#include "storage/catalog/catalog.h"
#include "storage/folder/local_storage.h"
#include "storage/table/local_table.h"
#include "storage/version/version_set.h"

namespace pelorus {

// Returns the version of a chunk in a snapshot; null where it has none.
static ChunkVersionRef versionAt(const VersionSet& versions, uint64_t table, const std::string& path,
                                 uint64_t snapshot) {
    const uint64_t chunk = versions.find(table, path, snapshot);
    return chunk == 0 ? nullptr : versions.version(chunk, snapshot);
}

std::vector<int64_t> StoredRowsReader::rowCounts(uint64_t query, uint64_t revision, uint64_t table,
                                                 const std::vector<std::string>& paths) const {
    const uint64_t snapshot = pins_.snapshot(query);
    const std::string& self = cluster_.self().alias;
    if (const auto left = map_.firstNotKept(self, revision, table, paths))
        throw SystemError("The partition " + *left + " had left the node " + self + ".", "Run the query again.", true);
    std::vector<int64_t> counts;
    for (const std::string& path : paths) {
        const ChunkVersionRef version = versionAt(storage_.versions(), table, path, snapshot);
        counts.push_back(version ? version->rowCount : 0);
    }
    return counts;
}

Ref<MemoryTable> StoredRowsReader::fetch(uint64_t query, uint64_t table, const std::string& path, size_t part) const {
    const ChunkVersionRef version = versionAt(storage_.versions(), table, path, pins_.snapshot(query));
    if (!version || part >= version->parts.size()) return {};
    const ChunkPart& found = version->parts[part];
    return found.segment ? found.segment->readAll() : found.rows;
}

StoredRowsReader::CopyStamp StoredRowsReader::copyStamp(uint64_t query, uint64_t table, const std::string& path) const {
    const ChunkVersionRef version = versionAt(storage_.versions(), table, path, pins_.snapshot(query));
    const auto config = map_.config();
    const NodeConfig* own = config->find(cluster_.self().alias);
    const bool isComplete = own != nullptr && own->state == NodeState::In;
    return {version ? version->changedAt : 0, isComplete ? own->since : 0};
}

int64_t StoredRowsReader::visibleRows(const TableEntry& table, const std::set<std::string>& paths) const {
    const SortRule rule = sortRuleOf(table);
    VersionSet& versions = storage_.versions();
    const VersionSet::Pin pin(versions, 0);
    int64_t rows = 0;
    const auto chunks = versions.chunks(table.id);  // held while it is walked: a commit may replace the list
    for (const auto& identity : *chunks) {
        if (paths.count(identity->path) == 0) continue;
        const ChunkVersionRef version = versions.version(identity->id, pin.number());
        if (version) rows += countRows(version, table.storedSchema(), rule);
    }
    return rows;
}

}  // namespace pelorus
