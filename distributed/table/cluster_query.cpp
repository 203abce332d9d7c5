#include "distributed/table/cluster_query.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/system_request.h"
#include "distributed/transaction/participant.h"
#include "distributed/transaction/snapshot_pins.h"
#include "runtime/serialize/received.h"

namespace pelorus {
namespace {

constexpr int kNodeBits = 12;
constexpr auto kMapTimeout = std::chrono::seconds(5);
constexpr auto kOpenWithin = std::chrono::seconds(5);
// The time that further replicas have to answer, after the first that suffices, or where this node is a replica.
constexpr auto kOthersWithin = std::chrono::milliseconds(300);

// Returns a number that grows with time, so that a process that follows another one under the same alias repeats none.
uint64_t nextCount() {
    static std::atomic<uint64_t> last{static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count())};
    return ++last;
}

}  // namespace

ClusterQuery::ClusterQuery(Cluster& cluster, Participant& participant) : cluster_(cluster), participant_(participant) {
    ClusterMap& map = participant_.map();
    const uint64_t revision = map.revisionToRead();
    map.await(revision, kMapTimeout);
    const ClusterMap::View view = map.view();
    // Without the store all nodes are silent, and the map does not go on.
    isStale_ = map.staleness().count() > 0;
    revision_ = isStale_ ? revision : view.revision;
    config_ = view.config;
    const NodeConfig* own = config_->find(cluster_.self().alias);
    number_ = (nextCount() << kNodeBits | (own == nullptr ? 0 : own->number % (1u << kNodeBits))) & INT64_MAX;
    name_ = cluster_.incarnation() + '/' + std::to_string(number_);
    participant_.pins().beginHold(name_);
    try {
        here_ = participant_.pins().open(number_, name_, revision_, false);
    } catch (...) {
        participant_.pins().endHold(name_);
        throw;
    }
}

ClusterQuery::~ClusterQuery() {
    // From here on a node that asks hears that nothing is held.
    participant_.pins().endHold(name_);
    participant_.pins().close(number_);
    const MutexLock lock(mutex_);
    for (const auto& [alias, opened] : opened_) participant_.pins().closeElsewhere(alias, number_);
}

bool ClusterQuery::mayServe(const PlacedChunk& chunk, const std::string& alias) const {
    if (lost_.count(alias) != 0) return false;
    const auto since = chunk.since.find(alias);
    if (since != chunk.since.end() && since->second > revision_) return false;
    return chunk.replicas.size() == 1 || config_->isIn(alias);
}

std::optional<int64_t> ClusterQuery::rows(uint64_t table, const std::string& path) const {
    const MutexLock lock(mutex_);
    const auto known = rows_.find({table, path});
    return known == rows_.end() ? std::nullopt : std::optional(known->second);
}

bool ClusterQuery::isHere(const PlacedChunk& chunk) const {
    const std::string& self = cluster_.self().alias;
    const MutexLock lock(mutex_);
    return chunk.isReplica(self) && mayServe(chunk, self);
}

bool ClusterQuery::hasAnother(const PlacedChunk& chunk, const std::string& alias) const {
    const MutexLock lock(mutex_);
    return std::any_of(chunk.replicas.begin(), chunk.replicas.end(),
                       [&](const std::string& other) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
                           return other != alias && mayServe(chunk, other) && !cluster_.isSilent(other);
                       });
}

std::string ClusterQuery::preferred(const PlacedChunk& chunk) const {
    const MutexLock lock(mutex_);
    for (const bool silentToo : {false, true}) {
        for (const std::string& alias : chunk.replicas) {
            const auto opened = opened_.find(alias);
            if (opened != opened_.end() && !opened->second.isOpen) continue;
            if (!mayServe(chunk, alias) || (!silentToo && cluster_.isSilent(alias))) continue;
            return alias == cluster_.self().alias ? std::string() : alias;
        }
    }
    return chunk.replicas.empty() || chunk.replicas[0] == cluster_.self().alias ? std::string() : chunk.replicas[0];
}

void ClusterQuery::lose(const std::string& alias, const std::string& why) {
    const MutexLock lock(mutex_);
    lost_.emplace(alias, why);
}

// The answers of the nodes that are asked at once: when each partition has one, the others have kOthersWithin left.
// Thread-safe.
class ClusterQuery::Answers {
public:
    explicit Answers(const Asked& asked) : pending_(asked.size()) {
        for (const auto& [alias, chunks] : asked) {
            for (const PlacedChunk* chunk : chunks) missing_.insert(chunk);
        }
    }

    // Notes that a node has answered. The call that makes the answers enough waits for the others, up to kOthersWithin.
    void note(const std::vector<const PlacedChunk*>& chunks, bool isOpen) {
        MutexLock lock(mutex_);
        --pending_;
        const bool wasEnough = missing_.empty();
        if (isOpen) {
            for (const PlacedChunk* chunk : chunks) missing_.erase(chunk);
        }
        changed_.notifyAll();
        if (wasEnough || !missing_.empty()) return;
        const auto end = std::chrono::steady_clock::now() + kOthersWithin;
        while (pending_ > 0 && std::chrono::steady_clock::now() < end) changed_.waitUntil(lock, end);
        isEnough_ = true;
    }
    const std::atomic<bool>& isEnough() const { return isEnough_; }

private:
    Mutex mutex_;
    CondVar changed_;
    size_t pending_ GUARDED_BY(mutex_);  // nodes that have not answered
    std::set<const PlacedChunk*> missing_ GUARDED_BY(mutex_);
    std::atomic<bool> isEnough_{false};
};

// Asks each node for the partitions that it keeps.
void ClusterQuery::open(uint64_t table, const Asked& asked, bool waitsForAll) {
    const std::vector<std::pair<std::string, std::vector<const PlacedChunk*>>> list(asked.begin(), asked.end());
    std::vector<Opened> results(list.size());
    std::vector<Value> rows(list.size());
    Answers answers(asked);
    const std::atomic<bool> isNeverEnough{false};
    callInParallel(list.size(), [&](size_t i, const std::atomic<bool>&) {
        const std::vector<const PlacedChunk*>& chunks = list[i].second;
        const bool areHere =
            std::all_of(chunks.begin(), chunks.end(), [&](const PlacedChunk* chunk) { return isHere(*chunk); });
        const std::chrono::milliseconds limit = areHere && !waitsForAll ? kOthersWithin : kOpenWithin;
        openAt(table, list[i].first, chunks, limit, waitsForAll ? isNeverEnough : answers.isEnough(), results[i],
               rows[i]);
        answers.note(list[i].second, results[i].isOpen);
    });
    const MutexLock lock(mutex_);
    for (size_t i = 0; i < list.size(); ++i) {
        opened_[list[i].first] = results[i];
        if (!results[i].isOpen) continue;
        const std::vector<const PlacedChunk*>& chunks = list[i].second;
        for (size_t c = 0; c < chunks.size(); ++c)
            rows_[{table, chunks[c]->path}] = rows[i].at(static_cast<int64_t>(c)).asLong();
    }
}

void ClusterQuery::openAt(uint64_t table, const std::string& alias, const std::vector<const PlacedChunk*>& chunks,
                          std::chrono::milliseconds limit, const std::atomic<bool>& isEnough, Opened& result,
                          Value& rows) {
    const bool hasOthers =
        std::any_of(chunks.begin(), chunks.end(), [](const PlacedChunk* chunk) { return chunk->replicas.size() > 1; });
    std::vector<std::string> paths;
    for (const PlacedChunk* chunk : chunks) paths.push_back(chunk->path);
    const std::vector<Value> arguments{
        Value::ofLong(static_cast<int64_t>(number_)),   Value::ofString(name_),
        Value::ofLong(static_cast<int64_t>(revision_)), Value::ofBool(hasOthers),
        Value::ofLong(static_cast<int64_t>(table)),     Value::of(Vector::ofStrings(paths))};
    for (int tries = 0;; ++tries) {
        try {
            rows = cluster_.call(alias, systemRequest(), "nodeOpen", arguments,
                                 {.limit = limit, .endsInSilence = hasOthers && !isStale_, .abandon = &isEnough});
            const bool fits =
                rows.isTypedVector() && rows.type() == Type::Long && rows.size() == static_cast<int64_t>(chunks.size());
            received::require(fits, "rows of partitions");
            result.isOpen = true;
            return;
        } catch (const NodeNotReached& error) {
            result.why = error.what();
            return;
        } catch (const NodeLost& error) {
            // A kept connection may have ended with the process before: the node is asked once more.
            result.why = error.what();
            if (tries > 0 || isEnough || (hasOthers && cluster_.isSilent(alias))) return;
        } catch (const Error& error) {
            result.why = error.what();
            return;
        }
    }
}

std::vector<ClusterQuery::Served> ClusterQuery::nodesOf(uint64_t table, const std::vector<const PlacedChunk*>& chunks,
                                                        bool mayBeAway) {
    const std::string& self = cluster_.self().alias;
    Asked toAsk;
    {
        const MutexLock lock(mutex_);
        for (const PlacedChunk* chunk : chunks) {
            const bool isKnown = rows_.count({table, chunk->path}) != 0;
            for (const std::string& alias : chunk->replicas) {
                if (alias == self || !mayServe(*chunk, alias)) continue;
                const auto opened = opened_.find(alias);
                if (opened == opened_.end() || (!isKnown && opened->second.isOpen)) toAsk[alias].push_back(chunk);
            }
        }
    }
    if (!toAsk.empty()) open(table, toAsk, false);
    std::vector<Served> nodes;
    const MutexLock lock(mutex_);
    for (const PlacedChunk* chunk : chunks) {
        std::string why;
        const auto serves = [&](const std::string& alias) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
            const auto lost = lost_.find(alias);
            if (lost != lost_.end()) why = lost->second;
            if (!mayServe(*chunk, alias)) return false;
            if (alias == self) return true;
            const auto opened = opened_.find(alias);
            if (opened != opened_.end() && !opened->second.isOpen) why = opened->second.why;
            return opened != opened_.end() && opened->second.isOpen;
        };
        const auto found = std::find_if(chunk->replicas.begin(), chunk->replicas.end(), serves);
        if (found == chunk->replicas.end() && mayBeAway) {
            nodes.push_back({chunk->replicas[0], std::nullopt});
            continue;
        }
        if (found == chunk->replicas.end()) {
            std::string names;
            for (const std::string& alias : chunk->replicas) names += (names.empty() ? "" : ", ") + alias;
            throw SystemError("The partition " + chunk->path + " can't be read: none of the nodes that keep it (" +
                                  names + ") serves it. " + why,
                              "Run the query again when one is back.", true);
        }
        const auto known = rows_.find({table, chunk->path});
        nodes.push_back({*found == self ? std::string() : *found,
                         known == rows_.end() ? std::nullopt : std::optional(known->second)});
    }
    return nodes;
}

void ClusterQuery::openForChange(uint64_t table, const std::vector<const PlacedChunk*>& chunks) {
    Asked toAsk;
    {
        const MutexLock lock(mutex_);
        for (const PlacedChunk* chunk : chunks) {
            for (const std::string& alias : chunk->replicas) {
                if (alias == cluster_.self().alias || !mayServe(*chunk, alias)) continue;
                const auto opened = opened_.find(alias);
                if (opened == opened_.end() || !opened->second.isOpen) toAsk[alias].push_back(chunk);
            }
        }
    }
    if (!toAsk.empty()) open(table, toAsk, true);
}

std::shared_ptr<ClusterQuery> ClusterQueries::begin(Cluster& cluster, Participant& participant) {
    auto query = std::make_shared<ClusterQuery>(cluster, participant);
    const MutexLock lock(mutex_);
    std::erase_if(queries_, [](const auto& known) { return known.second.expired(); });
    queries_[query->number()] = query;
    return query;
}

std::shared_ptr<ClusterQuery> ClusterQueries::find(uint64_t number) const {
    const MutexLock lock(mutex_);
    const auto it = queries_.find(number);
    return it == queries_.end() ? nullptr : it->second.lock();
}

}  // namespace pelorus
