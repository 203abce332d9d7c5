#include "distributed/transaction/sync_states.h"

#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/metadata/sync_rules.h"
#include "distributed/transaction/participant.h"

namespace pelorus {

static constexpr auto kAskEvery = std::chrono::milliseconds(500);
static constexpr auto kAnswerWithin = std::chrono::milliseconds(700);
static constexpr auto kMapPatience = std::chrono::seconds(2);

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
    callInParallel(others.size(), [&](size_t i, const std::atomic<bool>&) {
        try {
            const Value confirmed = cluster_.askStatus(kAnswerWithin, others[i]);
            participant_.noteConfirmed(others[i], static_cast<uint64_t>(confirmed.asLong()));
        } catch (const Error&) {
            // The cluster has noted it.
        }
    });
}

bool SyncStates::mayWriteOut(const ClusterConfig& config, const std::string& missed) const {
    std::set<std::string> living, heard;
    for (const NodeConfig& node : config.nodes) {
        if (cluster_.isAlive(node.alias)) living.insert(node.alias);
        if (!cluster_.isSilent(node.alias)) heard.insert(node.alias);
    }
    return pelorus::mayWriteOut(config, cluster_.self().alias, missed, living, heard);
}

bool SyncStates::writeOut(const std::string& alias, const std::string& why) {
    for (int attempt = 0; attempt < 5; ++attempt) {
        // A node that has not heard of the newest changes may itself have been written out.
        participant_.map().await(participant_.map().currentRevision(), kMapPatience);
        ClusterConfig config = *participant_.map().config();
        if (!mayWriteOut(config, alias)) return false;
        for (NodeConfig& node : config.nodes) {
            if (node.alias != alias) continue;
            if (node.state == NodeState::Out) return true;
            ClusterConfig::enter(node, NodeState::Out);
            if (config.write(cluster_.store())) {
                logWarning("cluster", "a node is out of sync", {{"alias", alias}, {"why", why}});
                participant_.map().await(participant_.map().currentRevision(), kMapPatience);
                return true;
            }
        }
    }
    return false;
}

}  // namespace pelorus
