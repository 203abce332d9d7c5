#include "tests/unit/distributed/simulation/simulated_cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "distributed/metadata/sync_rules.h"
#include "runtime/value/vector.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/prepared_commits.h"
#include "storage/commit/storage_options.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/damaged_data.h"
#include "storage/folder/local_storage.h"
#include "storage/folder/maintenance.h"
#include "storage/log/stamp.h"
#include "storage/log/wal_writer.h"
#include "storage/version/version_set.h"

namespace pelorus::testing {
namespace {

constexpr uint64_t kTable = 1;
constexpr const char* kEntryKey = "entry";  // of the table
constexpr int64_t kMillisecond = 1000, kSecond = 1000 * kMillisecond;
constexpr int64_t kFaultsEnd = 14 * kSecond, kLatest = 200 * kSecond;
constexpr int64_t kSilentAfter = 1500 * kMillisecond, kLease = 3 * kSecond, kTimeout = 30 * kSecond;

const std::vector<std::string> kNodes = {"a", "b", "c", "d", "e"};
const Replicas kReplicas = {{"a", "b"}, {"b", "c"}, {"c", "a"}, {"a", "d"}, {"d", "e"}, {"e", "b"}, {"d"}, {"c"}};
constexpr int kPartitions = 8;

std::string pathOf(int partition) {
    return "/" + std::to_string(partition);
}

constexpr const char* kDatabase = "dfs://simulated";

// Whether what this node does to the partition needs no other.
bool isOnly(const PlacedChunk& place, const std::string& alias) {
    return place.replicas.size() == 1 && place.isReplica(alias);
}

ChunkRows chunkOf(int partition, std::vector<int32_t> batches) {
    ChunkRows chunk;
    chunk.table = kTable;
    chunk.path = pathOf(partition);
    chunk.index = {partition};
    chunk.rows = makeRef<MemoryTable>(std::vector<std::string>{"batch"},
                                      std::vector<Value>{Value::of(Vector::of(Type::Int, batches))});
    return chunk;
}

}  // namespace

struct SimulatedCluster::Node {
    std::string alias;
    // A disk, with what the file CLUSTER says on it.
    struct Disk {
        std::unique_ptr<FaultyFileSystem> files = std::make_unique<FaultyFileSystem>();
        std::string folder;
        uint64_t seen = 0, noted = 0;
        uint64_t number = 0;  // of the newest record, when it was put aside
    };
    Disk disk;
    std::optional<Disk> lostDisk;   // what the node had until a disk was lost
    std::optional<Disk> olderDisk;  // a copy of it
    FaultyFileSystem* files = disk.files.get();
    bool isLogMissing = false;
    Micros notedAt = 0;
    std::shared_ptr<LocalStorage> storage;
    std::unique_ptr<Installer> installer;
    ClusterState state;
    std::string incarnation;
    uint64_t life = 0;
    bool isUp = false;
    bool failsSyncs = false;
    Micros diedAt = 0, standsUntil = 0;
    uint64_t followed = 0;   // revision of the store
    uint64_t installed = 0;  // revision up to which the disk has taken everything
    bool isFollowing = false;
    std::map<std::string, std::shared_ptr<Run>> runs;
    uint64_t lastTransaction = 0;
    std::vector<std::shared_ptr<Run>> toDecide;
    bool willSendDecisions = false;
    std::set<int> openBatches;
    std::map<std::string, uint64_t> confirmedBy;
    std::map<std::string, Micros> heardAt;
    struct Waiting {
        uint64_t revision;
        std::shared_ptr<bool> isOver;
        std::function<void()> then;
    };
    std::vector<Waiting> waiting;  // for a revision to be installed
    std::map<uint64_t, std::unique_ptr<VersionSet::Pin>> pins;
    uint64_t lastPin = 0;
    std::unique_ptr<VersionSet::Pin> recent, older;
    Micros pinMovedAt = 0;
    std::map<int, std::set<int>> ownUnderWay;  // by partition, batches that are this node's own commits
    std::map<int, uint64_t> learning;          // by partition, the step
    uint64_t lastStep = 0;
    bool isReturning = false;
    Micros returnNotBefore = 0;
    uint64_t returnStep = 0;
};

// An attempt, and what is under way for it.
struct SimulatedCluster::Run {
    Attempt attempt;
    int batch;
    Micros deadline;
    bool inOrder;
    std::shared_ptr<Reading> seen;  // by a change
    std::vector<MetaCondition> bound;
    std::vector<PlacedChunk> places;
    std::vector<std::string> left = {};  // to ask, in order
    bool isBusy = false;
};

struct SimulatedCluster::Reading {
    uint64_t id = 0;
    uint64_t revision = 0;
    uint64_t base = 0;
    std::shared_ptr<const ClusterConfig> config;
    std::vector<PlacedChunk> places;
    size_t acknowledged = 0, seen = 0;  // when it began
    std::map<int, std::vector<int32_t>> rows;
    std::set<std::string> missing;
    bool hasFailed = false;
};

SimulatedCluster::SimulatedCluster(uint64_t seed, Mistake mistake) : random_(seed), mistake_(mistake) {
    writePeriod_ = between(1, 4) == 1 ? between(kSecond, 3 * kSecond) : between(120, 600) * kMillisecond;
    ClusterConfig config;
    for (const std::string& alias : kNodes) config.started(alias, alias + "/0");
    std::vector<MetaWrite> writes{{kConfigKey, config.encode(), 0}, {kEntryKey, "", 0}};
    for (int p = 0; p < kPartitions; ++p) {
        const PlacedChunk place{pathOf(p), {p}, kReplicas[static_cast<size_t>(p)], {}, {}, {}, 0, {}};
        writes.push_back({placeKey(kDatabase, place.path), encodePlace(place), 0});
    }
    store_.transact({}, writes);
    for (const std::string& alias : kNodes) {
        nodes_.push_back(std::make_unique<Node>());
        nodes_.back()->alias = alias;
        start(*nodes_.back());
    }
}

SimulatedCluster::~SimulatedCluster() {
    for (auto& node : nodes_) {
        if (node->isUp) stop(*node, false);
    }
}

bool SimulatedCluster::chance(double probability) {
    return std::uniform_real_distribution<double>(0, 1)(random_) < probability;
}

SimulatedCluster::Micros SimulatedCluster::between(Micros low, Micros high) {
    return low + static_cast<Micros>(random_() % static_cast<uint64_t>(high - low + 1));
}

void SimulatedCluster::violate(const std::string& what) {
    if (violation_.empty()) violation_ = fmt::format("{} at {} ms", what, now_ / kMillisecond);
}

SimulatedCluster::Node& SimulatedCluster::nodeOf(const std::string& alias) {
    return **std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& node) { return node->alias == alias; });
}

bool SimulatedCluster::isProcessAlive(const std::string& incarnation) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
        return node->incarnation == incarnation && (node->isUp || now_ - node->diedAt < kLease);
    });
}

std::vector<int32_t> SimulatedCluster::rowsAt(const Node& node, int partition, uint64_t number) const {
    std::vector<int32_t> rows;
    const VersionSet& versions = node.storage->versions();
    const uint64_t id = versions.find(kTable, pathOf(partition), number);
    const ChunkVersionRef version = id == 0 ? nullptr : versions.version(id, number);
    if (!version) return rows;
    for (const ChunkPart& part : version->parts) {
        const Ref<MemoryTable> table = part.segment ? part.segment->readAll() : part.rows;
        const Value& column = table->column(0);
        for (int64_t i = 0; i < table->rowCount(); ++i) rows.push_back(static_cast<int32_t>(column.at(i).asLong()));
    }
    return rows;
}

uint64_t SimulatedCluster::changeAt(const Node& node, int partition, uint64_t number) const {
    const VersionSet& versions = node.storage->versions();
    const uint64_t id = versions.find(kTable, pathOf(partition), number);
    const ChunkVersionRef version = id == 0 ? nullptr : versions.version(id, number);
    return version ? version->changedAt : 0;
}

// ---- time, messages, the store

void SimulatedCluster::after(Micros delay, std::function<void()> happen) {
    events_.push({now_ + delay, ++lastOrder_, std::move(happen)});
}

void SimulatedCluster::at(Node& node, Micros delay, std::function<void()> happen) {
    const uint64_t life = node.life;
    after(delay, [this, &node, life, happen = std::move(happen)]() mutable {
        if (!node.isUp || node.life != life) return;
        if (node.standsUntil > now_) {
            at(node, node.standsUntil - now_ + between(0, 5 * kMillisecond), std::move(happen));
        } else {
            happen();
        }
    });
}

void SimulatedCluster::every(Node& node, Micros period, std::function<void()> happen) {
    at(node, between(period / 2, period), [this, &node, period, happen] {
        happen();
        every(node, period, happen);
    });
}

void SimulatedCluster::send(const Node& from, Node& to, std::function<void()> arrive) {
    if (cuts_.count({&from, &to}) != 0 || (!quiet_ && chance(0.01))) return;
    Micros delay = between(100, 2 * kMillisecond);
    // The mistake about late messages is found where there are many.
    const double late = mistake_ == Mistake::OldPrepareAccepted ? 0.2 : 0.02;
    if (!quiet_ && chance(late)) delay = between(kMillisecond, 6 * kSecond);
    at(to, &from == &to ? 20 : delay, std::move(arrive));
}

template <class T>
void SimulatedCluster::ask(Node& node, std::function<T(SimulatedStore&)> question, std::function<void(const T&)> answer,
                           std::function<void()> fail, bool mayRepeat) {
    const auto carryOut = [this, question] {
        const uint64_t before = store_.revision();
        T result = question(store_);
        if (store_.revision() == before) return result;
        for (auto& other : nodes_) {
            if (other->isUp) follow(*other);
        }
        return result;
    };
    if (cutFromStore_.count(&node) != 0 || (!quiet_ && chance(0.01))) return at(node, 2 * kSecond, std::move(fail));
    if (mayRepeat && !quiet_ && chance(0.03)) after(between(kSecond, 15 * kSecond), [carryOut] { carryOut(); });
    Micros delay = between(200, 3 * kMillisecond);
    if (!quiet_ && chance(0.01)) delay = between(kMillisecond, 3 * kSecond);
    delay = std::max(delay, storeStandsUntil_ - now_ + between(0, 100));
    const bool isLost = !quiet_ && chance(0.02);
    const uint64_t life = node.life;
    after(delay, [this, &node, life, carryOut, isLost, answer = std::move(answer), fail = std::move(fail)] {
        const T result = carryOut();
        if (!node.isUp || node.life != life) return;
        if (isLost || cutFromStore_.count(&node) != 0) return at(node, 2 * kSecond, fail);
        at(node, between(100, kMillisecond), [answer, result] { answer(result); });
    });
}

// ---- processes

// Returns false when the folder is damaged and its rows can't be had from others.
bool SimulatedCluster::openStorage(Node& node) {
    StorageOptions options;
    options.maintenance = false;
    options.blockCacheBytes = 1 << 20;
    options.mayMoveAside = [&](const std::string&) {
        if (!haveOthers(node.alias)) return false;
        ClusterConfig config = ClusterConfig::decode(*store_.get(kConfigKey));
        for (NodeConfig& known : config.nodes) {
            if (known.alias == node.alias) ClusterConfig::lose(known);
        }
        store_.transact({}, {{kConfigKey, config.encode(), 0}});
        return true;
    };
    try {
        node.storage = LocalStorage::open(node.alias, *node.files, options);
    } catch (const DamagedData&) {
        if (!node.isLogMissing) throw;
        return false;
    }
    return true;
}

// Whether each partition of the node has another replica in sync.
bool SimulatedCluster::haveOthers(const std::string& alias) const {
    const ClusterConfig config = ClusterConfig::decode(*store_.get(kConfigKey));
    for (int p = 0; p < kPartitions; ++p) {
        const PlacedChunk place = decodePlace(pathOf(p), store_.get(placeKey(kDatabase, pathOf(p)))->value, 0);
        if (place.isReplica(alias) &&
            std::none_of(place.replicas.begin(), place.replicas.end(),
                         [&](const auto& other) { return other != alias && config.isIn(other); }))
            return false;
    }
    return true;
}

Standing SimulatedCluster::standingOfDisk(const Node& node) const {
    const auto kept = store_.get(keptKey(node.alias));
    FolderProof proof{!node.disk.folder.empty(), node.disk.folder, node.disk.seen, node.disk.noted,
                      node.storage->versions().visible()};
    if (mistake_ == Mistake::OldFolderIsTaken && kept)
        proof.number = std::max(proof.number, KeptFolder::decode(kept->value).number);
    const Standing found = standingOf(proof, kept, store_.revision(), stamp::kFirstBase);
    if (found != Standing::StoreIsOlder || mistake_ == Mistake::None) return found;
    const bool isTaken = mistake_ == Mistake::SetBackStoreIsTaken ||
                         (mistake_ == Mistake::RevisionTellsAge && proof.seen <= store_.revision());
    return isTaken ? Standing::Whole : found;
}

// Compares the node's folder with the store as a process that starts does. Returns false when people put another disk
// in.
bool SimulatedCluster::admit(Node& node) {
    if (standingOfDisk(node) == Standing::StoreIsOlder) {
        if (trueStore_) {
            store_ = *trueStore_;  // people bring it back
            trueStore_.reset();
        } else {
            violate("the store was taken for an older one by " + node.alias);
        }
    }
    const Standing standing = standingOfDisk(node);
    ClusterConfig config = ClusterConfig::decode(*store_.get(kConfigKey));
    NodeConfig& own = *std::find_if(config.nodes.begin(), config.nodes.end(),
                                    [&](const NodeConfig& known) { return known.alias == node.alias; });
    const bool isNew = node.life == 0;
    if (node.disk.folder.empty()) node.disk.folder = fmt::format("{}-{}", node.alias, ++lastOrder_);
    if (isNew) return true;
    if (standing == Standing::Whole) {
        if (!own.isLost) return true;
        if (node.isLogMissing) return true;  // put aside a moment ago
        own.isLost = false;
    } else {
        if (!node.lostDisk) violate("the folder of " + node.alias + " was taken for another one");
        bool isAlone = false;
        for (int p = 0; p < kPartitions; ++p) {
            const PlacedChunk place = decodePlace(pathOf(p), store_.get(placeKey(kDatabase, pathOf(p)))->value, 0);
            isAlone |= isOnly(place, node.alias);
        }
        if (isAlone) return false;
        if (mistake_ == Mistake::LostFolderIsIn) return true;
        if (mistake_ == Mistake::LostLogIsNew && node.isLogMissing) return true;
        if (own.isLost) return true;
        ClusterConfig::lose(own);
        if (mistake_ == Mistake::LostFolderIsComplete) own.isLost = false;
    }
    store_.transact({}, {{kConfigKey, config.encode(), 0}});
    return true;
}

void SimulatedCluster::putDiskBack(Node& node) {
    if (!node.lostDisk) return violate("a disk was asked for that was not lost");
    node.storage.reset();
    node.disk = std::move(*node.lostDisk);
    node.files = node.disk.files.get();
    node.lostDisk.reset();
    node.isLogMissing = false;
    ++counts_.putBack;
}

void SimulatedCluster::start(Node& node) {
    if (node.isUp) return;
    if (!openStorage(node) || !admit(node)) {
        putDiskBack(node);
        if (!openStorage(node)) throw InternalError("a disk that was put back is not whole");
        admit(node);
    }
    ++node.life;
    node.isUp = true;
    node.standsUntil = 0;
    if (mistake_ != Mistake::NoFence || node.incarnation.empty()) {
        node.incarnation = fmt::format("{}/{}", node.alias, node.life);
        ClusterConfig config = ClusterConfig::decode(*store_.get(kConfigKey));
        config.started(node.alias, node.incarnation);
        store_.transact({}, {{kConfigKey, config.encode(), 0}});
    }
    node.installer = std::make_unique<Installer>(*node.storage, node.incarnation);
    node.lastTransaction = 0;
    node.state = ClusterState();
    readState(node);
    if (node.state.config()->find(node.alias)->isLost && mistake_ != Mistake::LateComerServes)
        node.installer->keepFrom(node.state.revision());
    node.recent = std::make_unique<VersionSet::Pin>(node.storage->versions(), 0);
    for (auto& other : nodes_) {
        if (other->isUp) follow(*other);
    }
    every(node, 250 * kMillisecond, [this, &node] { round(node); });
    every(node, writePeriod_, [this, &node] {
        if (now_ < kFaultsEnd) write(node);
    });
    every(node, 400 * kMillisecond, [this, &node] { read(node); });
}

void SimulatedCluster::stop(Node& node, bool losePower) {
    node.isUp = false;
    node.diedAt = now_;
    ++node.life;
    for (const int batch : std::set<int>(node.openBatches)) close(batch, Batch::End::Unknown);
    node.openBatches.clear();
    node.runs.clear();
    node.toDecide.clear();
    node.willSendDecisions = false;
    node.waiting.clear();
    node.pins.clear();
    node.recent.reset();
    node.older.reset();
    node.confirmedBy.clear();
    node.heardAt.clear();
    node.isReturning = node.isFollowing = false;
    node.ownUnderWay.clear();
    node.learning.clear();
    node.installer.reset();
    const uint64_t number = node.storage->versions().visible();
    if (losePower) {
        node.files->losePower(random_(), true);
    } else {
        node.files->endProcess(true);
    }
    node.storage.reset();
    if (chance(0.2)) {
        node.olderDisk = Node::Disk{node.files->clone(), node.disk.folder, node.disk.seen, node.disk.noted, number};
    }
    after(kLease, [this] { store_.endLease(); });
}

void SimulatedCluster::readState(Node& node) {
    const MetaRead read = store_.readAll();
    for (const ClusterMoment& moment : node.state.read(read)) node.installer->install(moment);
    node.followed = read.revision;
    node.disk.seen = std::max(node.disk.seen, read.revision);
    node.installed = node.state.revision();
}

bool SimulatedCluster::tryOnDisk(Node& node, const std::function<void()>& work) {
    try {
        work();
        return true;
    } catch (const SystemError& error) {
        if (!error.retryable() && node.state.othersHave(node.alias)) {
            const auto leave = [&node](ClusterConfig& config) -> std::optional<bool> {
                for (NodeConfig& own : config.nodes) {
                    if (own.alias != node.alias) continue;
                    if (own.state == NodeState::Out) return std::nullopt;
                    ClusterConfig::enter(own, NodeState::Out);
                }
                return true;
            };
            changeConfig(node, 2 * kSecond, leave, [](bool) {});
        }
        return false;
    }
}

// Tries until the disk takes it: what comes later waits.
void SimulatedCluster::install(Node& node, const ClusterMoment& moment, std::function<void()> then) {
    if (tryOnDisk(node, [&] { node.installer->install(moment); })) return then();
    at(node, 200 * kMillisecond, [=, this, &node] { install(node, moment, then); });
}

// Notes in the store what the folder has on its disk.
void SimulatedCluster::noteFolder(Node& node) {
    const NodeConfig* own = node.state.config()->find(node.alias);
    if (own->isLost) return;
    const KeptFolder note{node.disk.folder,
                          std::min(node.storage->versions().visible(), node.storage->log().syncedNumber())};
    const std::string key = keptKey(node.alias);
    ask<MetaOutcome>(
        node,
        [=, alias = node.alias](SimulatedStore& store) {
            const ClusterConfig config = ClusterConfig::decode(*store.get(kConfigKey));
            if (config.find(alias)->isLost) return MetaOutcome{};
            return store.transact({}, {{key, note.encode(), 0}});
        },
        [&node, folder = note.folder](const MetaOutcome& outcome) {
            if (!outcome.done || node.disk.folder != folder) return;
            node.disk.noted = outcome.revision;
            node.disk.seen = std::max(node.disk.seen, outcome.revision);
        },
        [] {});
}

void SimulatedCluster::follow(Node& node) {
    if (node.isFollowing || node.followed >= store_.revision()) return;
    node.isFollowing = true;
    Micros delay = between(50, 2 * kMillisecond);
    if (!quiet_ && chance(0.004)) delay = between(kMillisecond, 2 * kSecond);
    at(node, delay, [this, &node] {
        node.isFollowing = false;
        if (cutFromStore_.count(&node) != 0) return at(node, 50 * kMillisecond, [this, &node] { follow(node); });
        const auto then = [this, &node] {
            node.isFollowing = false;
            node.installed = node.state.revision();
            changed(node);
            follow(node);
        };
        if (!quiet_ && node.storage->log().isSound() && !node.failsSyncs && chance(0.002)) {
            readState(node);  // the watch has lost its history
            return then();
        }
        auto moment = node.state.apply(store_.changesAt(++node.followed));
        if (mistake_ == Mistake::RevisionOfHeader && !moment)
            moment = ClusterMoment{node.followed, node.state.base(), {}};
        if (!moment) return then();
        node.isFollowing = true;
        install(node, *moment, then);
    });
}

void SimulatedCluster::changed(Node& node) {
    std::vector<std::function<void()>> due;
    std::erase_if(node.waiting, [&](const Node::Waiting& waiting) {
        if (*waiting.isOver) return true;
        if (node.installed < waiting.revision) return false;
        *waiting.isOver = true;
        due.push_back(waiting.then);
        return true;
    });
    for (const auto& then : due) then();
    const auto runs = node.runs;
    for (const auto& [name, run] : runs) advance(node, run);
}

void SimulatedCluster::whenInstalled(Node& node, uint64_t revision, Micros timeout, std::function<void()> then,
                                     std::function<void()> fail) {
    if (node.installed >= revision) return then();
    auto isOver = std::make_shared<bool>(false);
    node.waiting.push_back({revision, isOver, std::move(then)});
    at(node, timeout, [isOver, fail = std::move(fail)] {
        if (!std::exchange(*isOver, true)) fail();
    });
}

void SimulatedCluster::round(Node& node) {
    if (now_ - node.pinMovedAt >= kSecond) {
        node.pinMovedAt = now_;
        node.older = std::move(node.recent);
        node.recent = std::make_unique<VersionSet::Pin>(node.storage->versions(), 0);
    }
    if (!node.storage->log().isSound() && mistake_ != Mistake::NoNewLog &&
        tryOnDisk(node, [&] { node.storage->maintenance().renewLog(); }))
        ++counts_.newLogs;
    if (mistake_ != Mistake::UnsyncedConfirm) tryOnDisk(node, [&] { node.installer->confirm(); });
    if (now_ - node.notedAt >= kSecond && !node.failsSyncs) {
        node.notedAt = now_;
        noteFolder(node);
    }
    ClusterConfig config = *node.state.config();
    if (mistake_ == Mistake::LostFolderConfirms) {
        for (NodeConfig& known : config.nodes) known.isLost = false;
    }
    const uint64_t confirmed =
        mistake_ == Mistake::UnsyncedConfirm ? node.state.revision() : node.installer->confirmedRevision(config);
    node.confirmedBy[node.alias] = confirmed;
    for (auto& other : nodes_) {
        if (other.get() == &node || !other->isUp) continue;
        Node& target = *other;
        send(node, target, [this, &target, alias = node.alias, confirmed] {
            target.heardAt[alias] = now_;
            uint64_t& known = target.confirmedBy[alias];
            known = std::max(known, confirmed);
        });
    }
    if (mistake_ != Mistake::NoDoubt) tryOnDisk(node, [&] { settle(node); });
    std::set<std::string> open;
    for (const auto& [name, run] : node.runs) open.insert(name);
    auto confirmedBy = node.confirmedBy;
    if (mistake_ == Mistake::EarlyPurge) {
        for (const std::string& alias : kNodes) confirmedBy[alias] = UINT64_MAX;
    }
    std::vector<MetaWrite> writes;
    for (const std::string& name :
         node.installer->toPurge(node.state.records(), *node.state.config(), confirmedBy, open, 100))
        writes.push_back({decisionKey(name), std::nullopt, 0});
    if (!writes.empty()) {
        ask<MetaOutcome>(
            node, [writes](SimulatedStore& store) { return store.transact({}, writes); }, [](const MetaOutcome&) {},
            [] {});
    }
    learn(node);
    if (!node.state.config()->isIn(node.alias) && !node.isReturning && now_ >= node.returnNotBefore) comeBack(node);
}

void SimulatedCluster::settle(Node& node) {
    const Installer::Time time{std::chrono::microseconds(now_)};
    for (const auto& open : node.installer->doubts(time, node.state.records())) {
        const std::string coordinator = incarnationOf(open.name);
        if (!isProcessAlive(coordinator)) {
            endIfAbandoned(node, open);
            continue;
        }
        Node& other = nodeOf(aliasOf(coordinator));
        if (&other == &node) {
            if (node.runs.count(open.name) == 0) endIfAbandoned(node, open);
            continue;
        }
        send(node, other, [this, &node, &other, open] {
            if (other.runs.count(open.name) != 0) return;
            send(other, node, [this, &node, open] { endIfAbandoned(node, open); });
        });
    }
}

void SimulatedCluster::endIfAbandoned(Node& node, const PreparedCommits::OpenTransaction& open) {
    const std::string key = decisionKey(open.name), record = Installer::abortOf(open).encode();
    ask<MetaOutcome>(
        node,
        [key, record](SimulatedStore& store) {
            return store.transact({{key, 0}}, {{key, record, 0}});
        },
        [](const MetaOutcome&) {}, [] {}, true);
}

// ---- writing

// Whether no other node keeps the partition, or is to.
bool SimulatedCluster::isOwn(const Node& node, int partition) const {
    const PlacedChunk place = placeAt(node, partition);
    return place.isAlone() && place.isReplica(node.alias);
}

void SimulatedCluster::write(Node& node) {
    std::vector<int> partitions;
    for (int p = 0; p < kPartitions; ++p) partitions.push_back(p);
    std::shuffle(partitions.begin(), partitions.end(), random_);
    partitions.resize(static_cast<size_t>(between(1, 3)));
    // Some batches are for partitions that this node alone keeps.
    if (chance(0.3)) {
        std::erase_if(partitions, [&](int p) { return !isOwn(node, p); });
        if (partitions.empty()) return;
    }
    const int batch = static_cast<int>(batches_.size());
    const bool areOwn = std::all_of(partitions.begin(), partitions.end(), [&](int p) { return isOwn(node, p); });
    const bool isChange = !areOwn && chance(0.25);
    batches_.push_back({partitions, isChange});
    node.openBatches.insert(batch);
    if (areOwn) return writeOwn(node, batch, now_ + kTimeout);
    if (isChange) return beginChange(node, batch, now_ + kTimeout);
    begin(node, batch, now_ + kTimeout, false);
}

// Waits for changes that hold its partitions; here nobody may, so it is tried until none does. Between the look at the
// places and the commit time passes, in which a learner may come: it waits for commits that have begun.
void SimulatedCluster::writeOwn(Node& node, int batch, Micros deadline) {
    const std::vector<int>& partitions = batches_[static_cast<size_t>(batch)].partitions;
    for (const int p : partitions) {
        if (!isOwn(node, p)) return begin(node, batch, deadline, false);
        if (isAtRest(node, p)) continue;
        if (now_ >= deadline) return close(batch, Batch::End::Refused);
        return at(node, 2 * kMillisecond, [this, &node, batch, deadline] { writeOwn(node, batch, deadline); });
    }
    for (const int p : partitions) node.ownUnderWay[p].insert(batch);
    // Disks are slow at times. Who forgets to wait for these commits is looked at where they are slow often.
    const bool isSlow = !quiet_ && chance(mistake_ == Mistake::NoSettledCommits ? 0.8 : 0.2);
    const Micros longest = (!isSlow ? 10 : mistake_ == Mistake::NoSettledCommits ? 1000 : 500) * kMillisecond;
    at(node, between(0, longest), [this, &node, batch, deadline] {
        for (auto& [p, batches] : node.ownUnderWay) batches.erase(batch);
        std::vector<ChunkRows> chunks;
        for (const int p : batches_[static_cast<size_t>(batch)].partitions) {
            chunks.push_back(chunkOf(p, {batch}));
            if (!isAtRest(node, p)) return writeOwn(node, batch, deadline);
        }
        if (!tryOnDisk(node, [&] { node.storage->commits().append(std::move(chunks)); }))
            return close(batch, Batch::End::Unknown);
        ++counts_.own;
        close(batch, Batch::End::Acknowledged);
    });
}

void SimulatedCluster::close(int batch, Batch::End end) {
    Batch& closed = batches_[static_cast<size_t>(batch)];
    for (auto& node : nodes_) node->openBatches.erase(batch);
    closed.end = end;
    if (end == Batch::End::Acknowledged) acknowledged_.push_back(batch);
    counts_.changes += end == Batch::End::Acknowledged && closed.isChange ? 1 : 0;
    counts_.acknowledged += end == Batch::End::Acknowledged ? 1 : 0;
    counts_.refused += end == Batch::End::Refused ? 1 : 0;
    counts_.unknown += end == Batch::End::Unknown ? 1 : 0;
}

void SimulatedCluster::begin(Node& node, int batch, Micros deadline, bool inOrder, std::shared_ptr<Reading> seen) {
    Replicas replicas;
    std::set<std::string> learners;
    std::vector<PlacedChunk> places;
    for (const int p : batches_[static_cast<size_t>(batch)].partitions) {
        places.push_back(placeAt(node, p));
        replicas.push_back(places.back().replicas);
        for (const Learner& learner : places.back().learners) {
            if (learner.isJoining) learners.insert(learner.alias);
        }
    }
    const std::string name = fmt::format("{}/{:012x}", node.incarnation, ++node.lastTransaction);
    const MetaEntry entry = *node.state.entry(kEntryKey);
    try {
        auto run = std::make_shared<Run>(
            Run{Attempt(name, std::move(replicas), std::move(learners), node.state.config(), node.incarnation),
                batch,
                deadline,
                inOrder,
                std::move(seen),
                {{entry.key, entry.revision}},
                std::move(places)});
        boundBy_[name] = entry.revision;
        node.runs[name] = run;
        prepare(node, run);
    } catch (const SystemError&) {
        close(batch, Batch::End::Refused);  // no replica is in sync
    }
}

// Reads the partitions at one revision, of which all replicas in sync keep what they have then, and replaces their
// rows.
void SimulatedCluster::beginChange(Node& node, int batch, Micros deadline) {
    auto reading = std::make_shared<Reading>();
    reading->id = ++lastOrder_;
    const auto again = [this, &node, batch, deadline, reading] {
        if (std::exchange(reading->hasFailed, true)) return;
        if (now_ >= deadline) return close(batch, Batch::End::Refused);
        at(node, 300 * kMillisecond, [this, &node, batch, deadline] { beginChange(node, batch, deadline); });
    };
    const auto open = [=, this, &node](uint64_t revision) {
        whenInstalled(
            node, revision, 5 * kSecond,
            [=, this, &node] {
                if (reading->hasFailed) return;
                reading->revision = node.state.revision();
                reading->base = node.state.base();
                reading->config = node.state.config();
                for (int p = 0; p < kPartitions; ++p) reading->places.push_back(placeAt(node, p));
                openForChange(node, batch, deadline, reading);
            },
            again);
    };
    at(node, 4 * kSecond, again);
    ask<uint64_t>(
        node, [](const SimulatedStore& store) { return store.clock(); }, open, [] {});
}

void SimulatedCluster::openForChange(Node& node, int batch, Micros deadline, const std::shared_ptr<Reading>& reading) {
    const std::vector<int>& partitions = batches_[static_cast<size_t>(batch)].partitions;
    for (const int p : partitions) {
        const std::vector<std::string>& of = reading->places[static_cast<size_t>(p)].replicas;
        const bool isAlone = of.size() == 1;
        for (const std::string& alias : of) {
            Node& target = nodeOf(alias);
            if (!target.isUp || (!isAlone && !reading->config->isIn(alias))) continue;
            const auto serve = [=, this, &node, &target] {
                if (!isAlone && !mayServe(target, reading->revision)) return;
                try {
                    if (target.pins.count(reading->id) == 0)
                        target.pins[reading->id] = target.installer->pinAt(reading->revision, reading->base);
                } catch (const SystemError&) {
                    return;
                }
                at(target, 10 * kSecond, [&target, id = reading->id] { target.pins.erase(id); });
                const auto rows = rowsAt(target, p, target.pins.at(reading->id)->number());
                send(target, node, [=, this, &node] {
                    if (reading->hasFailed) return;
                    const auto [known, isNew] = reading->rows.emplace(p, rows);
                    if (!isNew && known->second != rows) violate(fmt::format("replicas of {} differ", p));
                    if (reading->rows.size() < partitions.size()) return;
                    reading->hasFailed = true;  // over
                    // Other replicas are asked for their snapshots a moment later than the first has answered.
                    at(node, 5 * kMillisecond, [=, this, &node] { begin(node, batch, deadline, true, reading); });
                });
            };
            send(node, target,
                 [=, this, &target] { whenInstalled(target, reading->revision, kSilentAfter, serve, [] {}); });
        }
    }
}

// Returns what a node is to prepare, as it knows the rows that are replaced.
std::vector<ChunkRows> SimulatedCluster::chunksFor(Node& node, const Run& run) const {
    std::vector<ChunkRows> chunks;
    const std::vector<int>& partitions = batches_[static_cast<size_t>(run.batch)].partitions;
    for (size_t i = 0; i < partitions.size(); ++i) {
        const int p = partitions[i];
        if (!run.places[i].prepares(node.alias)) continue;
        if (!run.seen) {
            chunks.push_back(chunkOf(p, {run.batch}));
            continue;
        }
        std::vector<int32_t> rows = run.seen->rows.at(p);
        ChunkRows chunk = chunkOf(p, {});
        chunk.replaces = ChunkRows::Replaces::Seen;
        chunk.seenRows = static_cast<int64_t>(rows.size());
        rows.push_back(run.batch);
        chunk.rows = chunkOf(p, rows).rows;
        const PlacedChunk place = placeAt(node, p);
        const bool compares =
            isOnly(place, node.alias) || (place.isReplica(node.alias) && node.state.config()->isIn(node.alias));
        const auto pin = node.pins.find(run.seen->id);
        if (mistake_ == Mistake::JoiningSkipsChanges && !compares) continue;
        if (compares && mistake_ != Mistake::UncheckedChange)
            chunk.seenAt = pin == node.pins.end() ? UINT64_MAX : pin->second->number();
        if (mistake_ == Mistake::ChangeOfOldRows && chunk.seenAt != 0)
            chunk.seenAt = node.storage->versions().visible();
        chunks.push_back(std::move(chunk));
    }
    return chunks;
}

static CommitResult answerOf(CommitResult change) {
    switch (change) {
        case CommitResult::Done:
            return CommitResult::Done;
        case CommitResult::Busy:
            return CommitResult::Busy;
        case CommitResult::RowsChanged:
            return CommitResult::RowsChanged;
        default:
            return CommitResult::RowsMoved;
    }
}

void SimulatedCluster::prepare(Node& node, const std::shared_ptr<Run>& run) {
    const std::vector<std::string> nodes(run->attempt.asked().begin(), run->attempt.asked().end());
    if (!run->inOrder) {
        for (const std::string& alias : nodes) prepareAt(node, run, alias);
        return;
    }
    run->left = nodes;  // their aliases are in the order of their numbers
    std::reverse(run->left.begin(), run->left.end());
    const std::string first = run->left.back();
    run->left.pop_back();
    prepareAt(node, run, first);
}

void SimulatedCluster::prepareAt(Node& node, const std::shared_ptr<Run>& run, const std::string& alias) {
    Node& target = nodeOf(alias);
    const auto next = [this, &node, run] {
        if (!run->left.empty() && !run->attempt.isRefused() && node.runs.count(run->attempt.name()) != 0) {
            const std::string following = run->left.back();
            run->left.pop_back();
            prepareAt(node, run, following);
        }
        advance(node, run);
    };
    auto isOver = std::make_shared<bool>(false);
    const auto reply = [this, &node, &target, run, alias, next, isOver](std::optional<CommitResult> answer) {
        send(target, node, [run, alias, answer, next, isOver] {
            if (answer) {
                run->attempt.answered(alias, *answer);
            } else {
                run->attempt.giveUp();
            }
            *isOver = true;
            next();
        });
    };
    const uint64_t revision = run->attempt.config().revision;
    send(node, target, [this, &target, run, revision, reply] {
        whenInstalled(
            target, std::max(revision, run->bound[0].revision), kSilentAfter,
            [this, &target, run, revision, reply] {
                const auto& partitions = batches_[static_cast<size_t>(run->batch)].partitions;
                bool onlyAlone = true, isKeptHere = true;
                for (size_t i = 0; i < partitions.size(); ++i) {
                    if (!run->places[i].prepares(target.alias)) continue;
                    const PlacedChunk place = placeAt(target, partitions[i]);
                    onlyAlone = onlyAlone && isOnly(place, target.alias);
                    isKeptHere = isKeptHere && place.prepares(target.alias);
                }
                const uint64_t sent = mistake_ == Mistake::OldPrepareAccepted ? UINT64_MAX : revision;
                CommitResult answer = target.installer->mayPrepare(*target.state.config(), sent, onlyAlone);
                const bool isBound = target.state.entry(kEntryKey)->revision == run->bound[0].revision;
                if (!isKeptHere) answer = CommitResult::OldConfig;
                if (!isBound && mistake_ != Mistake::NoTableCompare) answer = CommitResult::TableChanged;
                if (answer == CommitResult::Done) {
                    std::vector<ChunkRows> chunks = chunksFor(target, *run);
                    const bool isUnseen = std::any_of(chunks.begin(), chunks.end(), [](const ChunkRows& chunk) {
                        return chunk.seenAt == UINT64_MAX;
                    });
                    const std::vector<std::string> participants(run->attempt.asked().begin(),
                                                                run->attempt.asked().end());
                    answer = CommitResult::RowsMoved;
                    const auto prepare = [&] {
                        if (isUnseen) return;
                        answer = answerOf(target.storage->prepared().prepare(
                            run->attempt.name(), participants, std::move(chunks), std::chrono::milliseconds(0)));
                    };
                    if (!tryOnDisk(target, prepare)) return reply(std::nullopt);
                }
                reply(answer);
            },
            [reply] { reply(std::nullopt); });
    });
    at(node, 2 * kSecond, [this, run, alias, next, isOver] {
        if (mistake_ == Mistake::LostCountsAsPrepared) run->attempt.answered(alias, CommitResult::Done);
        run->attempt.lost(alias, "silent");
        if (!std::exchange(*isOver, true)) next();
    });
}

void SimulatedCluster::advance(Node& node, const std::shared_ptr<Run>& run) {
    if (run->isBusy || node.runs.count(run->attempt.name()) == 0) return;
    const bool arePlacesSame = std::all_of(run->places.begin(), run->places.end(), [&](const PlacedChunk& place) {
        return node.state.chunk(kDatabase, place.path)->revision == place.revision;
    });
    const Attempt::Step step = run->attempt.next(node.state.config(), arePlacesSame || mistake_ == Mistake::OldPlaces);
    switch (step.kind) {
        case Attempt::Kind::Wait:
            return;
        case Attempt::Kind::WriteOut:
            run->isBusy = true;
            return writeOut(node, step.alias, 0, [this, &node, run, alias = step.alias](bool done) {
                run->isBusy = false;
                run->attempt.wroteOut(alias, done);
                advance(node, run);
            });
        case Attempt::Kind::Decide:
            return decide(node, run);
        case Attempt::Kind::Abort:
            return abort(node, run);
        case Attempt::Kind::End:
            return finish(node, run);
    }
}

// How the store knows a transaction: 1 committed, 0 aborted, -1 not at all.
static int endOf(const SimulatedStore& store, const std::string& name) {
    const auto there = store.get(decisionKey(name));
    if (!there) return -1;
    const auto record = TransactionRecord::decode(name, there->value, there->revision);
    return record && record->commit ? 1 : 0;
}

void SimulatedCluster::decide(Node& node, const std::shared_ptr<Run>& run) {
    run->isBusy = true;
    node.toDecide.push_back(run);
    if (std::exchange(node.willSendDecisions, true)) return;
    at(node, between(0, 4 * kMillisecond), [this, &node] { sendDecisions(node); });
}

// All that wait, and compare the same configuration, in one transaction.
void SimulatedCluster::sendDecisions(Node& node) {
    node.willSendDecisions = false;
    std::vector<std::shared_ptr<Run>> batch;
    const uint64_t compared = node.toDecide.front()->attempt.config().revision;
    std::erase_if(node.toDecide, [&](const std::shared_ptr<Run>& run) {
        if (run->attempt.config().revision != compared) return false;
        batch.push_back(run);
        return true;
    });
    if (!node.toDecide.empty()) {
        node.willSendDecisions = true;
        at(node, kMillisecond, [this, &node] { sendDecisions(node); });
    }
    std::vector<MetaPut> puts;
    for (const auto& run : batch) {
        TransactionRecord record = run->attempt.record(true);
        record.place = puts.size();
        puts.push_back({{decisionKey(record.transaction), record.encode(), 0},
                        mistake_ == Mistake::NoTableCompare ? std::vector<MetaCondition>() : run->bound});
    }
    std::vector<MetaCondition> conditions;
    if (mistake_ != Mistake::NoConfigCompare) conditions.push_back({kConfigKey, compared});
    const auto fail = [this, &node, batch] {
        for (const auto& run : batch) {
            run->isBusy = false;
            if (mistake_ == Mistake::UnknownIsRefused) {
                node.runs.erase(run->attempt.name());
                close(run->batch, Batch::End::Refused);
                continue;
            }
            if (now_ >= run->deadline) run->attempt.giveUp();
            advance(node, run);
        }
    };
    ask<MetaAbsentOutcome>(
        node, [=](SimulatedStore& store) { return store.putAbsent(conditions, puts); },
        [=, this, &node](const MetaAbsentOutcome& outcome) {
            for (size_t i = 0; i < batch.size(); ++i) {
                const auto run = batch[i];
                if (!outcome.done) {
                    askHowItEnded(node, run, [this, &node, run] {
                        run->isBusy = false;
                        if (now_ >= run->deadline) run->attempt.giveUp();
                        advance(node, run);
                    });
                    continue;
                }
                run->isBusy = false;
                const MetaAbsentOutcome::Key& key = outcome.keys[i];
                const auto record =
                    key.there ? TransactionRecord::decode(run->attempt.name(), key.there->value, key.there->revision)
                              : std::nullopt;
                if (!key.isWritten && !key.there) {
                    run->attempt.decided(Decision::TableChanged);
                } else {
                    run->attempt.decided(key.isWritten || (record && record->commit) ? Decision::Committed
                                                                                     : Decision::Aborted);
                }
                advance(node, run);
            }
        },
        fail, true);
}

void SimulatedCluster::askHowItEnded(Node& node, const std::shared_ptr<Run>& run, std::function<void()> fail) {
    ask<int>(
        node, [name = run->attempt.name()](const SimulatedStore& store) { return endOf(store, name); },
        [this, &node, run](int end) {
            run->isBusy = false;
            if (end < 0) {
                run->attempt.decided(Decision::Refused);
            } else {
                run->attempt.decided(end == 1 ? Decision::Committed : Decision::Aborted);
            }
            advance(node, run);
        },
        std::move(fail));
}

void SimulatedCluster::abort(Node& node, const std::shared_ptr<Run>& run) {
    const std::string name = run->attempt.name(), key = decisionKey(name);
    if (mistake_ == Mistake::ForgetAfterSending) {
        node.runs.erase(name);
        for (const std::string& alias : run->attempt.asked()) {
            Node& target = nodeOf(alias);
            send(node, target, [this, &target, name] {
                tryOnDisk(target, [&] { target.storage->prepared().applyDecisions({{name, false, 0}}); });
            });
        }
        return beginAgain(node, run);
    }
    run->isBusy = true;
    const std::string record = run->attempt.record(false).encode();
    const auto fail = [this, &node, run] {
        run->isBusy = false;
        if (now_ >= run->deadline) run->attempt.giveUp();
        advance(node, run);
    };
    ask<int>(
        node,
        [=](SimulatedStore& store) {
            store.transact({{key, 0}}, {{key, record, 0}});
            return endOf(store, name);
        },
        [=, this, &node](int end) {
            run->isBusy = false;
            run->attempt.decided(end == 1 ? Decision::Committed : Decision::Aborted);
            advance(node, run);
        },
        fail, true);
}

void SimulatedCluster::finish(Node& node, const std::shared_ptr<Run>& run) {
    const std::string name = run->attempt.name();
    node.runs.erase(name);
    if (run->attempt.mayForget()) {
        for (const std::string& alias : run->attempt.asked()) {
            Node& target = nodeOf(alias);
            if (target.isUp) {
                send(node, target, [this, &target, name] {
                    tryOnDisk(target, [&] { target.storage->prepared().applyDecisions({{name, false, 0}}); });
                });
            }
        }
    }
    switch (run->attempt.result().value_or(CommitResult::Refused)) {
        case CommitResult::Done:
            return close(run->batch, Batch::End::Acknowledged);
        case CommitResult::Unknown:
            return close(run->batch, Batch::End::Unknown);
        case CommitResult::TryAgain:
        case CommitResult::Busy:
        case CommitResult::TableChanged:
        case CommitResult::RowsChanged:
        case CommitResult::RowsMoved: {
            ++counts_.again;
            counts_.boundAnew += run->attempt.result() == CommitResult::TableChanged ? 1 : 0;
            if (now_ >= run->deadline) return close(run->batch, Batch::End::Refused);
            run->inOrder |= run->attempt.result() == CommitResult::Busy;
            return at(node, between(20, 500) * kMillisecond, [this, &node, run] { beginAgain(node, run); });
        }
        default:
            return close(run->batch, Batch::End::Refused);
    }
}

void SimulatedCluster::beginAgain(Node& node, const std::shared_ptr<Run>& run) {
    if (!run->seen) return begin(node, run->batch, run->deadline, run->inOrder);
    ++counts_.seenAnew;
    if (mistake_ == Mistake::ChangeOfOldRows) return begin(node, run->batch, run->deadline, true, run->seen);
    beginChange(node, run->batch, run->deadline);
}

// Changes the configuration that is the newest now. `change` returns whether it is to be written, or nothing when
// that is over; `done` is told whether it was written, or over already.
void SimulatedCluster::changeConfig(Node& node, Micros timeout,
                                    std::function<std::optional<bool>(ClusterConfig&)> change,
                                    std::function<void(bool)> done, std::function<std::vector<MetaWrite>()> with) {
    const auto fail = [done] { done(false); };
    const auto write = [=, this, &node] {
        ClusterConfig config = *node.state.config();
        const std::optional<bool> isWanted = change(config);
        if (!isWanted || !*isWanted) return done(!isWanted);
        const uint64_t compared = config.revision;
        std::vector<MetaWrite> writes = with ? with() : std::vector<MetaWrite>();
        writes.push_back({kConfigKey, config.encode(), 0});
        ask<MetaOutcome>(
            node,
            [compared, writes](SimulatedStore& store) {
                return store.transact({{kConfigKey, compared}}, writes);
            },
            [=, this, &node](const MetaOutcome& outcome) {
                whenInstalled(
                    node, outcome.revision, timeout, [=] { done(outcome.done); }, fail);
            },
            fail);
    };
    ask<uint64_t>(
        node, [](const SimulatedStore& store) { return store.clock(); },
        [=, this, &node](uint64_t revision) { whenInstalled(node, revision, timeout, write, fail); }, fail);
}

void SimulatedCluster::writeOut(Node& node, const std::string& alias, int attempt, std::function<void(bool)> done) {
    if (attempt == 5) return done(false);
    auto mayNot = std::make_shared<bool>(false);
    auto isWritten = std::make_shared<bool>(false);
    const auto change = [=, this, &node](ClusterConfig& config) -> std::optional<bool> {
        std::set<std::string> living, heard{node.alias};
        for (const auto& other : nodes_) {
            if (isProcessAlive(other->incarnation)) living.insert(other->alias);
            const auto at = node.heardAt.find(other->alias);
            if (at != node.heardAt.end() && now_ - at->second < kSilentAfter) heard.insert(other->alias);
        }
        *mayNot = !mayWriteOut(config, node.alias, alias, living, {}, heard);
        if (*mayNot) return false;
        const auto other = std::find_if(config.nodes.begin(), config.nodes.end(),
                                        [&](const NodeConfig& known) { return known.alias == alias; });
        if (other->state == NodeState::Out) return std::nullopt;
        ClusterConfig::enter(*other, NodeState::Out);
        *isWritten = true;
        return true;
    };
    changeConfig(node, 2 * kSecond, change, [=, this, &node](bool isDone) {
        if (isDone) counts_.leavings += *isWritten ? 1 : 0;
        if (isDone || *mayNot || !*isWritten) return done(isDone);
        writeOut(node, alias, attempt + 1, done);
    });
}

// ---- reading

void SimulatedCluster::read(Node& node) {
    auto reading = std::make_shared<Reading>();
    reading->id = ++lastOrder_;
    reading->acknowledged = acknowledged_.size();
    reading->seen = seen_.size();
    const auto open = [this, &node, reading](uint64_t revision) {
        whenInstalled(
            node, revision, 5 * kSecond,
            [this, &node, reading] {
                reading->revision = node.state.revision();
                reading->base = node.state.base();
                reading->config = node.state.config();
                for (int p = 0; p < kPartitions; ++p) reading->places.push_back(placeAt(node, p));
                openParts(node, reading);
            },
            [] {});
    };
    if (mistake_ == Mistake::OwnRevision) return open(node.state.revision());
    ask<uint64_t>(
        node, [](const SimulatedStore& store) { return store.clock(); }, open, [] {});
}

// Asks for the partitions that are missing: each is read from the first replica in sync that has not failed.
void SimulatedCluster::openParts(Node& node, const std::shared_ptr<Reading>& reading) {
    std::map<std::string, std::vector<int>> byNode;
    for (int p = 0; p < kPartitions; ++p) {
        if (reading->rows.count(p) != 0) continue;
        const auto& of = reading->places[static_cast<size_t>(p)].replicas;
        const auto found = std::find_if(of.begin(), of.end(), [&](const std::string& alias) {
            return reading->missing.count(alias) == 0 &&
                   (of.size() == 1 || reading->config->isIn(alias) || mistake_ == Mistake::OutOfSyncServes);
        });
        if (found == of.end()) {
            reading->hasFailed = true;
            return;
        }
        byNode[*found].push_back(p);
    }
    if (byNode.empty()) return check(*reading);
    for (const auto& [alias, partitions] : byNode) {
        Node& target = nodeOf(alias);
        auto isOver = std::make_shared<bool>(false);
        const auto fail = [this, &node, reading, isOver, alias = alias] {
            if (std::exchange(*isOver, true) || reading->hasFailed) return;
            if (reading->missing.insert(alias).second) openParts(node, reading);
        };
        at(node, 2500 * kMillisecond, fail);
        if (!target.isUp) continue;
        const auto serve = [this, &node, &target, reading, isOver, fail, partitions = partitions] {
            const bool isReplicated = std::any_of(partitions.begin(), partitions.end(), [&](int p) {
                return reading->places[static_cast<size_t>(p)].replicas.size() > 1;
            });
            if (isReplicated && !mayServe(target, reading->revision)) return send(target, node, fail);
            if (target.pins.count(reading->id) == 0) {
                try {
                    target.pins[reading->id] = target.installer->pinAt(reading->revision, reading->base);
                } catch (const SystemError&) {
                    return send(target, node, fail);
                }
            }
            at(target, between(0, 20 * kMillisecond), [this, &node, &target, reading, isOver, partitions] {
                const auto pin = target.pins.find(reading->id);
                if (pin == target.pins.end()) return;
                std::map<int, std::vector<int32_t>> rows;
                for (const int p : partitions) rows[p] = rowsAt(target, p, pin->second->number());
                at(target, kSecond, [&target, id = reading->id] { target.pins.erase(id); });
                send(target, node, [this, &node, reading, isOver, rows] {
                    if (std::exchange(*isOver, true) || reading->hasFailed) return;
                    for (const auto& [p, found] : rows) reading->rows.emplace(p, found);
                    if (reading->rows.size() == kPartitions) check(*reading);
                });
            });
        };
        send(node, target, [this, &node, &target, reading, serve, fail] {
            if (mistake_ == Mistake::NoWaitForRevision) return serve();
            whenInstalled(target, reading->revision, kSilentAfter, serve,
                          [this, &node, &target, fail] { send(target, node, fail); });
        });
    }
}

// Whether the node may say what partitions of several replicas had at a revision.
bool SimulatedCluster::mayServe(const Node& node, uint64_t revision) const {
    if (mistake_ == Mistake::OutOfSyncServes) return true;
    const auto config = node.state.config();
    return mistake_ == Mistake::LateComerServes ? config->isIn(node.alias) : config->isInSince(node.alias, revision);
}

void SimulatedCluster::check(Reading& reading) {
    reading.hasFailed = true;  // over: later answers change nothing
    ++counts_.reads;
    std::vector<std::vector<int>> found(batches_.size());
    for (const auto& [p, rows] : reading.rows) {
        for (const int32_t batch : rows) found[static_cast<size_t>(batch)].push_back(p);
    }
    std::vector<int> there;
    for (size_t b = 0; b < batches_.size(); ++b) {
        if (found[b].empty()) continue;
        there.push_back(static_cast<int>(b));
        std::vector<int> expected = batches_[b].partitions;
        std::sort(expected.begin(), expected.end());
        std::sort(found[b].begin(), found[b].end());
        if (found[b] != expected)
            violate(fmt::format("batch {} of partitions {} is in {}", b, fmt::join(expected, ","),
                                fmt::join(found[b], ",")));
        if (batches_[b].end == Batch::End::Refused) violate(fmt::format("batch {} was refused and is there", b));
    }
    for (size_t i = 0; i < reading.acknowledged; ++i) {
        if (found[static_cast<size_t>(acknowledged_[i])].empty())
            violate(fmt::format("batch {} was acknowledged and is missing", acknowledged_[i]));
    }
    for (size_t i = 0; i < reading.seen; ++i) {
        if (found[static_cast<size_t>(seen_[i])].empty())
            violate(fmt::format("batch {} was seen before and is gone", seen_[i]));
    }
    for (const int batch : there) {
        if (isSeen_.insert(batch).second) seen_.push_back(batch);
    }
}

// ---- return of a node

void SimulatedCluster::failedReturn(Node& node) {
    node.isReturning = false;
    node.returnNotBefore = now_ + 500 * kMillisecond;
}

void SimulatedCluster::enter(Node& node, NodeState state, uint64_t joined, std::function<void(bool)> done) {
    const auto change = [&node, state, joined](ClusterConfig& config) -> std::optional<bool> {
        const auto own = std::find_if(config.nodes.begin(), config.nodes.end(),
                                      [&](const NodeConfig& known) { return known.alias == node.alias; });
        if (own->incarnation != node.incarnation || (joined != 0 && own->since != joined)) return false;
        ClusterConfig::enter(*own, state);
        return true;
    };
    const auto note = [&node, state] {
        std::vector<MetaWrite> writes;
        const uint64_t number = std::min(node.storage->versions().visible(), node.storage->log().syncedNumber());
        if (state == NodeState::In)
            writes.push_back({keptKey(node.alias), KeptFolder{node.disk.folder, number}.encode(), 0});
        return writes;
    };
    changeConfig(node, 5 * kSecond, change, std::move(done), note);
}

void SimulatedCluster::comeBack(Node& node) {
    if (!node.storage->log().isSound()) return;
    node.isReturning = true;
    const auto config = node.state.config();
    std::vector<int> toCopy;
    for (int p = 0; p < kPartitions; ++p) {
        const PlacedChunk place = placeAt(node, p);
        if (!place.isReplica(node.alias)) continue;
        const Recovery recovery = recoveryOf(*config, node.alias, place.replicas);
        if (recovery == Recovery::Await && mistake_ != Mistake::AnyReturnsFirst) return failedReturn(node);
        if (recovery != Recovery::None) toCopy.push_back(p);
    }
    if (mistake_ == Mistake::CopyBeforeJoining) return copyNext(node, 0, toCopy);
    enter(node, NodeState::Joining, 0, [this, &node](bool done) {
        const NodeConfig* own = node.state.config()->find(node.alias);
        if (!done || own->state != NodeState::Joining) return failedReturn(node);
        std::vector<int> kept;
        for (int p = 0; p < kPartitions; ++p) {
            if (placeAt(node, p).isReplica(node.alias)) kept.push_back(p);
        }
        if (mistake_ == Mistake::ReturnWithoutCopy) kept.clear();
        copyNext(node, own->since, kept);
    });
}

void SimulatedCluster::copyNext(Node& node, uint64_t joined, std::vector<int> left) {
    const uint64_t step = ++node.returnStep;
    at(node, 10 * kSecond, [this, &node, step] {
        if (node.isReturning && node.returnStep == step) failedReturn(node);
    });
    const auto isOver = [&node, step] { return !node.isReturning || node.returnStep != step; };
    const auto fail = [this, &node, isOver] {
        if (!isOver()) failedReturn(node);
    };
    if (left.empty()) return endReturn(node, joined);
    const int p = left.back();
    const std::vector<int> rest(left.begin(), left.end() - 1);
    const PlacedChunk place = placeAt(node, p);
    const Recovery recovery =
        place.isReplica(node.alias) ? recoveryOf(*node.state.config(), node.alias, place.replicas) : Recovery::None;
    if (recovery == Recovery::Await && mistake_ != Mistake::AnyReturnsFirst) return fail();
    if (recovery != Recovery::Copy) return copyNext(node, joined, rest);
    copyOne(
        node, p, isOver, [=, this, &node](bool done) { copyNext(node, joined, done ? rest : left); }, fail);
}

// Replaces what a node has of a partition by what a replica in sync has, at the newest revision.
void SimulatedCluster::copyOne(Node& node, int p, std::function<bool()> isOver, std::function<void(bool)> done,
                               std::function<void()> fail) {
    ask<uint64_t>(
        node, [](const SimulatedStore& store) { return store.clock(); },
        [=, this, &node](uint64_t newest) {
            whenInstalled(
                node, newest, 5 * kSecond,
                [=, this, &node] {
                    if (isOver()) return;
                    const auto config = node.state.config();
                    const std::vector<std::string> of = placeAt(node, p).replicas;
                    const auto source = std::find_if(of.begin(), of.end(), [&](const std::string& alias) {
                        return alias != node.alias && (of.size() == 1 || config->isIn(alias));
                    });
                    if (source == of.end()) return fail();
                    Node& other = nodeOf(*source);
                    if (!other.isUp) return fail();
                    const uint64_t revision = node.installed, base = node.state.base();
                    const uint64_t pin = ++lastOrder_;
                    try {
                        node.pins[pin] = node.installer->pinAt(revision, base);
                    } catch (const SystemError&) {
                        return fail();
                    }
                    const bool isAlone = of.size() == 1;
                    send(node, other, [=, this, &node, &other] {
                        whenInstalled(
                            other, revision, kSilentAfter,
                            [=, this, &node, &other] {
                                if (!isAlone && !mayServe(other, revision)) return send(other, node, fail);
                                try {
                                    const auto there = other.installer->pinAt(revision, base);
                                    Copied copied{rowsAt(other, p, there->number()),
                                                  changeAt(other, p, there->number()),
                                                  other.state.config()->find(other.alias)->since};
                                    send(other, node, [=, this, &node, from = other.alias] {
                                        // An answer to the process before meets no pin.
                                        if (isOver() || node.pins.count(pin) == 0) return;
                                        const uint64_t own = changeAt(node, p, node.pins.at(pin)->number());
                                        if (!mayReplace(own, copied.change, copied.since, base))
                                            violate(fmt::format("{} would replace newer rows of {}", from, p));
                                        counts_.setAside += mayReplace(own, copied.change, 0, base) ? 0 : 1;
                                        replaceAtRest(node, p, copied, pin, isOver, done);
                                    });
                                } catch (const SystemError&) {
                                    send(other, node, fail);
                                }
                            },
                            [=, this, &node, &other] { send(other, node, fail); });
                    });
                },
                fail);
        },
        fail);
}

// ---- learners

PlacedChunk SimulatedCluster::placeAt(const Node& node, int partition) const {
    return *node.state.chunk(kDatabase, pathOf(partition));
}

// Adds a node to the replicas of a partition, with or without removing one, as an administrator does.
void SimulatedCluster::changePlaces() {
    if (quiet_) return;
    const int p = static_cast<int>(between(0, kPartitions - 1));
    const std::string key = placeKey(kDatabase, pathOf(p)), alias = kNodes[static_cast<size_t>(between(0, 4))];
    const MetaEntry entry = *store_.get(key), config = *store_.get(kConfigKey);
    PlacedChunk place = decodePlace(pathOf(p), entry.value, entry.revision);
    const ClusterConfig nodes = ClusterConfig::decode(config);
    const bool isLeaving = std::find(place.left.begin(), place.left.end(), alias) != place.left.end();
    bool changes = true;
    if (place.isReplica(alias)) {
        place.replicas.erase(std::find(place.replicas.begin(), place.replicas.end(), alias));
        place.left.push_back(alias);
        changes = std::any_of(place.replicas.begin(), place.replicas.end(),
                              [&](const std::string& other) { return nodes.isIn(other); });
    } else if (!isLeaving && place.learner(alias) == nullptr && place.replicas.size() < 3) {
        place.learners.push_back({alias, false, chance(0.3) ? place.replicas[0] : ""});
    } else {
        changes = false;
    }
    std::vector<MetaWrite> writes{{key, encodePlace(place), 0}};
    if (mistake_ != Mistake::PlaceWithoutConfig) writes.push_back({kConfigKey, nodes.encode(), 0});
    if (changes) store_.transact({}, writes);
    for (auto& node : nodes_) {
        if (node->isUp) follow(*node);
    }
    after(between(300 * kMillisecond, 2 * kSecond), [this] { changePlaces(); });
}

void SimulatedCluster::changePlace(Node& node, const PlacedChunk& place, uint64_t config,
                                   std::function<void(bool)> done) {
    const std::string key = placeKey(kDatabase, place.path);
    std::vector<MetaWrite> writes{{key, encodePlace(place), 0}};
    if (mistake_ != Mistake::PlaceWithoutConfig) writes.push_back({kConfigKey, node.state.config()->encode(), 0});
    ask<MetaOutcome>(
        node,
        [=, revision = place.revision](SimulatedStore& store) {
            return store.transact({{key, revision}, {kConfigKey, config}}, writes);
        },
        [done](const MetaOutcome& outcome) { done(outcome.done); }, [done] { done(false); });
}

void SimulatedCluster::learn(Node& node) {
    if (!node.state.config()->isIn(node.alias)) return;
    for (int p = 0; p < kPartitions; ++p) {
        const PlacedChunk place = placeAt(node, p);
        if (std::find(place.left.begin(), place.left.end(), node.alias) != place.left.end()) removeLeft(node, p);
        const Learner* own = place.learner(node.alias);
        if (own == nullptr || node.learning.count(p) != 0) continue;
        const uint64_t step = node.learning[p] = ++node.lastStep;
        at(node, 10 * kSecond, [&node, p, step] {
            const auto known = node.learning.find(p);
            if (known != node.learning.end() && known->second == step) node.learning.erase(known);
        });
        if (own->isJoining || mistake_ == Mistake::CopyBeforeJoin) {
            settleAndCopy(node, p, step);
        } else {
            join(node, p);
        }
    }
}

void SimulatedCluster::join(Node& node, int partition) {
    PlacedChunk place = placeAt(node, partition);
    for (Learner& learner : place.learners) learner.isJoining |= learner.alias == node.alias;
    changePlace(node, place, node.state.config()->revision,
                [&node, partition](bool) { node.learning.erase(partition); });
}

void SimulatedCluster::settleAndCopy(Node& node, int partition, uint64_t step) {
    const PlacedChunk place = placeAt(node, partition);
    const uint64_t since = node.state.config()->find(node.alias)->since;
    const auto isOver = [&node, partition, step] {
        const auto known = node.learning.find(partition);
        return known == node.learning.end() || known->second != step;
    };
    const auto fail = [&node, partition, isOver] {
        if (!isOver()) node.learning.erase(partition);
    };
    const auto copy = [=, this, &node] {
        copyOne(
            node, partition, isOver,
            [=, this, &node](bool done) {
                if (isOver()) return;
                if (!done) return fail();
                becomeReplica(node, partition, place, since, step);
            },
            fail);
    };
    if (place.replicas.size() > 1 || mistake_ == Mistake::NoSettledCommits) return copy();
    Node& source = nodeOf(place.replicas[0]);
    if (!source.isUp) return fail();
    send(node, source, [=, this, &node, &source] {
        whenInstalled(
            source, place.revision, kSilentAfter,
            [=, this, &node, &source] {
                awaitOwn(source, partition, source.ownUnderWay[partition],
                         [=, this, &node, &source] { send(source, node, copy); });
            },
            [] {});
    });
}

// Waits until these own commits have ended.
void SimulatedCluster::awaitOwn(Node& node, int partition, std::set<int> begun, std::function<void()> then) {
    const std::set<int>& now = node.ownUnderWay[partition];
    std::erase_if(begun, [&](int batch) { return now.count(batch) == 0; });
    if (begun.empty()) return then();
    at(node, kMillisecond, [=, this, &node] { awaitOwn(node, partition, begun, then); });
}

void SimulatedCluster::becomeReplica(Node& node, int partition, const PlacedChunk& joined, uint64_t since,
                                     uint64_t step) {
    ask<uint64_t>(
        node, [](const SimulatedStore& store) { return store.clock(); },
        [=, this, &node](uint64_t newest) {
            whenInstalled(
                node, newest, 5 * kSecond,
                [=, this, &node] {
                    const auto known = node.learning.find(partition);
                    if (known == node.learning.end() || known->second != step) return;
                    node.learning.erase(known);
                    PlacedChunk now = placeAt(node, partition);
                    const NodeConfig* own = node.state.config()->find(node.alias);
                    const bool isSame = now.revision == joined.revision && own->since == since &&
                                        own->state == NodeState::In && own->incarnation == node.incarnation;
                    const Learner* learner = now.learner(node.alias);
                    if (learner == nullptr || (!isSame && mistake_ != Mistake::LearnerKeepsCopy)) return;
                    const std::string replaced = learner->replaces;
                    std::erase_if(now.learners, [&](const Learner& one) { return one.alias == node.alias; });
                    now.replicas.push_back(node.alias);
                    if (now.isReplica(replaced)) {
                        now.replicas.erase(std::find(now.replicas.begin(), now.replicas.end(), replaced));
                        now.left.push_back(replaced);
                    }
                    changePlace(node, now, node.state.config()->revision,
                                [this](bool done) { counts_.learned += done ? 1 : 0; });
                },
                [&node, partition] { node.learning.erase(partition); });
        },
        [&node, partition] { node.learning.erase(partition); });
}

void SimulatedCluster::removeLeft(Node& node, int partition) {
    PlacedChunk place = placeAt(node, partition);
    if (node.storage->commits().chunkState(kTable, pathOf(partition)) != std::string_view("COMPLETE")) return;
    if (!tryOnDisk(node, [&] { node.storage->commits().removeChunks(kTable, {pathOf(partition)}); })) return;
    place.left.erase(std::find(place.left.begin(), place.left.end(), node.alias));
    const std::string key = placeKey(kDatabase, place.path);
    ask<MetaOutcome>(
        node,
        [key, place](SimulatedStore& store) {
            return store.transact({{key, place.revision}}, {{key, encodePlace(place), 0}});
        },
        [](const MetaOutcome&) {}, [] {});
}

// Whether no transaction holds the partition.
bool SimulatedCluster::isAtRest(const Node& node, int partition) const {
    const std::string path = pathOf(partition);
    const bool isHeld = node.storage->commits().chunkState(kTable, path) != std::string_view("COMPLETE");
    // One that a prepared transaction will make is not there yet, but held.
    const bool mayBeHeld =
        node.storage->versions().find(kTable, path) == 0 && !node.storage->prepared().openTransactions().empty();
    return !isHeld && !mayBeHeld;
}

// A change waits for the appends that hold its chunk. Here nobody may wait, so it is tried until none does.
void SimulatedCluster::replaceAtRest(Node& node, int partition, const Copied& copied, uint64_t pin,
                                     std::function<bool()> isOver, std::function<void(bool)> done) {
    if (isOver()) return;
    if (!isAtRest(node, partition)) {
        return at(node, 2 * kMillisecond,
                  [=, this, &node] { replaceAtRest(node, partition, copied, pin, isOver, done); });
    }
    const uint64_t complete = (copied.since + node.state.base()) << stamp::kLowBits;
    bool isDone = false;
    tryOnDisk(node, [&] {
        isDone = node.storage->commits().replace({chunkOf(partition, copied.rows)}, node.pins.at(pin)->number(),
                                                 copied.change == 0 ? complete : copied.change);
    });
    node.pins.erase(pin);
    done(isDone);
}

void SimulatedCluster::endReturn(Node& node, uint64_t joined) {
    if (mistake_ == Mistake::CopyBeforeJoining && joined == 0) {
        return enter(node, NodeState::Joining, 0, [this, &node](bool done) {
            if (!done) return failedReturn(node);
            endReturn(node, node.state.config()->find(node.alias)->since);
        });
    }
    const NodeConfig* own = node.state.config()->find(node.alias);
    if (own->state != NodeState::Joining || own->since != joined) return failedReturn(node);
    enter(node, NodeState::In, joined, [this, &node, joined](bool done) {
        const NodeConfig* now = node.state.config()->find(node.alias);
        if (now->state == NodeState::In) {
            ++counts_.returns;
            node.lostDisk.reset();
            node.isLogMissing = false;
            return failedReturn(node);
        }
        if (done || now->since != joined) return failedReturn(node);
        copyNext(node, joined, {});
    });
}

// ---- faults

void SimulatedCluster::breakSomething() {
    if (quiet_) return;
    Node& node = *nodes_[static_cast<size_t>(between(0, static_cast<Micros>(nodes_.size()) - 1))];
    Node& other = *nodes_[static_cast<size_t>(between(0, static_cast<Micros>(nodes_.size()) - 1))];
    const Micros lasting = between(200 * kMillisecond, 5 * kSecond);
    const Micros kind = between(0, 10);
    switch (kind) {
        case 0:
        case 1:
        case 2: {
            if (!node.isUp) break;
            stop(node, chance(0.5));
            after(lasting, [this, &node] { start(node); });
            break;
        }
        case 3:
        case 4:
            node.standsUntil = now_ + lasting;
            break;
        case 5:
            if (&node == &other) break;
            cuts_.insert({&node, &other});
            if (chance(0.5)) cuts_.insert({&other, &node});
            after(lasting, [this, &node, &other] {
                cuts_.erase({&node, &other});
                cuts_.erase({&other, &node});
            });
            break;
        case 7:
            if (node.isUp && !node.failsSyncs) failSyncs(node, lasting);
            break;
        case 8:
            if (!node.isUp) break;
            stop(node, chance(0.5));
            loseDisk(node);
            after(lasting, [this, &node] { start(node); });
            break;
        case 9:
            setStoreBack();
            break;
        case 6:
            cutFromStore_.insert(&node);
            after(lasting, [this, &node] { cutFromStore_.erase(&node); });
            break;
        default:
            storeStandsUntil_ = now_ + lasting / 2;
    }
    after(between(50 * kMillisecond, 2500 * kMillisecond), [this] { breakSomething(); });
}

void SimulatedCluster::failSyncs(Node& node, Micros lasting) {
    node.failsSyncs = true;
    node.files->failSyncs(true);
    at(node, lasting, [&node] {
        node.failsSyncs = false;
        node.files->failSyncs(false);
    });
}

// All of the disk, the log alone, or all since an older copy was made that lacks what the store's note says.
void SimulatedCluster::loseDisk(Node& node) {
    const auto kept = store_.get(keptKey(node.alias));
    if (node.lostDisk || !kept) return;
    node.lostDisk = Node::Disk{node.files->clone(), node.disk.folder, node.disk.seen, node.disk.noted, 0};
    ++counts_.lostDisks;
    const bool isOlder = node.olderDisk && node.olderDisk->number < KeptFolder::decode(kept->value).number &&
                         node.olderDisk->folder == KeptFolder::decode(kept->value).folder;
    if (isOlder && chance(0.7)) {
        node.disk = std::move(*node.olderDisk);
        node.olderDisk.reset();
    } else if (chance(0.5)) {
        node.disk.files = node.files->clone();  // which no process has had
        node.files = node.disk.files.get();
        for (const std::string& name : node.files->list(node.alias + "/wal"))
            node.files->remove(node.alias + "/wal/" + name);
        node.isLogMissing = true;
        if (mistake_ == Mistake::LostLogIsNew) node.files->remove(node.alias + "/BEGUN");
    } else {
        node.disk = Node::Disk();
    }
    node.files = node.disk.files.get();
}

// All nodes stop in order, with their notes; then the store is what it was some time ago, and may have gone on from
// there.
void SimulatedCluster::setStoreBack() {
    if (trueStore_ || std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return !node->isUp; })) return;
    const bool isReady = store_.revision() > 100 && std::all_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
                             return !node->failsSyncs && node->storage->log().isSound() && node->standsUntil <= now_ &&
                                    cutFromStore_.count(node.get()) == 0 &&
                                    !node->state.config()->find(node->alias)->isLost;
                         });
    if (!isReady) return;
    ++counts_.setBacks;
    const uint64_t before = store_.revision();
    for (auto& node : nodes_) {
        const KeptFolder note{node->disk.folder,
                              std::min(node->storage->versions().visible(), node->storage->log().syncedNumber())};
        node->disk.noted = node->disk.seen = store_.transact({}, {{keptKey(node->alias), note.encode(), 0}}).revision;
    }
    for (auto& node : nodes_) stop(*node, false);
    trueStore_ = std::make_unique<SimulatedStore>(store_);
    store_.setBack(before - std::min<uint64_t>(before - 50, static_cast<uint64_t>(between(0, 300))));
    if (chance(0.5)) {
        while (store_.revision() <= trueStore_->revision() + 10) store_.transact({}, {{"other", "", 0}});
    }
    for (auto& node : nodes_) {
        Node& starting = *node;
        after(between(100 * kMillisecond, 2 * kSecond), [this, &starting] { start(starting); });
    }
}

// Revisions that no transaction makes.
void SimulatedCluster::endLeases() {
    if (quiet_) return;
    store_.endLease();
    for (auto& node : nodes_) {
        if (node->isUp) follow(*node);
    }
    after(between(50 * kMillisecond, kSecond), [this] { endLeases(); });
}

// Changes the table's entry, as an added column does.
void SimulatedCluster::changeEntry() {
    if (quiet_) return;
    store_.transact({}, {{kEntryKey, "", 0}});
    for (auto& node : nodes_) {
        if (node->isUp) follow(*node);
    }
    after(between(kSecond, 4 * kSecond), [this] { changeEntry(); });
}

// Whether each transaction was decided while the table's entry was the one that its rows are bound by.
void SimulatedCluster::checkDecisions() {
    uint64_t entry = 0;
    for (uint64_t revision = 1; revision <= store_.revision(); ++revision) {
        for (const MetaChange& change : store_.changesAt(revision)) {
            if (change.key == kEntryKey) entry = revision;
            if (!change.key.starts_with(kDecisionPrefix) || !change.value || !change.value->starts_with("commit"))
                continue;
            const std::string name = change.key.substr(std::string_view(kDecisionPrefix).size());
            if (boundBy_.at(name) != entry) violate("rows of an older entry were stored: " + name);
        }
    }
}

void SimulatedCluster::heal() {
    quiet_ = true;
    cuts_.clear();
    cutFromStore_.clear();
    storeStandsUntil_ = 0;
    for (auto& node : nodes_) {
        node->standsUntil = 0;
        node->failsSyncs = false;
        node->files->failSyncs(false);
        start(*node);
        follow(*node);
    }
    putDisksBack();
}

// People find the disks of nodes that wait for others in vain.
void SimulatedCluster::putDisksBack() {
    for (auto& node : nodes_) {
        const ClusterConfig config = ClusterConfig::decode(*store_.get(kConfigKey));
        if (!node->lostDisk || !node->isUp || !config.find(node->alias)->isLost || haveOthers(node->alias)) continue;
        stop(*node, false);
        putDiskBack(*node);
        start(*node);
    }
    after(2 * kSecond, [this] { putDisksBack(); });
}

bool SimulatedCluster::isAtRest() const {
    for (const auto& node : nodes_) {
        if (!node->isUp || !node->runs.empty() || !node->openBatches.empty()) return false;
        if (!node->state.config()->isIn(node->alias) || !node->storage->prepared().openTransactions().empty())
            return false;
    }
    for (const MetaEntry& entry : store_.readAll().entries) {
        if (entry.key.starts_with(kDecisionPrefix)) return false;
        if (!entry.key.starts_with(kPlacePrefix)) continue;
        const PlacedChunk place = decodePlace("", entry.value, entry.revision);
        if (!place.learners.empty() || !place.left.empty()) return false;
    }
    return true;
}

void SimulatedCluster::finalCheck() {
    checkDecisions();
    Reading last;
    last.acknowledged = acknowledged_.size();
    last.seen = seen_.size();
    for (int p = 0; p < kPartitions; ++p) {
        const std::vector<std::string> of = placeAt(*nodes_[0], p).replicas;
        last.rows[p] = rowsAt(nodeOf(of[0]), p, nodeOf(of[0]).storage->versions().visible());
        for (const std::string& alias : of) {
            const Node& node = nodeOf(alias);
            if (rowsAt(node, p, node.storage->versions().visible()) != last.rows[p])
                violate(fmt::format("the copies of partition {} differ", p));
        }
    }
    check(last);
}

std::string SimulatedCluster::run() {
    after(between(0, kSecond), [this] { breakSomething(); });
    after(between(0, kSecond), [this] { endLeases(); });
    after(between(0, kSecond), [this] { changeEntry(); });
    after(between(0, kSecond), [this] { changePlaces(); });
    bool hasHealed = false;
    Micros looked = 0;
    try {
        while (violation_.empty()) {
            if (!hasHealed && now_ >= kFaultsEnd) {
                hasHealed = true;
                heal();
            }
            // Rests only after what was late has come.
            if (hasHealed && now_ >= kFaultsEnd + 20 * kSecond && now_ - looked > 100 * kMillisecond) {
                looked = now_;
                if (isAtRest()) break;
            }
            if (now_ > kLatest) {
                violate("something stays open");
                break;
            }
            const Event next = events_.top();
            events_.pop();
            now_ = std::max(now_, next.at);
            next.happen();
        }
        if (violation_.empty()) finalCheck();
    } catch (const std::exception& error) {
        violate(error.what());
    }
    return violation_;
}

}  // namespace pelorus::testing
