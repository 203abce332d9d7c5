// Implements the functions that change which nodes keep a partition: copyReplicas, moveReplicas, deleteReplicas.
#include <algorithm>
#include <map>
#include <set>

#include "common/error.h"
#include "database/service/chunk_names.h"
#include "database/service/database_handle.h"
#include "distributed/builtins/distributed_builtins.h"
#include "distributed/cluster/cluster.h"
#include "distributed/metadata/replica_places.h"
#include "distributed/transaction/participant.h"
#include "runtime/registry/registry.h"
#include "runtime/value/cast.h"

namespace pelorus {
namespace {

constexpr int kAttempts = 20;

// The services that the functions use.
struct Places {
    Catalog& catalog;
    MetaStore& store;
    ClusterMap& map;
};

Places placesOf(Context& context) {
    auto* cluster = context.service<Cluster>();
    auto* participant = context.service<Participant>();
    if (cluster == nullptr || participant == nullptr)
        throw UserError("This node is in no cluster: its partitions have one copy.");
    return {databasesOf(context).catalog(), cluster->store(), participant->map()};
}

std::set<std::string> chunkIds(const Value& v, int argument) {
    const auto wrong = [&] {
        return UserError(argument, "chunkId must be ids of chunks, as getClusterChunksStatus() lists them.");
    };
    const bool isString = v.type() == Type::String || v.type() == Type::Symbol;
    if ((!isString && v.type() != Type::Uuid) || (!v.isScalar() && !v.isTypedVector())) throw wrong();
    const Value strings = isString ? v : cast(v, Type::String);
    std::set<std::string> ids;
    for (int64_t i = 0; i < (v.isScalar() ? 1 : strings.size()); ++i)
        ids.emplace(v.isScalar() ? strings.string() : strings.at(i).string());
    if (ids.empty()) throw wrong();
    return ids;
}

// Returns the partitions by database: all tables of a database share their places.
std::map<std::string, std::vector<PlacedChunk>> find(const Places& all, const std::set<std::string>& ids,
                                                     int argument) {
    std::map<std::string, std::vector<PlacedChunk>> places;
    std::set<std::string> found;
    std::set<std::pair<std::string, std::string>> taken;
    for (const TableEntry& table : all.catalog.allTables()) {
        const std::string prefix = "/" + table.database.substr(table.database.find("://") + 3);
        const PlacedChunks chunks = all.map.chunks(table.database);
        for (const PlacedChunk& chunk : *chunks) {
            if (!isPartitionOf(table, chunk)) continue;
            const std::string id = chunkId(table.id, prefix + chunk.path);
            if (ids.count(id) == 0) continue;
            found.insert(id);
            if (taken.emplace(table.database, chunk.path).second) places[table.database].push_back(chunk);
        }
    }
    for (const std::string& id : ids) {
        if (found.count(id) == 0)
            throw UserError(argument, "There is no chunk " + id + ".", "getClusterChunksStatus() lists them.");
    }
    return places;
}

std::string aliasArgument(const Places& all, const Value& v, int argument, const char* name) {
    if (!v.isString()) throw UserError(argument, std::string(name) + " must be the alias of a node.");
    const std::string alias(v.string());
    if (all.map.config()->find(alias) == nullptr)
        throw UserError(argument, "There is no node " + alias + " in this cluster.", "getSyncStates() lists them.");
    return alias;
}

// Makes a change of the partitions with these ids. Places and nodes may change at any moment: then the change is made
// again from the new state.
template <class Change>
void changeAll(const Places& all, const std::set<std::string>& ids, int argument, const Change& change) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        bool isDone = true;
        for (auto& [database, places] : find(all, ids, argument))
            isDone = change(database, std::move(places)) && isDone;
        if (isDone) return;
        all.map.await(all.map.currentRevision(), std::chrono::seconds(5));
    }
    throw SystemError("The places of the partitions change all the time.", "Try again.", true);
}

Value nameLearners(Context& context, Arguments arguments, bool moves) {
    const Places all = placesOf(context);
    const std::string from = aliasArgument(all, arguments[0], 0, "srcNode");
    const std::string to = aliasArgument(all, arguments[1], 1, "destNode");
    const std::set<std::string> ids = chunkIds(arguments[2], 2);
    changeAll(all, ids, 2, [&](const std::string& database, std::vector<PlacedChunk> places) {
        for (const PlacedChunk& place : places) {
            if (!place.isReplica(from))
                throw UserError(0, "The node " + from + " keeps no copy of the partition " + place.path + ".");
            if (std::find(place.left.begin(), place.left.end(), to) != place.left.end())
                throw SystemError(
                    "The node " + to + " still removes the copy that it had of the partition " + place.path + ".",
                    "Try again in a moment.", true);
            if (place.isReplica(to) && moves)
                throw UserError(1, "The node " + to + " has a copy of the partition " + place.path + " already.",
                                "Take the other one away with deleteReplicas.");
        }
        // A copy that exists or has begun is not begun again.
        std::erase_if(places,
                      [&](const PlacedChunk& place) { return place.isReplica(to) || place.learner(to) != nullptr; });
        return places.empty() || nameLearner(all.store, all.map, database, std::move(places), to, moves ? from : "");
    });
    return Value();
}

Value copyReplicasKernel(Context& context, Arguments arguments) {
    return nameLearners(context, arguments, false);
}

Value moveReplicasKernel(Context& context, Arguments arguments) {
    if (!isOmitted(arguments[3]) && !arguments[3].isVoid())
        throw UserError(3, "destVolumes can't be chosen: a node puts new column files on its volumes in turn.");
    return nameLearners(context, arguments, true);
}

Value deleteReplicasKernel(Context& context, Arguments arguments) {
    const Places all = placesOf(context);
    const std::set<std::string> ids = chunkIds(arguments[0], 0);
    const std::string alias = aliasArgument(all, arguments[1], 1, "nodeAlias");
    changeAll(all, ids, 0, [&](const std::string& database, std::vector<PlacedChunk> places) {
        std::erase_if(places, [&](const PlacedChunk& place) {
            return !place.isReplica(alias) && place.learner(alias) == nullptr;
        });
        return places.empty() || removeReplica(all.store, all.map, database, std::move(places), alias);
    });
    return Value();
}

}  // namespace

void registerReplicaBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Admin, Effect::Writes);
    registry.add("copyReplicas(srcNode, destNode, chunkId)", copyReplicasKernel,
                 {.summary = "Gives partitions a copy on another node, which is made while they are read and written. "
                             "Returns at once; getClusterChunksStatus() shows RECOVERING until the copy is there.",
                  .parameters = "srcNode: alias of a node that keeps the partitions\n"
                                "destNode: alias of the node that is to keep them, too\n"
                                "chunkId: UUID or STRING, scalar or vector, as in getClusterChunksStatus(); all tables "
                                "of a database share the places of its partitions",
                  .errors = "A node or chunk is not known; srcNode has no copy.",
                  .example = "chunks = exec chunkId from getClusterChunksStatus() where file like \"/TAQ/%\", replicas "
                             "like \"node1:%\", replicaCount = 1; copyReplicas(\"node1\", \"node2\", chunks)"});
    registry.add(
        "moveReplicas(srcNode, destNode, chunkId, [destVolumes])", moveReplicasKernel,
        {.summary = "As copyReplicas; when the copy is there, srcNode removes its own.",
         .parameters = "srcNode: alias of the node that gives its copy away\n"
                       "destNode: alias of the node that is to keep it\n"
                       "chunkId: UUID or STRING, scalar or vector, as in getClusterChunksStatus()\n"
                       "destVolumes: is refused: a node fills its volumes in turn",
         .errors = "As copyReplicas; destNode has a copy already; destVolumes is given.",
         .example = "chunks = exec chunkId from getClusterChunksStatus() where file like \"/TAQ/202401%\", "
                    "replicas like \"node1:%\", replicaCount = 1; moveReplicas(\"node1\", \"node3\", chunks)"});
    registry.add("deleteReplicas(chunkId, nodeAlias)", deleteReplicasKernel,
                 {.summary = "Removes a node's copies of partitions.",
                  .errors = "No copy on a node in sync would be left: nothing is removed.",
                  .example = "chunks = exec chunkId from getClusterChunksStatus() where file like \"/TAQ/%\", replicas "
                             "like \"%node3:%\", replicaCount > 2; deleteReplicas(chunks, \"node3\")"});
}

}  // namespace pelorus
