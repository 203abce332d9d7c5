#include "distributed/transaction/node_maintenance.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "common/error.h"
#include "common/thread/thread_start.h"
#include "distributed/cluster/cluster.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/cluster_map.h"
#include "distributed/metadata/folder_standing.h"
#include "distributed/transaction/installer.h"
#include "distributed/transaction/prepared_transactions.h"
#include "distributed/transaction/snapshot_pins.h"
#include "storage/catalog/catalog.h"
#include "storage/commit/commit_path.h"
#include "storage/folder/local_storage.h"
#include "storage/log/stamp.h"
#include "storage/version/version_set.h"

namespace pelorus {

static constexpr auto kRoundInterval = std::chrono::milliseconds(250);
static constexpr auto kNoteInterval = std::chrono::seconds(10);
static constexpr auto kDropTimeout = std::chrono::milliseconds(50);
static constexpr size_t kMaxPurgedKeys = 100;  // in one transaction of the store

void noteOwnFolder(LocalStorage& storage, Cluster& cluster) {
    const ClusterConfig config = ClusterConfig::read(cluster.store());
    const NodeConfig* own = config.find(cluster.self().alias);
    if (own == nullptr || own->incarnation != cluster.incarnation() || own->isLost) return;
    noteFolder(storage, cluster.store(), cluster.self().alias);
}

NodeMaintenance::NodeMaintenance(LocalStorage& storage, Cluster& cluster, ClusterMap& map, Installer& installer,
                                 PreparedTransactions& transactions, SnapshotPins& pins)
    : storage_(storage),
      cluster_(cluster),
      map_(map),
      installer_(installer),
      transactions_(transactions),
      pins_(pins),
      thread_(startThread([this] { run(); })) {}

NodeMaintenance::~NodeMaintenance() {
    {
        const MutexLock lock(mutex_);
        stopping_ = true;
    }
    stopChanged_.notifyAll();
    thread_.join();
}

void NodeMaintenance::run() {
    MutexLock lock(mutex_);
    while (!stopping_) {
        lock.unlock();
        try {
            doRound();
        } catch (const Error&) {
            // The metadata store does not answer, or the disk refuses: the next round tries again.
        }
        lock.lock();
        const auto next = std::chrono::steady_clock::now() + kRoundInterval;
        while (!stopping_ && stopChanged_.waitUntil(lock, next)) {
        }
    }
}

void NodeMaintenance::doRound() {
    pins_.keepRecent();
    installer_.confirm();
    noteConfirmed(cluster_.self().alias, confirmedRevision());
    transactions_.settleDoubts();
    pins_.sendCloses();
    pins_.endForgotten();
    purgeRecords();
    purgeTombstones();
    removeDropped();
    removeLeft();
    if (const auto now = std::chrono::steady_clock::now(); now - folderNoted_ >= kNoteInterval) {
        folderNoted_ = now;
        noteOwnFolder(storage_, cluster_);
    }
    if (stamp::runsLow(storage_.versions().visible())) cluster_.store().transact({}, {});
}

uint64_t NodeMaintenance::confirmedRevision() const {
    uint64_t confirmed = installer_.confirmedRevision(*map_.config());
    const auto dropped = map_.dropped();
    const MutexLock lock(mutex_);
    for (const auto& [table, revision] : dropped) {
        if (removed_.count(table) == 0) confirmed = std::min(confirmed, revision - 1);
    }
    return confirmed;
}

void NodeMaintenance::noteConfirmed(const std::string& alias, uint64_t revision) {
    const MutexLock lock(mutex_);
    confirmedBy_[alias] = revision;
}

// Removes the records of decisions that all their participants have installed.
void NodeMaintenance::purgeRecords() {
    const auto records = map_.records();
    const auto config = map_.config();
    const std::set<std::string> open = transactions_.open();
    std::vector<std::string> names;
    {
        const MutexLock lock(mutex_);
        names = installer_.toPurge(records, *config, confirmedBy_, open, kMaxPurgedKeys);
    }
    std::vector<MetaWrite> writes;
    for (const std::string& name : names) writes.push_back({decisionKey(name), std::nullopt, 0});
    if (!writes.empty()) cluster_.store().transact({}, writes);
}

// Removes the tombstone of a table when no node can have rows of it any more.
void NodeMaintenance::purgeTombstones() {
    const auto config = map_.config();
    const auto dropped = map_.dropped();
    std::vector<MetaWrite> writes;
    {
        const MutexLock lock(mutex_);
        for (const auto& [table, revision] : dropped) {
            const bool isGone =
                std::all_of(config->nodes.begin(), config->nodes.end(), [&, since = revision](const NodeConfig& node) {
                    const auto confirmed = confirmedBy_.find(node.alias);
                    return confirmed != confirmedBy_.end() && confirmed->second >= since;
                });
            if (isGone && writes.size() < kMaxPurgedKeys)
                writes.push_back({catalog_keys::kTombstones + std::to_string(table), std::nullopt, 0});
        }
    }
    if (!writes.empty()) cluster_.store().transact({}, writes);
}

// Removes the rows of dropped tables when everything is installed that was decided before the drop: nothing for the
// table can be decided after it. Chunks that a transaction holds, which can only end without a commit, are left for the
// next round.
void NodeMaintenance::removeDropped() {
    const auto dropped = map_.dropped();
    const uint64_t installed = map_.installed();
    for (const auto& [table, revision] : dropped) {
        {
            const MutexLock lock(mutex_);
            if (revision > installed || removed_.count(table) != 0) continue;
        }
        try {
            storage_.commits().removeRows(table, false, kDropTimeout);
            const MutexLock lock(mutex_);
            removed_.insert(table);
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;
        }
    }
    const MutexLock lock(mutex_);
    std::erase_if(removed_, [&](uint64_t table) { return dropped.count(table) == 0; });
}

// Returns the databases and paths of the partitions that have left this node.
std::vector<std::pair<std::string, std::string>> NodeMaintenance::leftPlaces() const {
    const std::string& self = cluster_.self().alias;
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& [database, place] : map_.unsettled()) {
        if (std::find(place.left.begin(), place.left.end(), self) != place.left.end())
            found.emplace_back(database, place.path);
    }
    return found;
}

// Removes the copies of partitions that have left this node, when everything is installed that was decided before.
void NodeMaintenance::removeLeft() {
    const std::string& self = cluster_.self().alias;
    for (const auto& [database, path] : leftPlaces()) {
        // The place is read anew: since it was listed, this node may have been made a replica again.
        auto now = map_.chunk(database, path);
        if (!now) continue;
        PlacedChunk& place = *now;
        const auto own = std::find(place.left.begin(), place.left.end(), self);
        if (own == place.left.end() || map_.installed() < place.revision) continue;
        try {
            for (const uint64_t table : map_.tablesOf(database))
                storage_.commits().removeChunks(table, {place.path}, kDropTimeout);
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;
            continue;
        }
        place.left.erase(own);
        cluster_.store().transact({{placeKey(database, place.path), place.revision}},
                                  {{placeKey(database, place.path), encodePlace(place), 0}});
    }
}

}  // namespace pelorus
