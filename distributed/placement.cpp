#include "distributed/placement.h"

#include <algorithm>
#include <sstream>

#include "common/error.h"
#include "distributed/cluster.h"
#include "storage/catalog.h"

namespace pelorus {
namespace {

// A transaction of the store holds a bounded number of writes.
constexpr size_t kChunksPerTransaction = 1000;

std::string listKey(uint64_t table) {
    return "chunks/" + std::to_string(table);
}
std::string chunkPrefix(uint64_t table) {
    return "chunk/" + std::to_string(table) + '/';
}
std::string placePrefix(const std::string& database) {
    return "place/" + database + '\n';
}

// "node\n0,3": names of nodes hold no line end.
std::string encodeChunk(const std::string& node, const std::vector<int>& index) {
    std::string text = node + '\n';
    for (size_t i = 0; i < index.size(); ++i) text += (i ? "," : "") + std::to_string(index[i]);
    return text;
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

Placement::Known Placement::read(uint64_t table) {
    // The counter is read first: a list that is newer than it is only read again next time.
    const auto counter = store_.get(listKey(table));
    const uint64_t revision = counter ? counter->revision : 0;
    {
        std::lock_guard lock(mutex_);
        const auto it = known_.find(table);
        if (it != known_.end() && it->second.list && it->second.revision == revision) return it->second;
    }
    Known known;
    known.revision = revision;
    std::vector<PlacedChunk> list;
    for (const MetaEntry& entry : store_.range(chunkPrefix(table)).entries) {
        list.push_back(decodeChunk(entry.key.substr(chunkPrefix(table).size()), entry.value));
        known.nodes[list.back().path] = list.back().node;
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
    known.list = std::make_shared<const std::vector<PlacedChunk>>(std::move(list));
    std::lock_guard lock(mutex_);
    known_[table] = known;
    return known;
}

PlacedChunks Placement::chunks(uint64_t table) {
    return read(table).list;
}

std::vector<std::string> Placement::nodesOf(const TableEntry& table, const std::vector<ChunkRows>& chunks) {
    const auto lookup = [&](const Known& known, std::vector<std::string>& nodes) {
        for (const ChunkRows& chunk : chunks) {
            const auto it = known.nodes.find(chunk.path);
            if (it == known.nodes.end()) return false;
            nodes.push_back(it->second);
        }
        return true;
    };
    for (;;) {
        // A chunk never moves while its table lives, so what is known may be used without asking.
        Known known;
        {
            std::lock_guard lock(mutex_);
            known = known_[table.id];
        }
        std::vector<std::string> nodes;
        if (lookup(known, nodes)) return nodes;
        nodes.clear();
        known = read(table.id);
        if (lookup(known, nodes)) return nodes;
        placeMissing(table, chunks, known);
    }
}

// One attempt; when another node was quicker, the caller reads and tries again.
void Placement::placeMissing(const TableEntry& table, const std::vector<ChunkRows>& chunks, const Known& known) {
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
    std::vector<MetaCondition> conditions{{listKey(table.id), known.revision}};
    std::vector<MetaWrite> writes{{listKey(table.id), cluster_.incarnation(), 0}};
    size_t added = 0;
    for (const ChunkRows& chunk : chunks) {
        if (known.nodes.count(chunk.path) || added == kChunksPerTransaction) continue;
        ++added;
        auto place = placed.find(chunk.path);
        if (place == placed.end()) {
            const auto least = std::min_element(load.begin(), load.end(),
                                                [](const auto& a, const auto& b) { return a.second < b.second; });
            ++least->second;
            place = placed.emplace(chunk.path, least->first).first;
            conditions.push_back({prefix + chunk.path, 0});
            writes.push_back({prefix + chunk.path, least->first, 0});
        }
        writes.push_back({chunkPrefix(table.id) + chunk.path, encodeChunk(place->second, chunk.index), 0});
    }
    store_.transact(conditions, writes);
}

void Placement::forget(uint64_t table, const std::vector<std::string>& paths) {
    std::vector<std::string> keys;
    for (const std::string& path : paths) keys.push_back(chunkPrefix(table) + path);
    if (paths.empty()) {
        for (const MetaEntry& entry : store_.range(chunkPrefix(table)).entries) keys.push_back(entry.key);
    }
    for (size_t begin = 0; begin < keys.size(); begin += kChunksPerTransaction) {
        std::vector<MetaWrite> writes{{listKey(table), cluster_.incarnation(), 0}};
        for (size_t i = begin; i < std::min(keys.size(), begin + kChunksPerTransaction); ++i) {
            writes.push_back({keys[i], std::nullopt, 0});
        }
        store_.transact({}, writes);
    }
    std::lock_guard lock(mutex_);
    known_.erase(table);
}

}  // namespace pelorus
