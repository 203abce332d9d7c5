#include "distributed/table/learner_copies.h"

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/system_request.h"
#include "distributed/table/chunk_copy.h"
#include "distributed/table/distributed_table.h"
#include "distributed/transaction/participant.h"
#include "storage/catalog/catalog.h"

namespace pelorus {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(500);
constexpr auto kMapPatience = std::chrono::seconds(5);
constexpr size_t kPlacesPerTransaction = 60;  // within the limits of an etcd as it comes
constexpr int kAttempts = 20;

void catchUp(ClusterParts& parts) {
    ClusterMap& map = parts.participant.map();
    map.await(map.currentRevision(), kMapPatience);
}

// Writes changed places, and `config` as it is, if neither has changed since they were read.
bool changePlaces(ClusterParts& parts, const std::string& database, const std::vector<PlacedChunk>& places,
                  const ClusterConfig& config) {
    for (size_t begin = 0; begin < places.size(); begin += kPlacesPerTransaction) {
        std::vector<MetaCondition> conditions;
        std::vector<MetaWrite> writes;
        for (size_t i = begin; i < std::min(places.size(), begin + kPlacesPerTransaction); ++i) {
            const std::string key = placeKey(database, places[i].path);
            conditions.push_back({key, places[i].revision});
            writes.push_back({key, encodePlace(places[i]), 0});
        }
        const auto now = begin == 0 ? std::make_shared<const ClusterConfig>(config) : parts.participant.map().config();
        conditions.push_back({kConfigKey, now->revision});
        writes.push_back({kConfigKey, now->encode(), 0});
        if (!parts.cluster.store().transact(conditions, writes).done) return false;
        catchUp(parts);
    }
    return true;
}

void eraseName(std::vector<std::string>& names, const std::string& name) {
    names.erase(std::remove(names.begin(), names.end(), name), names.end());
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
        const auto next = std::chrono::steady_clock::now() + kLookEvery;
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
        } else if (named[database].size() < kPlacesPerTransaction) {
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
    const auto config = parts_.participant.map().config();
    for (PlacedChunk& place : places) {
        for (Learner& learner : place.learners) learner.isJoining |= learner.alias == self;
    }
    changePlaces(parts_, database, places, *config);  // otherwise it is looked at again
}

// What changes the place or this node's state while it copies, begins it again: what was decided then may be missing.
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
        if (table.database == database && isPartitionOf(table, place)) copyChunk(parts_, table.id, place);
    }
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        catchUp(parts_);
        const auto config = map.config();
        const auto now = map.chunk(database, place.path);
        const NodeConfig *own = config->find(self), *then = before->find(self);
        if (!now || now->revision != place.revision || own == nullptr || own->state != NodeState::In ||
            own->since != then->since || own->incarnation != then->incarnation) {
            throw SystemError("The place of the partition " + place.path + " or the state of this node has changed.", "",
                              true);
        }
        PlacedChunk changed = *now;
        const std::string replaced = changed.learner(self)->replaces;
        std::erase_if(changed.learners, [&](const Learner& learner) { return learner.alias == self; });
        changed.replicas.push_back(self);
        if (changed.isReplica(replaced)) {
            eraseName(changed.replicas, replaced);
            changed.left.push_back(replaced);
        }
        if (!changePlaces(parts_, database, {changed}, *config)) continue;
        logInfo("cluster", "a partition has a copy here", {{"database", database}, {"partition", place.path}});
        return;
    }
}

bool LearnerCopies::name(ClusterParts& parts, const std::string& database, std::vector<PlacedChunk> places,
                         const std::string& alias, const std::string& replaces) {
    const auto config = parts.participant.map().config();
    for (PlacedChunk& place : places) place.learners.push_back({alias, false, replaces});
    return changePlaces(parts, database, places, *config);
}

bool LearnerCopies::remove(ClusterParts& parts, const std::string& database, std::vector<PlacedChunk> places,
                           const std::string& alias) {
    const auto config = parts.participant.map().config();
    for (PlacedChunk& place : places) {
        std::erase_if(place.learners, [&](const Learner& learner) { return learner.alias == alias; });
        eraseName(place.replicas, alias);
        if (std::none_of(place.replicas.begin(), place.replicas.end(),
                         [&](const std::string& other) { return config->isIn(other); })) {
            throw UserError("No node that is in sync would keep a copy of the partition " + place.path + " of " +
                                database + " any more.",
                            "Add one on another node first, with copyReplicas.");
        }
        place.left.push_back(alias);
    }
    return changePlaces(parts, database, places, *config);
}

}  // namespace pelorus
