#include "distributed/table/node_return.h"

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "database/service/folder_identity.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/metadata/cluster_config.h"
#include "distributed/metadata/folder_standing.h"
#include "distributed/metadata/replica_places.h"
#include "distributed/table/chunk_copy.h"
#include "distributed/table/distributed_table.h"
#include "distributed/transaction/participant.h"
#include "distributed/transaction/slow_disk.h"
#include "distributed/transaction/sync_states.h"
#include "storage/catalog/catalog.h"
#include "storage/folder/local_storage.h"
#include "storage/folder/maintenance.h"
#include "storage/log/wal_writer.h"

namespace pelorus {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(500);
constexpr auto kLongestPause = std::chrono::seconds(2);
constexpr auto kAnswerWithin = std::chrono::milliseconds(700);
constexpr auto kMapTimeout = std::chrono::seconds(5);
constexpr int kAttempts = 20;

}  // namespace

NodeReturn::NodeReturn(ClusterParts& parts, Catalog& catalog)
    : parts_(parts), catalog_(catalog), pause_(kPollInterval) {
    thread_ = startThread([this] { run(); });
}

NodeReturn::~NodeReturn() {
    {
        const MutexLock lock(mutex_);
        stopping_ = true;
    }
    stopChanged_.notifyAll();
    thread_.join();
}

void NodeReturn::run() {
    MutexLock lock(mutex_);
    while (!stopping_) {
        const auto next = std::chrono::steady_clock::now() + pause_;
        while (!stopping_ && stopChanged_.waitUntil(lock, next)) {
        }
        if (stopping_) return;
        if (parts_.participant.map().config()->isIn(parts_.cluster.self().alias)) {
            pause_ = kPollInterval;
            continue;
        }
        lock.unlock();
        try {
            comeBack();
            pause_ = kPollInterval;
            lastError_.clear();
        } catch (const Error& error) {
            if (lastError_ != error.what()) logWarning("cluster", "not in sync yet", {{"why", error.what()}});
            lastError_ = error.what();
            pause_ = std::min<std::chrono::milliseconds>(pause_ * 2, kLongestPause);
        }
        lock.lock();
    }
}

void NodeReturn::requireNotStopping() {
    const MutexLock lock(mutex_);
    if (stopping_) throw SystemError("This node stops.");
}

Recovery NodeReturn::recoveryOf(const PlacedChunk& chunk) const {
    return pelorus::recoveryOf(*parts_.participant.map().config(), parts_.cluster.self().alias, chunk.replicas);
}

bool NodeReturn::enter(NodeState state, uint64_t joined) {
    ClusterMap& map = parts_.participant.map();
    map.await(map.currentRevision(), kMapTimeout);
    ClusterConfig config = *map.config();
    for (NodeConfig& node : config.nodes) {
        if (node.alias != parts_.cluster.self().alias) continue;
        if (node.incarnation != parts_.cluster.incarnation()) throw SystemError("Another process has taken this node.");
        if (joined != 0 && (node.state != NodeState::Joining || node.since != joined)) return false;
        ClusterConfig::enter(node, state);
    }
    // The note of this folder, which is complete now, replaces that of a folder that was lost.
    std::vector<MetaWrite> with;
    if (state == NodeState::In && readIdentity(parts_.participant.storage().folder()))
        with.push_back(folderNote(parts_.participant.storage(), parts_.cluster.self().alias));
    const bool done = config.write(parts_.cluster.store(), std::move(with));
    map.await(map.currentRevision(), kMapTimeout);
    return done;
}

void NodeReturn::comeBack() {
    ClusterMap& map = parts_.participant.map();
    const std::string& self = parts_.cluster.self().alias;
    // A log whose sync failed is begun anew before anything relies on it.
    parts_.participant.storage().maintenance().renewLog();
    parts_.participant.storage().log().sync();
    const std::chrono::microseconds own = parts_.participant.storage().log().probeDisk();
    if (SlowDisk::isSlow(own, parts_.syncStates.othersSyncTime()))
        throw SystemError("A sync of this node's disk takes much longer than one of the others'.", "", true);
    map.await(map.currentRevision(), kMapTimeout);
    requireSources();
    requireReachable();
    logInfo("cluster", "coming back in sync", {{"alias", self}});
    if (!enter(NodeState::Joining, 0)) throw SystemError("The states of nodes change.", "", true);
    const uint64_t joined = map.config()->find(self)->since;
    try {
        copyAll(joined);
    } catch (const Error&) {
        stayOut(joined);
        throw;
    }
}
// Throws SystemError unless each partition that this node lacks rows of has a living source: until then the node stays
// out, where it holds up nobody.
void NodeReturn::requireSources() {
    std::set<std::string> databases;
    for (const TableEntry& table : catalog_.allTables()) databases.insert(table.database);
    for (const std::string& database : databases) {
        const PlacedChunks chunks = parts_.participant.map().chunks(database);
        for (const PlacedChunk& chunk : *chunks) {
            if (chunk.isReplica(parts_.cluster.self().alias)) requireSource(database, chunk);
        }
    }
}

void NodeReturn::requireSource(const std::string& database, const PlacedChunk& chunk) const {
    const std::string& self = parts_.cluster.self().alias;
    const auto config = parts_.participant.map().config();
    const auto isSource = [&](const std::string& other) {
        return other != self && config->isIn(other) && parts_.cluster.isAlive(other);
    };
    const Recovery recovery = recoveryOf(chunk);
    if (recovery == Recovery::Copy && std::none_of(chunk.replicas.begin(), chunk.replicas.end(), isSource)) {
        throw SystemError("No living node has all rows of the partition " + chunk.path + " of " + database +
                              ": those that are in sync are down.",
                          "", true);
    }
    if (recovery != Recovery::Await) return;
    throw SystemError("The partition " + chunk.path + " of " + database +
                      (config->find(self)->isLost ? " was lost here, and no other node that keeps it is in sync."
                                                  : " was written on a node that left later and is not back yet.") +
                      " docs/operations.md, \"Which copy counts\", says what to do when none comes back.");
}

// Asks all nodes that are in sync and alive, at once. Throws SystemError when one does not answer.
void NodeReturn::requireReachable() {
    std::vector<std::string> others;
    const auto config = parts_.participant.map().config();
    for (const NodeConfig& node : config->nodes) {
        const bool isOther = node.alias != parts_.cluster.self().alias;
        if (isOther && node.state == NodeState::In && parts_.cluster.isAlive(node.alias)) others.push_back(node.alias);
    }
    callInParallel(others.size(), [&](size_t i, const std::atomic<bool>&) {
        try {
            parts_.cluster.askStatus(kAnswerWithin, others[i]);
        } catch (const Error& error) {
            throw SystemError("The node " + others[i] + ", which is in sync, can't be reached: " + error.what(), "",
                              true);
        }
    });
}

// Writes this node out of sync again, so that transactions go on without it.
void NodeReturn::stayOut(uint64_t joined) {
    try {
        enter(NodeState::Out, joined);
    } catch (const Error&) {
        // The store is away; the next coordinator that misses this node does it.
    }
}

void NodeReturn::copyAll(uint64_t joined) {
    ClusterMap& map = parts_.participant.map();
    const std::string& self = parts_.cluster.self().alias;
    for (const TableEntry& table : catalog_.allTables()) copyTable(table);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        map.await(map.currentRevision(), kMapTimeout);
        const auto config = map.config();
        const NodeConfig* own = config->find(self);
        if (own->state != NodeState::Joining || own->since != joined) {
            throw SystemError("The node was written out of sync again.", "", true);
        }
        if (enter(NodeState::In, joined)) {
            logInfo("cluster", "in sync again", {{"alias", self}});
            return;
        }
    }
    throw SystemError("The states of nodes change.", "", true);
}

void NodeReturn::copyTable(const TableEntry& table) {
    const std::string& self = parts_.cluster.self().alias;
    const PlacedChunks chunks = parts_.participant.map().chunks(table.database);
    for (const PlacedChunk& chunk : *chunks) {
        const bool isHere = std::find(chunk.replicas.begin(), chunk.replicas.end(), self) != chunk.replicas.end();
        if (!isHere || !isPartitionOf(table, chunk) || recoveryOf(chunk) == Recovery::None) continue;
        requireNotStopping();
        copyChunk(parts_, table.database, table.id, chunk.path);
    }
}

}  // namespace pelorus
