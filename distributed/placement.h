// Which node holds which chunk of the cluster's tables, kept in the metadata store.
//
//   place/<database>\n<path>     the node of a partition: all tables of a database share it, so that joins stay local
//   chunk/<table id>/<path>      a chunk of a table: node and position in the scheme
//   chunks/<table id>            changes with every change to the list of the table's chunks
//
// A chunk is placed when its first row arrives, on the living node that has the fewest partitions of the database.
// Thread-safe: nodes that place the same chunk at once agree by compare-and-swap.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "storage/local_storage.h"
#include "storage/metadata.h"

namespace pelorus {

class Cluster;
struct TableEntry;

struct PlacedChunk {
    std::string path;
    std::vector<int> index;
    std::string node;
};
using PlacedChunks = std::shared_ptr<const std::vector<PlacedChunk>>;

class Placement {
public:
    Placement(Cluster& cluster, MetaStore& store) : cluster_(cluster), store_(store) {}

    // The nodes of these chunks, in their order; chunks without one get one.
    std::vector<std::string> nodesOf(const TableEntry& table, const std::vector<ChunkRows>& chunks);
    // All chunks of a table, ordered by their position in the scheme, as of now.
    PlacedChunks chunks(uint64_t table);
    // Takes chunks off the list; all when `paths` is empty.
    void forget(uint64_t table, const std::vector<std::string>& paths);

private:
    struct Known {
        uint64_t revision = 0;  // of chunks/<table id> when the list was read
        PlacedChunks list;
        std::map<std::string, std::string> nodes;  // path to node
    };

    Known read(uint64_t table);
    void placeMissing(const TableEntry& table, const std::vector<ChunkRows>& chunks, const Known& known);

    Cluster& cluster_;
    MetaStore& store_;
    std::mutex mutex_;
    std::map<uint64_t, Known> known_;
};

}  // namespace pelorus
