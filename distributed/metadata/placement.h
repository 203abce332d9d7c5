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
#include <string>
#include <vector>

#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "storage/version/local_storage.h"

namespace pelorus {

class Cluster;
struct TableEntry;

// In the metadata store: never change.
std::string chunkKey(uint64_t table, const std::string& path);
std::string chunkRecord(const std::string& node, const std::vector<int>& index);
std::string nodeOfChunkRecord(const std::string& record);
// The key of a table's list, and that of the place of a partition of a database.
std::string chunkListKey(uint64_t table);
std::string placeKey(const std::string& database, const std::string& path);

struct PlacedChunk {
    std::string path;
    std::vector<int> index;
    std::string node;
};
using PlacedChunks = std::shared_ptr<const std::vector<PlacedChunk>>;

class Placement {
public:
    Placement(Cluster& cluster, MetaStore& store) : cluster_(cluster), store_(store) {}

    // The nodes of these chunks, in their order; chunks without one get one. Notes the route of each in `chunks`.
    std::vector<std::string> nodesOf(const TableEntry& table, std::vector<ChunkRows>& chunks);
    // What was known is read again: a node has refused a route as stale.
    void forgetRoutes(uint64_t table);
    // All chunks of a table, ordered by their position in the scheme, as of now.
    PlacedChunks chunks(uint64_t table);
    // Takes chunks off the list; all when `paths` is empty. Returns the revision that the routes of all of them are
    // older than, and those of chunks that are placed afterwards newer.
    uint64_t forget(uint64_t table, const std::vector<std::string>& paths);

private:
    struct Route {
        std::string node;
        uint64_t revision = 0;  // at which the chunk was placed there
    };
    struct Known {
        uint64_t revision = 0;                // of chunks/<table id> when the list was read
        PlacedChunks list;                    // null while only routes are known
        std::map<std::string, Route> routes;  // by path
    };
    // Never changed, so that a look at one route copies none.
    using KnownRef = std::shared_ptr<const Known>;

    KnownRef read(uint64_t table);
    KnownRef placeMissing(const TableEntry& table, const std::vector<ChunkRows>& chunks, const Known& known);

    Cluster& cluster_;
    MetaStore& store_;
    Mutex mutex_;
    std::map<uint64_t, KnownRef> known_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
