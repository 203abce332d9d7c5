#include "distributed/metadata/placement.h"

#include <algorithm>
#include <sstream>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/mutex.h"
#include "distributed/cluster/cluster.h"
#include "storage/catalog/catalog.h"

namespace pelorus {
namespace {

// etcd as it comes takes 128 writes, and as many conditions, in a transaction: one for the list, two for each chunk.
constexpr size_t kChunksPerTransaction = 60;

std::string chunkPrefix(uint64_t table) {
    return "chunk/" + std::to_string(table) + '/';
}
std::string placePrefix(const std::string& database) {
    return "place/" + database + '\n';
}

PlacedChunk decodeChunk(std::string path, const std::string& text) {
    PlacedChunk chunk;
    chunk.path = std::move(path);
    const size_t end = text.find('\n');
    chunk.node = text.substr(0, end);
    std::istringstream numbers(end == std::string::npos ? "" : text.substr(end + 1));
    for (std::string number; std::getline(numbers, number, ',');) chunk.index.push_back(std::stoi(number));
    return chunk;
}

}  // namespace

std::string chunkKey(uint64_t table, const std::string& path) {
    return chunkPrefix(table) + path;
}
std::string chunkListKey(uint64_t table) {
    return "chunks/" + std::to_string(table);
}
std::string placeKey(const std::string& database, const std::string& path) {
    return placePrefix(database) + path;
}

// "node\n0,3": names of nodes hold no line end.
std::string chunkRecord(const std::string& node, const std::vector<int>& index) {
    std::string text = node + '\n';
    for (size_t i = 0; i < index.size(); ++i) text += (i ? "," : "") + std::to_string(index[i]);
    return text;
}

std::string nodeOfChunkRecord(const std::string& record) {
    return record.substr(0, record.find('\n'));
}

Placement::KnownRef Placement::read(uint64_t table) {
    // The counter is read first: a list that is newer than it is only read again next time.
    const auto counter = store_.get(chunkListKey(table));
    const uint64_t revision = counter ? counter->revision : 0;
    {
        const MutexLock lock(mutex_);
        const auto it = known_.find(table);
        if (it != known_.end() && it->second->list && it->second->revision == revision) return it->second;
    }
    auto known = std::make_shared<Known>();
    known->revision = revision;
    std::vector<PlacedChunk> list;
    for (const MetaEntry& entry : store_.range(chunkPrefix(table)).entries) {
        list.push_back(decodeChunk(entry.key.substr(chunkPrefix(table).size()), entry.value));
        known->routes[list.back().path] = {list.back().node, entry.revision};
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
    known->list = std::make_shared<const std::vector<PlacedChunk>>(std::move(list));
    const MutexLock lock(mutex_);
    known_[table] = known;
    return known;
}

PlacedChunks Placement::chunks(uint64_t table) {
    return read(table)->list;
}

void Placement::forgetRoutes(uint64_t table) {
    const MutexLock lock(mutex_);
    known_.erase(table);
}

std::vector<std::string> Placement::nodesOf(const TableEntry& table, std::vector<ChunkRows>& chunks) {
    const auto lookup = [&](const Known& known, std::vector<std::string>& nodes) {
        nodes.clear();
        for (ChunkRows& chunk : chunks) {
            const auto it = known.routes.find(chunk.path);
            if (it == known.routes.end()) return false;
            nodes.push_back(it->second.node);
            chunk.route = it->second.revision;
        }
        return true;
    };
    std::vector<std::string> nodes;
    {
        // Used without asking: the node refuses a route that is no longer true.
        KnownRef known;
        {
            const MutexLock lock(mutex_);
            const auto it = known_.find(table.id);
            if (it != known_.end()) known = it->second;
        }
        if (known && lookup(*known, nodes)) return nodes;
    }
    for (KnownRef known;;) {
        if (!known) known = read(table.id);
        if (lookup(*known, nodes)) break;
        known = placeMissing(table, chunks, *known);
    }
    return nodes;
}

// Places them in as many transactions as they need, and returns what is known then; null when another node was quicker:
// the caller reads and tries again.
Placement::KnownRef Placement::placeMissing(const TableEntry& table, const std::vector<ChunkRows>& chunks,
                                            const Known& before) {
    std::map<std::string, int64_t> load;
    for (const ClusterMember& member : cluster_.members()) {
        if (cluster_.isAlive(member.alias)) load[member.alias] = 0;
    }
    if (load.empty()) throw SystemError("No node of the cluster is alive to take new partitions.", "", true);
    std::map<std::string, std::string> placed;  // partition to node
    const std::string prefix = placePrefix(table.database);
    for (const MetaEntry& entry : store_.range(prefix).entries) {
        placed[entry.key.substr(prefix.size())] = entry.value;
        const auto it = load.find(entry.value);
        if (it != load.end()) ++it->second;
    }
    auto known = std::make_shared<Known>();
    known->revision = before.revision;
    known->routes = before.routes;
    std::vector<const ChunkRows*> missing;
    for (const ChunkRows& chunk : chunks) {
        if (known->routes.count(chunk.path) == 0) missing.push_back(&chunk);
    }
    CHECK(!missing.empty()) << "chunks are placed when one has no place";
    for (size_t begin = 0; begin < missing.size(); begin += kChunksPerTransaction) {
        const size_t end = std::min(missing.size(), begin + kChunksPerTransaction);
        std::vector<MetaCondition> conditions{{chunkListKey(table.id), known->revision}};
        std::vector<MetaWrite> writes{{chunkListKey(table.id), cluster_.incarnation(), 0}};
        for (size_t i = begin; i < end; ++i) {
            const ChunkRows& chunk = *missing[i];
            auto place = placed.find(chunk.path);
            if (place == placed.end()) {
                const auto least = std::min_element(load.begin(), load.end(),
                                                    [](const auto& a, const auto& b) { return a.second < b.second; });
                ++least->second;
                place = placed.emplace(chunk.path, least->first).first;
                conditions.push_back({prefix + chunk.path, 0});
                writes.push_back({prefix + chunk.path, least->first, 0});
            }
            writes.push_back({chunkKey(table.id, chunk.path), chunkRecord(place->second, chunk.index), 0});
        }
        const MetaOutcome outcome = store_.transact(conditions, writes);
        if (!outcome.done) return nullptr;
        known->revision = outcome.revision;
        for (size_t i = begin; i < end; ++i)
            known->routes[missing[i]->path] = {placed[missing[i]->path], outcome.revision};
    }
    const MutexLock lock(mutex_);
    known_[table.id] = known;
    return known;
}

uint64_t Placement::forget(uint64_t table, const std::vector<std::string>& paths) {
    std::vector<std::string> keys;
    const MetaRead read = store_.range(paths.empty() ? chunkPrefix(table) : chunkListKey(table));
    for (const std::string& path : paths) keys.push_back(chunkKey(table, path));
    if (paths.empty()) {
        for (const MetaEntry& entry : read.entries) keys.push_back(entry.key);
    }
    for (size_t begin = 0; begin < keys.size(); begin += kChunksPerTransaction) {
        std::vector<MetaWrite> writes{{chunkListKey(table), cluster_.incarnation(), 0}};
        for (size_t i = begin; i < std::min(keys.size(), begin + kChunksPerTransaction); ++i) {
            writes.push_back({keys[i], std::nullopt, 0});
        }
        store_.transact({}, writes);
    }
    forgetRoutes(table);
    return read.revision;
}

}  // namespace pelorus
