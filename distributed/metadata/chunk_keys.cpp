#include "distributed/metadata/chunk_keys.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "common/error.h"
#include "common/log.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/cluster_keys.h"
#include "storage/catalog/catalog.h"

namespace pelorus {
namespace {

constexpr const char* kChunkPrefix = "chunk/";
constexpr const char* kChunkListPrefix = "chunks/";
// Each chunk is one key to remove and at most one place to write.
constexpr size_t kChunksPerTransaction = 40;

std::map<uint64_t, std::string> databasesOfTables(MetaStore& store) {
    std::map<uint64_t, std::string> databases;
    for (const TableEntry& table : Catalog(store).allTables()) databases[table.id] = table.database;
    return databases;
}

// Raises the version of the store. From then on nodes of older versions change nothing more.
void raiseVersion(MetaStore& store) {
    for (;;) {
        const auto entry = store.get(kClusterIdKey);
        if (!entry) return;  // founded later, with this version
        ClusterFormat format = ClusterFormat::decode(entry->value);
        if (format.version > kClusterVersion) {
            throw SystemError("The metadata store was written by a newer version of Pelorus.",
                              "Start this node with that version.");
        }
        if (format.version == kClusterVersion) return;
        format.version = kClusterVersion;
        if (store.transact({{kClusterIdKey, entry->revision}}, {{kClusterIdKey, format.encode(), 0}}).done)
            logInfo("cluster", "the metadata store is brought to a newer version", {{"version", kClusterVersion}});
    }
}

// Replaces the keys of some chunks by places, as one transaction. A chunk of a table that was dropped gets none.
void turn(MetaStore& store, const std::vector<MetaEntry>& chunks, const std::map<uint64_t, std::string>& databases) {
    std::vector<MetaCondition> conditions;
    std::vector<MetaWrite> writes;
    std::map<std::string, PlacedChunk> places;  // by key
    for (const MetaEntry& entry : chunks) {
        conditions.push_back({entry.key, entry.revision});
        writes.push_back({entry.key, std::nullopt, 0});
        const size_t begin = std::string_view(kChunkPrefix).size(), slash = entry.key.find('/', begin);
        if (slash == std::string::npos) continue;
        const uint64_t table = std::stoull(entry.key.substr(begin));
        const auto database = databases.find(table);
        if (database == databases.end()) continue;
        const std::string path = entry.key.substr(slash + 1), key = placeKey(database->second, path);
        const PlacedChunk chunk = decodePlace(path, entry.value, entry.revision);
        auto place = places.find(key);
        if (place == places.end()) {
            const auto known = store.get(key);
            place = places.emplace(key, known ? decodePlace(path, known->value, known->revision) : chunk).first;
            conditions.push_back({key, known ? known->revision : 0});
        }
        place->second.index = chunk.index;
        place->second.routes[table] = entry.revision;
    }
    for (const auto& [key, place] : places) writes.push_back({key, encodePlace(place), 0});
    store.transact(conditions, writes);  // if refused, another node has migrated some: they are read again
}

}  // namespace

ClusterFormat ClusterFormat::decode(const std::string& value) {
    const size_t blank = value.find(' ');
    if (blank == std::string::npos) return {value, 1};
    return {value.substr(0, blank), std::stoi(value.substr(blank + 1))};
}

std::string ClusterFormat::encode() const {
    return version == 1 ? id : id + ' ' + std::to_string(version);
}

void turnChunkKeys(MetaStore& store) {
    raiseVersion(store);
    std::map<uint64_t, std::string> databases;
    for (;;) {
        const std::vector<MetaEntry> chunks = store.range(kChunkPrefix, 0, kChunksPerTransaction).entries;
        if (chunks.empty()) break;
        if (databases.empty()) databases = databasesOfTables(store);
        turn(store, chunks, databases);
    }
    for (;;) {
        std::vector<MetaWrite> lists;
        for (const MetaEntry& list : store.range(kChunkListPrefix, 0, kChunksPerTransaction).entries)
            lists.push_back({list.key, std::nullopt, 0});
        if (lists.empty()) return;
        store.transact({}, lists);
    }
}

}  // namespace pelorus
