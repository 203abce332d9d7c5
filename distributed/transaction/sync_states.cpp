#include "distributed/transaction/sync_states.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/metadata/sync_rules.h"
#include "distributed/transaction/leave_sync.h"
#include "distributed/transaction/node_maintenance.h"
#include "distributed/transaction/participant.h"
#include "runtime/serialize/received.h"
#include "storage/folder/local_storage.h"
#include "storage/folder/maintenance.h"
#include "storage/log/wal_writer.h"

namespace pelorus {

static constexpr auto kAskEvery = std::chrono::milliseconds(500);
static constexpr auto kAnswerWithin = std::chrono::milliseconds(700);
static constexpr auto kRecently = std::chrono::seconds(5);
static constexpr auto kJustNow = std::chrono::milliseconds(200);
// The time for which this node must have had contact: another node may find the store again later than this one, and is
// not written out for that.
static constexpr auto kContactBefore = std::chrono::seconds(2);
static constexpr auto kMapTimeout = std::chrono::seconds(2);
static constexpr auto kTellTroubleInterval = std::chrono::seconds(60);

SyncStates::SyncStates(Cluster& cluster, Participant& participant) : cluster_(cluster), participant_(participant) {
    thread_ = startThread([this] { run(); });
}

SyncStates::~SyncStates() {
    {
        const MutexLock lock(mutex_);
        stopping_ = true;
    }
    stopChanged_.notifyAll();
    thread_.join();
}

void SyncStates::run() {
    MutexLock lock(mutex_);
    while (!stopping_) {
        const auto next = std::chrono::steady_clock::now() + kAskEvery;
        lock.unlock();
        askAll();
        try {
            leaveWhenSlow();
        } catch (const Error&) {
            // The metadata store does not answer: the next round tries again.
        }
        lock.lock();
        while (!stopping_ && stopChanged_.waitUntil(lock, next)) {
        }
    }
}

void SyncStates::askAll() {
    std::vector<std::string> others;
    for (const ClusterMember& member : cluster_.members()) {
        if (member.alias != cluster_.self().alias) others.push_back(member.alias);
    }
    ask(others);
}

void SyncStates::ask(const std::vector<std::string>& aliases) {
    callInParallel(aliases.size(), [&](size_t i, const std::atomic<bool>&) {
        try {
            const Value status = cluster_.askStatus(kAnswerWithin, aliases[i]);
            received::require(status.isTypedVector() && status.type() == Type::Long && status.size() == 2, "status");
            participant_.maintenance().noteConfirmed(aliases[i], static_cast<uint64_t>(status.at(0).asLong()));
            noteSyncTime(aliases[i], std::chrono::microseconds(status.at(1).asLong()));
            noteTrouble(aliases[i], "");
        } catch (const Error& error) {
            // The cluster has noted the silence.
            noteTrouble(aliases[i], error.hint().empty() ? error.what() : error.what() + (' ' + error.hint()));
        }
    });
}

void SyncStates::noteSyncTime(const std::string& alias, std::chrono::microseconds time) {
    const MutexLock lock(syncTimesMutex_);
    syncTimes_[alias] = time;
}

// Logs why a node does not answer: once, and another reason after a minute.
void SyncStates::noteTrouble(const std::string& alias, const std::string& why) {
    const auto now = std::chrono::steady_clock::now();
    const MutexLock lock(syncTimesMutex_);
    Trouble& known = troubles_[alias];
    const bool isNew = known.why.empty() || (known.why != why && now - known.told > kTellTroubleInterval);
    if (!why.empty() && isNew) {
        logWarning("cluster", "a node does not answer", {{"alias", alias}, {"why", why}});
        known.told = now;
    }
    if (why.empty() || isNew) known.why = why;
}

std::chrono::microseconds SyncStates::othersSyncTime() {
    std::vector<std::chrono::microseconds> times;
    const MutexLock lock(syncTimesMutex_);
    for (const auto& [alias, time] : syncTimes_) {
        if (time.count() > 0 && cluster_.hasAnswered(alias, kRecently)) times.push_back(time);
    }
    if (times.empty()) return {};
    std::nth_element(times.begin(), times.begin() + static_cast<int64_t>(times.size() / 2), times.end());
    return times[times.size() / 2];
}

void SyncStates::leaveWhenSlow() {
    const WalWriter::SyncTime own = participant_.storage().log().syncTime();
    const std::chrono::microseconds others = othersSyncTime();
    if (!ownDisk_.look(std::chrono::steady_clock::now(), own.mean, own.count, others)) return;
    leaveSync(cluster_, participant_.map(),
              fmt::format("a sync of its log takes {} ms, one of the others' {} ms", own.mean.count() / 1000,
                          others.count() / 1000));
}

// Nodes that this node heard a moment ago may be lost together with the one that it misses: they are asked again.
bool SyncStates::mayWriteOut(const ClusterConfig& config, const std::string& missed) {
    if (!participant_.map().hasContact(kContactBefore)) return false;
    std::vector<std::string> toAsk;
    for (const NodeConfig& node : config.nodes) {
        const bool isOther = node.alias != cluster_.self().alias && node.alias != missed;
        if (isOther && !cluster_.isSilent(node.alias) && !cluster_.hasAnswered(node.alias, kJustNow))
            toAsk.push_back(node.alias);
    }
    ask(toAsk);
    std::set<std::string> living, refused, heard;
    for (const NodeConfig& node : config.nodes) {
        if (cluster_.isAlive(node.alias)) living.insert(node.alias);
        if (cluster_.isGone(node.alias)) refused.insert(node.alias);
        if (cluster_.hasAnswered(node.alias, kAnswerWithin)) heard.insert(node.alias);
    }
    return pelorus::mayWriteOut(config, cluster_.self().alias, missed, living, refused, heard);
}

bool SyncStates::writeOut(const std::string& alias, const std::string& why) {
    for (int attempt = 0; attempt < 5; ++attempt) {
        // A node that has not heard of the newest changes may itself have been written out.
        participant_.map().await(participant_.map().currentRevision(), kMapTimeout);
        ClusterConfig config = *participant_.map().config();
        if (!mayWriteOut(config, alias)) return false;
        for (NodeConfig& node : config.nodes) {
            if (node.alias != alias) continue;
            if (node.state == NodeState::Out) return true;
            ClusterConfig::enter(node, NodeState::Out);
            if (config.write(cluster_.store())) {
                logWarning("cluster", "a node is out of sync", {{"alias", alias}, {"why", why}});
                participant_.map().await(participant_.map().currentRevision(), kMapTimeout);
                return true;
            }
        }
    }
    return false;
}

}  // namespace pelorus
