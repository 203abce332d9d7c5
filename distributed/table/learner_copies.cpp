#include "distributed/table/learner_copies.h"

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/system_request.h"
#include "distributed/metadata/replica_places.h"
#include "distributed/table/chunk_copy.h"
#include "distributed/table/distributed_table.h"
#include "distributed/transaction/participant.h"
#include "storage/catalog/catalog.h"

namespace pelorus {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(500);
constexpr auto kMapTimeout = std::chrono::seconds(5);
constexpr size_t kJoinAtOnce = 60;
constexpr int kAttempts = 20;

void catchUp(ClusterParts& parts) {
    ClusterMap& map = parts.participant.map();
    map.await(map.currentRevision(), kMapTimeout);
}

}  // namespace

LearnerCopies::LearnerCopies(ClusterParts& parts, Catalog& catalog) : parts_(parts), catalog_(catalog) {
    thread_ = startThread([this] { run(); });
}

LearnerCopies::~LearnerCopies() {
    {
        const MutexLock lock(mutex_);
        stopping_ = true;
    }
    stopChanged_.notifyAll();
    thread_.join();
}

bool LearnerCopies::isStopping() const {
    const MutexLock lock(mutex_);
    return stopping_;
}

void LearnerCopies::run() {
    while (!isStopping()) {
        try {
            work();
            lastError_.clear();
        } catch (const Error& error) {
            if (lastError_ != error.what())
                logWarning("cluster", "a partition is not copied yet", {{"why", error.what()}});
            lastError_ = error.what();
        }
        MutexLock lock(mutex_);
        const auto next = std::chrono::steady_clock::now() + kPollInterval;
        while (!stopping_ && stopChanged_.waitUntil(lock, next)) {
        }
    }
}

void LearnerCopies::work() {
    const std::string& self = parts_.cluster.self().alias;
    ClusterMap& map = parts_.participant.map();
    if (!map.config()->isIn(self)) return;
    std::map<std::string, std::vector<PlacedChunk>> named;
    std::vector<std::pair<std::string, PlacedChunk>> joining;
    for (auto& [database, place] : map.unsettled()) {
        const Learner* own = place.learner(self);
        if (own == nullptr) continue;
        if (own->isJoining) {
            joining.emplace_back(database, place);
        } else if (named[database].size() < kJoinAtOnce) {
            named[database].push_back(place);
        }
    }
    for (auto& [database, places] : named) join(database, std::move(places));
    for (const auto& [database, place] : joining) {
        if (isStopping()) return;
        copy(database, place);
    }
}

void LearnerCopies::join(const std::string& database, std::vector<PlacedChunk> places) {
    const std::string& self = parts_.cluster.self().alias;
    ClusterMap& map = parts_.participant.map();
    const auto config = map.config();
    for (PlacedChunk& place : places) {
        for (Learner& learner : place.learners) learner.isJoining |= learner.alias == self;
    }
    changePlaces(parts_.cluster.store(), map, database, places, *config);  // if refused, the next round tries again
}

// Copies a partition and becomes its replica. Throws when the place or this node's state changes while it copies, so
// that the next round begins again: transactions that were decided then may be missing.
void LearnerCopies::copy(const std::string& database, const PlacedChunk& place) {
    const std::string& self = parts_.cluster.self().alias;
    ClusterMap& map = parts_.participant.map();
    const auto before = map.config();
    if (place.replicas.size() == 1) {
        const std::vector<Value> arguments{Value::ofString(database), Value::ofString(place.path),
                                           Value::ofLong(static_cast<int64_t>(place.revision))};
        parts_.cluster.call(place.replicas[0], systemRequest(), "nodeSettleCommits", arguments);
    }
    for (const TableEntry& table : catalog_.allTables()) {
        if (table.database == database && isPartitionOf(table, place))
            copyChunk(parts_, database, table.id, place.path);
    }
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        catchUp(parts_);
        const auto config = map.config();
        const auto now = map.chunk(database, place.path);
        const NodeConfig *own = config->find(self), *then = before->find(self);
        if (!now || now->revision != place.revision || own == nullptr || own->state != NodeState::In ||
            own->since != then->since || own->incarnation != then->incarnation) {
            throw SystemError("The place of the partition " + place.path + " or the state of this node has changed.",
                              "", true);
        }
        PlacedChunk changed = *now;
        promote(changed, self);
        if (!changePlaces(parts_.cluster.store(), map, database, {changed}, *config)) continue;
        logInfo("cluster", "a partition has a copy here", {{"database", database}, {"partition", place.path}});
        return;
    }
}

}  // namespace pelorus
