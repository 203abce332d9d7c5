#include "distributed/transaction/snapshot_pins.h"

#include <algorithm>

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/system_request.h"
#include "distributed/metadata/cluster_map.h"
#include "distributed/transaction/installer.h"
#include "runtime/value/vector.h"
#include "storage/folder/local_storage.h"
#include "storage/version/version_set.h"

namespace pelorus {

static constexpr auto kMapTimeout = std::chrono::milliseconds(1500);
static constexpr auto kAnswerTimeout = std::chrono::milliseconds(1000);
static constexpr auto kCloseTimeout = std::chrono::milliseconds(1000);
static constexpr auto kAskInterval = std::chrono::seconds(5);
static constexpr auto kRecentInterval = std::chrono::seconds(1);

SnapshotPins::SnapshotPins(LocalStorage& storage, Cluster& cluster, ClusterMap& map, Installer& installer)
    : storage_(storage), cluster_(cluster), map_(map), installer_(installer) {
    keepRecent();
}

uint64_t SnapshotPins::open(uint64_t query, const std::string& name, uint64_t revision, bool replicated) {
    map_.await(revision, kMapTimeout);
    const ClusterMap::View view = map_.view();
    const std::string& self = cluster_.self().alias;
    if (replicated && !view.config->isInSince(self, revision)) {
        const std::string when = view.config->isIn(self)
                                     ? " was not in sync at the revision " + std::to_string(revision)
                                     : " is not in sync";
        throw SystemError("The node " + self + when + ".", "Run the query again.", true);
    }
    auto pin = installer_.pinAt(revision, view.base);
    const uint64_t number = pin->number();
    const MutexLock lock(mutex_);
    const auto known = pins_.find(query);
    if (known != pins_.end()) return known->second.pin->number();
    pins_[query] = {name, std::move(pin), std::chrono::steady_clock::now()};
    return number;
}

void SnapshotPins::close(uint64_t query) {
    HeldPin released;
    const MutexLock lock(mutex_);
    const auto it = pins_.find(query);
    if (it == pins_.end()) return;
    released = std::move(it->second);
    pins_.erase(it);
}

std::optional<uint64_t> SnapshotPins::find(uint64_t query) const {
    const MutexLock lock(mutex_);
    const auto it = pins_.find(query);
    return it == pins_.end() ? std::nullopt : std::optional(it->second.pin->number());
}

uint64_t SnapshotPins::snapshot(uint64_t query) const {
    const std::optional<uint64_t> number = find(query);
    if (!number) throw SystemError("The query's snapshot has ended on this node.", "Run it again.", true);
    return *number;
}

void SnapshotPins::beginHold(const std::string& name) {
    const MutexLock lock(mutex_);
    holds_.insert(name);
}

void SnapshotPins::endHold(const std::string& name) {
    const MutexLock lock(mutex_);
    holds_.erase(name);
}

std::vector<std::string> SnapshotPins::stillHeld(const std::vector<std::string>& names) const {
    std::vector<std::string> held;
    const MutexLock lock(mutex_);
    for (const std::string& name : names) {
        if (holds_.count(name) != 0) held.push_back(name);
    }
    return held;
}

void SnapshotPins::closeElsewhere(const std::string& alias, uint64_t query) {
    const MutexLock lock(mutex_);
    toClose_[alias].push_back(static_cast<int64_t>(query));
}

void SnapshotPins::keepRecent() {
    const auto now = std::chrono::steady_clock::now();
    if (recent_ && now - recentMoved_ < kRecentInterval) return;
    recentMoved_ = now;
    older_ = std::move(recent_);
    recent_ = std::make_unique<VersionSet::Pin>(storage_.versions(), 0);
}

void SnapshotPins::sendCloses() {
    std::map<std::string, std::vector<int64_t>> toClose;
    {
        const MutexLock lock(mutex_);
        toClose.swap(toClose_);
    }
    for (const auto& [alias, queries] : toClose) {
        if (!cluster_.isAlive(alias) || cluster_.isSilent(alias)) continue;
        try {
            const std::vector<Value> arguments{Value::of(Vector::of(Type::Long, queries))};
            cluster_.call(alias, systemRequest(), "nodeClose", arguments,
                          {.limit = kCloseTimeout, .endsInSilence = true});
        } catch (const Error&) {
            // The node will ask about the query, or is gone and its versions with it.
        }
    }
}

// Returns the names of the queries that the node still knows. Throws Error when it does not answer.
std::vector<std::string> SnapshotPins::askHeld(const std::string& alias, const std::vector<std::string>& names) {
    if (alias == cluster_.self().alias) return stillHeld(names);
    const std::vector<Value> arguments{Value::of(Vector::ofStrings(names))};
    const Value answer =
        cluster_.call(alias, systemRequest(), "nodeHolds", arguments, {.limit = kAnswerTimeout, .endsInSilence = true});
    std::vector<std::string> held;
    for (int64_t i = 0; i < answer.size(); ++i) held.emplace_back(answer.at(i).string());
    return held;
}

void SnapshotPins::endForgotten() {
    std::vector<HeldPin> ended;                                    // released without the lock
    std::map<std::string, std::map<std::string, uint64_t>> toAsk;  // by alias, names of queries
    const auto now = std::chrono::steady_clock::now();
    {
        const MutexLock lock(mutex_);
        for (auto it = pins_.begin(); it != pins_.end();) {
            const std::string holder = incarnationOf(it->second.name);
            if (!cluster_.lives(holder)) {
                ended.push_back(std::move(it->second));
                it = pins_.erase(it);
                continue;
            }
            if (now - it->second.asked > kAskInterval) toAsk[aliasOf(holder)][it->second.name] = it->first;
            ++it;
        }
    }
    for (const auto& [alias, queries] : toAsk) {
        std::vector<std::string> names, held;
        for (const auto& [name, query] : queries) names.push_back(name);
        try {
            held = askHeld(alias, names);
        } catch (const Error&) {
            continue;  // the next round asks again
        }
        const MutexLock lock(mutex_);
        for (const auto& [name, query] : queries) {
            const auto it = pins_.find(query);
            if (it == pins_.end()) continue;
            it->second.asked = now;
            if (std::find(held.begin(), held.end(), name) != held.end()) continue;
            ended.push_back(std::move(it->second));
            pins_.erase(it);
        }
    }
}

}  // namespace pelorus
