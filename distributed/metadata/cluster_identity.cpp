#include "distributed/metadata/cluster_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "common/error.h"
#include "common/log.h"
#include "database/service/folder_identity.h"
#include "distributed/metadata/chunk_keys.h"
#include "distributed/metadata/cluster_config.h"
#include "distributed/metadata/cluster_keys.h"
#include "distributed/metadata/folder_standing.h"
#include "distributed/metadata/sync_rules.h"
#include "storage/catalog/catalog.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/stream_commits.h"
#include "storage/folder/quarantine.h"
#include "storage/log/stamp.h"
#include "storage/version/version_set.h"

namespace pelorus {
namespace {

constexpr const char* kDecides =
    "Nothing was changed. Check etcdEndpoints and clusterName, or bring the store back from its copy. To give this "
    "folder to the store's cluster, with what that does not know in quarantine: pelorus cluster adopt --config FILE.";

// The number of writes of one transaction, within the limits of an etcd with its default settings.
constexpr size_t kWritesPerTransaction = 100;

FileSystem& files() {
    return FileSystem::posix();
}

// Returns the store's id; writes one if it has none.
std::string found(MetaStore& store) {
    for (;;) {
        if (const auto id = store.get(kClusterIdKey)) return ClusterFormat::decode(id->value).id;
        const ClusterFormat format{newRandomId(), kClusterVersion};
        store.transact({{kClusterIdKey, 0}}, {{kClusterIdKey, format.encode(), 0}});
    }
}

uint64_t revisionOf(MetaStore& store) {
    return store.range(kClusterIdKey).revision;
}

// Returns all chunks but those of stream tables, which are the node's own: the cluster knows nothing of them.
std::vector<std::shared_ptr<const ChunkIdentity>> allChunks(const LocalStorage& storage) {
    std::vector<std::shared_ptr<const ChunkIdentity>> chunks;
    for (const uint64_t table : storage.versions().tables()) {
        if (isStreamTableId(table)) continue;
        const auto list = storage.versions().chunks(table);
        chunks.insert(chunks.end(), list->begin(), list->end());
    }
    return chunks;
}

std::set<uint64_t> knownTables(MetaStore& store) {
    const Catalog catalog(store);
    std::set<uint64_t> known;
    for (const TableEntry& table : catalog.allTables()) known.insert(table.id);
    return known;
}

// The tables and places of a store as they were read, to compare the chunks of a folder with.
class PlacesOfStore {
public:
    explicit PlacesOfStore(MetaStore& store) {
        for (const TableEntry& table : Catalog(store).allTables()) databases_[table.id] = table.database;
        for (const MetaEntry& entry : store.range(kPlacePrefix).entries)
            places_[entry.key] = decodePlace(entry.key.substr(entry.key.find('\n') + 1), entry.value, entry.revision);
    }
    bool knows(uint64_t table) const { return databases_.count(table) != 0; }
    const PlacedChunk* find(const ChunkIdentity& chunk) const {
        const auto database = databases_.find(chunk.table);
        if (database == databases_.end()) return nullptr;
        const auto place = places_.find(placeKey(database->second, chunk.path));
        return place == places_.end() ? nullptr : &place->second;
    }
    // Returns whether the chunk was dropped by a version that placed the chunks of each table separately.
    bool isOutdated(const ChunkIdentity& chunk) const {
        if (chunk.route == 0) return false;
        const PlacedChunk* place = find(chunk);
        if (place == nullptr) return true;
        const auto route = place->routes.find(chunk.table);
        return route == place->routes.end() || route->second != chunk.route;
    }

private:
    std::map<uint64_t, std::string> databases_;
    std::map<std::string, PlacedChunk> places_;
};

// Moves the chunks of unknown tables to quarantine, and those that were dropped while this node was away. Removes the
// rows of tables that have a tombstone.
void settleForgotten(LocalStorage& storage, MetaStore& store) {
    for (const uint64_t table : Catalog(store).tombstones()) storage.commits().removeRows(table);
    const PlacesOfStore places(store);
    std::vector<std::shared_ptr<const ChunkIdentity>> unknown, outdated;
    for (const auto& chunk : allChunks(storage)) {
        if (!places.knows(chunk->table)) {
            unknown.push_back(chunk);
        } else if (places.isOutdated(*chunk)) {
            outdated.push_back(chunk);
        }
    }
    quarantineChunks(storage, files(), unknown, "The catalog of the cluster does not know the table.");
    quarantineChunks(storage, files(), outdated, "The partition was dropped and made again.");
}

// Returns whether a folder's own store holds anything but notes about stream tables, which stay on the node.
bool holdsMetadata(MetaStore& store) {
    const std::vector<MetaEntry> entries = store.range("").entries;
    return std::any_of(entries.begin(), entries.end(),
                       [](const MetaEntry& entry) { return !entry.key.starts_with(kStreamKeys); });
}

bool holdsDatabases(MetaStore& store) {
    return !store.range("database/", 0, 1).entries.empty();
}

// Throws SystemError when the folder is that of another node of the cluster: this node's was not lost then, but
// mistaken.
void refuseFolderOfOther(const std::string& folder, const FolderProof& proof, MetaStore& store,
                         const std::string& alias) {
    if (proof.folder.empty()) return;
    for (const MetaEntry& entry : store.range(kKeptPrefix).entries) {
        if (entry.key == keptKey(alias) || KeptFolder::decode(entry.value).folder != proof.folder) continue;
        throw SystemError("The data folder " + folder + " is that of the node " +
                              entry.key.substr(std::string_view(kKeptPrefix).size()) + ", not of " + alias + ".",
                          "Nothing was changed. Check alias and dataDir.");
    }
}

void requireNewStore(const FolderProof& proof, MetaStore& store, const std::string& storeName,
                     const std::string& folder, const std::string& alias) {
    if (standingIn(proof, store, alias) != Standing::StoreIsOlder) return;
    throw SystemError(
        fmt::format("The metadata store {} went back in time: the data folder {} has seen changes that it "
                    "no longer has (it is at revision {}).",
                    storeName, folder, revisionOf(store)),
        kDecides);
}

// Writes a node out of sync whose folder lacks what it had, and takes that back for one whose folder was put back.
void admit(const FolderProof& proof, MetaStore& store, const std::string& folder, const std::string& alias) {
    for (;;) {
        ClusterConfig config = ClusterConfig::read(store);
        NodeConfig* node = config.find(alias);
        if (node == nullptr) return;
        if (standingIn(proof, store, alias) != Standing::Lost) {
            if (!node->isLost) return;
            node->isLost = false;
        } else {
            const std::vector<PlacedChunk> places = placesOfNode(store, alias);
            std::vector<std::string> alone;
            for (const PlacedChunk& place : places) {
                if (place.replicas.size() == 1) alone.push_back(place.path);
            }
            if (!alone.empty()) {
                throw SystemError(
                    fmt::format("The data folder {} lacks what the node {} had: it is {}. No other node keeps {}.",
                                folder, alias, proof.isOfCluster ? "another or an older one" : "new", firstOf(alone)),
                    "Nothing was changed. Bring the node's disk or a copy of its folder back. To give up what lay only "
                    "there: pelorus cluster force --config FILE.");
            }
            logWarning("cluster", "the data folder lacks what this node had; its partitions are copied from others",
                       {{"folder", folder}, {"alias", alias}, {"partitions", places.size()}});
            if (node->isLost) return;
            ClusterConfig::lose(*node);
        }
        if (config.write(store)) return;
    }
}

// Raises the base of commit timestamps, so that later ones are larger than all numbers of the folder, which may come
// from a store whose revisions were larger.
void raiseBase(const LocalStorage& storage, MetaStore& store) {
    for (;;) {
        const uint64_t number = storage.versions().visible(), base = baseOf(store), revision = revisionOf(store);
        if (number <= stamp::lastSeenAt(revision, base)) return;
        const auto entry = store.get(kBaseKey);
        const uint64_t needed = (number >> stamp::kLowBits) + 1 - std::min(revision, number >> stamp::kLowBits);
        store.transact({{kBaseKey, entry ? entry->revision : 0}},
                       {{kBaseKey, std::to_string(std::max(needed, base)), 0}});
    }
}

}  // namespace

std::string newRandomId() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

std::string firstOf(const std::vector<std::string>& names) {
    return names.size() == 1 ? names[0] : fmt::format("{} and {} more", names[0], names.size() - 1);
}

std::string joinCluster(LocalStorage& storage, MetaStore& store, const std::string& storeName,
                        const std::string& alias) {
    const std::string& folder = storage.folder();
    const std::optional<FolderIdentity> own = readIdentity(folder);
    const std::optional<MetaEntry> entry = store.get(kClusterIdKey);
    const std::optional<ClusterFormat> theirs =
        entry ? std::optional(ClusterFormat::decode(entry->value)) : std::nullopt;
    const FolderProof proof = proofOf(storage, own);
    if (own) {
        if (!theirs) {
            throw SystemError("The metadata store " + storeName + " is empty, but the data folder " + folder +
                                  " belongs to the cluster " + own->cluster + ".",
                              kDecides);
        }
        if (theirs->id != own->cluster) {
            throw SystemError("The data folder " + folder + " belongs to the cluster " + own->cluster +
                                  ", but the metadata store " + storeName + " is that of the cluster " + theirs->id +
                                  ".",
                              kDecides);
        }
        refuseFolderOfOther(folder, proof, store, alias);
        requireNewStore(proof, store, storeName, folder, alias);
    } else {
        if (holdsMetadata(storage.metadata())) {
            throw SystemError("The data folder " + folder +
                                  " holds databases of a node by itself, none of the cluster of " + storeName + ".",
                              "Nothing was changed. Start the node without etcdEndpoints; or move its databases into a "
                              "cluster that has none: pelorus cluster adopt --config FILE.");
        }
        // A folder from before clusters had an id is identified by its tables.
        const std::set<uint64_t> known = knownTables(store);
        for (const uint64_t table : storage.versions().tables()) {
            if (known.count(table) != 0 || isStreamTableId(table)) continue;
            throw SystemError("The data folder " + folder + " holds rows of tables that the metadata store " +
                                  storeName + " does not know.",
                              kDecides);
        }
    }
    if (theirs) turnChunkKeys(store);
    admit(proof, store, folder, alias);
    const std::string id = found(store);
    const bool hasId = own && !own->folder.empty();
    writeIdentity(folder, {id, revisionOf(store), hasId ? own->folder : newRandomId(), own ? own->noted : 0});
    turnChunkKeys(store);
    settleForgotten(storage, store);
    return id;
}

void putAside(LocalStorage& storage, uint64_t chunk, const std::string& why) {
    if (const auto identity = storage.versions().identity(chunk)) quarantineChunks(storage, files(), {identity}, why);
}

bool wasMachineRestarted(const LocalStorage& storage) {
    const std::string path = joinPath(storage.folder(), "BOOT");
    std::string now;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), now);
    std::string before;
    const bool isKnown = static_cast<bool>(std::getline(std::ifstream(path), before));
    if (before != now) replaceFile(files(), path, now + '\n');
    return isKnown && before != now;
}

namespace {

// Moves the databases of a standalone node to a cluster that has none, and places their partitions on this node.
// Returns a report for people. Throws UserError when the cluster has databases, or a table is encrypted.
std::string moveDatabases(LocalStorage& storage, MetaStore& store, const std::string& alias) {
    std::map<std::string, std::string> writes;
    for (const MetaEntry& entry : storage.metadata().range("").entries) {
        if (!entry.key.starts_with(kStreamKeys)) writes[entry.key] = entry.value;
    }
    for (const MetaEntry& entry : store.range("database/").entries) {
        const auto own = writes.find(entry.key);
        if (own != writes.end() && own->second == entry.value && !store.get(kClusterIdKey)) continue;  // moved before
        throw UserError("Both the data folder " + storage.folder() + " and the cluster hold databases.",
                        "Nothing was changed. Back up those of the folder, start the node in a new folder, and restore "
                        "them there.");
    }
    const Catalog own(storage.metadata());
    size_t tables = 0;
    for (const TableEntry& table : own.allTables()) {
        if (!table.encryptMode.empty())
            throw UserError("The table " + table.name + " of " + table.database +
                                " is encrypted, which tables of a cluster cannot be.",
                            "Nothing was changed. Copy its rows into another table first.");
        ++tables;
        const auto chunks = storage.versions().chunks(table.id);
        for (const auto& chunk : *chunks)
            writes[placeKey(table.database, chunk->path)] =
                encodePlace({chunk->path, chunk->index, {alias}, {}, {}, {}, 0, {}});
    }
    std::vector<MetaWrite> batch;
    for (const auto& [key, value] : writes) {
        batch.push_back({key, value, 0});
        if (batch.size() < kWritesPerTransaction) continue;
        store.transact({}, batch);
        batch.clear();
    }
    if (!batch.empty()) store.transact({}, batch);
    return fmt::format("{} tables of the folder are now tables of the cluster.", tables);
}

// Moves all chunks to quarantine that the store does not list as this node's. Returns a report for people.
std::string keepListed(LocalStorage& storage, MetaStore& store, const std::string& alias, bool isSameCluster) {
    std::vector<std::shared_ptr<const ChunkIdentity>> unknown;
    const PlacesOfStore places(store);
    for (const auto& chunk : allChunks(storage)) {
        const PlacedChunk* place = isSameCluster ? places.find(*chunk) : nullptr;
        const bool isListed = place != nullptr && !places.isOutdated(*chunk) &&
                              std::find(place->replicas.begin(), place->replicas.end(), alias) != place->replicas.end();
        if (!isListed) unknown.push_back(chunk);
    }
    quarantineChunks(storage, files(), unknown, "The metadata store that the folder was given to does not list it.");
    return fmt::format("{} partitions that the cluster does not know are in {}; getQuarantine() lists them.",
                       unknown.size(), quarantineFolder(storage));
}

}  // namespace

std::string adoptFolder(LocalStorage& storage, MetaStore& store, const std::string& alias,
                        const std::string& storeName) {
    const std::optional<FolderIdentity> own = readIdentity(storage.folder());
    const std::optional<MetaEntry> theirs = store.get(kClusterIdKey);
    std::string done;
    if (!own && holdsDatabases(storage.metadata())) {
        done = moveDatabases(storage, store, alias);
    } else {
        turnChunkKeys(store);
        done =
            keepListed(storage, store, alias, own && theirs && ClusterFormat::decode(theirs->value).id == own->cluster);
    }
    const std::string id = found(store);
    raiseBase(storage, store);
    const FolderIdentity identity{id, revisionOf(store), newRandomId(), 0};
    writeIdentity(storage.folder(), identity);
    // Rows that the store lists and the folder has stay: it is the node's folder from here on.
    const MetaWrite note = folderNote(storage, alias);
    if (ClusterConfig::read(store).find(alias) != nullptr) store.transact({}, {note});
    return fmt::format("The folder {} belongs to the cluster {} of {}.\n{}", storage.folder(), id, storeName, done);
}

bool leaveForCopies(MetaStore& store, const std::string& folder, const std::string& alias) {
    const std::optional<FolderIdentity> own = readIdentity(folder);
    const std::optional<MetaEntry> theirs = store.get(kClusterIdKey);
    if (!own || !theirs) return false;
    const ClusterFormat format = ClusterFormat::decode(theirs->value);
    if (format.id != own->cluster || format.version != kClusterVersion) return false;
    for (;;) {
        ClusterConfig config = ClusterConfig::read(store);
        NodeConfig* node = config.find(alias);
        if (node == nullptr) return false;
        ClusterConfig::enter(*node, NodeState::Out);
        ClusterConfig later = config;  // the list in which it leaves after all that have left before
        NodeConfig& leaving = *later.find(alias);
        if (leaving.left == 0) leaving.left = UINT64_MAX;
        for (const PlacedChunk& place : placesOfNode(store, alias)) {
            if (recoveryOf(later, alias, place.replicas) == Recovery::None) return false;
        }
        node->isLost = true;
        // Changes of places write `config`, too.
        if (config.write(store)) return true;
    }
}

}  // namespace pelorus
