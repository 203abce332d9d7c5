#include "distributed/transaction/participant.h"

#include <algorithm>

#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/system_request.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/transaction/attempt.h"
#include "distributed/transaction/installer.h"
#include "runtime/value/vector.h"
#include "storage/log/stamp.h"
#include "storage/table/local_table.h"
#include "storage/version/local_storage.h"
#include "storage/version/quarantine.h"

namespace pelorus {
namespace {

constexpr auto kRound = std::chrono::milliseconds(250);
constexpr auto kAskEvery = std::chrono::seconds(5);
constexpr auto kNoteEvery = std::chrono::seconds(10);
constexpr auto kMovePinEvery = std::chrono::seconds(1);
constexpr auto kMapPatience = std::chrono::milliseconds(1500);
constexpr auto kCloseWithin = std::chrono::milliseconds(1000);
constexpr size_t kPurgedAtOnce = 100;

}  // namespace

Participant::Participant(std::shared_ptr<LocalStorage> storage, Cluster& cluster)
    : storage_(std::move(storage)),
      cluster_(cluster),
      installer_(std::make_unique<Installer>(*storage_, cluster.incarnation())) {
    registerProcess();
    settleOld();
    map_ = std::make_unique<ClusterMap>(cluster_.store(),
                                        [this](const ClusterMoment& moment) { installer_->install(moment); });
    raiseBase();
    movePin();
    thread_ = startThread([this] { run(); });
}

Participant::~Participant() {
    {
        const MutexLock lock(mutex_);
        stopping_ = true;
    }
    stopChanged_.notifyAll();
    thread_.join();
    map_.reset();
}

// From here on nothing that an earlier process of this node sent for decision is decided: its compare of `config`
// fails.
void Participant::registerProcess() {
    const bool isIncomplete = !storage_->options().dataSync && wasMachineRestarted(*storage_);
    for (;;) {
        ClusterConfig config = ClusterConfig::read(cluster_.store());
        NodeConfig& own = config.started(cluster_.self().alias, cluster_.incarnation());
        if (isIncomplete) ClusterConfig::enter(own, NodeState::Out);
        if (config.write(cluster_.store())) return;
    }
}

// A node whose disk takes nothing would end every transaction of its chunks: those go on at the others.
void Participant::leave(const std::string& why) {
    if (!map_->othersHave(cluster_.self().alias)) return;
    ClusterConfig config = *map_->config();
    for (NodeConfig& node : config.nodes) {
        if (node.alias != cluster_.self().alias || node.state != NodeState::In) continue;
        ClusterConfig::enter(node, NodeState::Out);
        if (config.write(cluster_.store())) logWarning("cluster", "this node is out of sync", {{"why", why}});
    }
}

// The folder may come from another store, whose revisions were larger: stamps must be larger than all its numbers.
void Participant::raiseBase() {
    for (;;) {
        const ClusterMap::View view = map_->view(0);
        const uint64_t number = storage_->clock();
        if (number <= stamp::lastSeenAt(view.revision, view.base)) return;
        const auto entry = cluster_.store().get(kBaseKey);
        const uint64_t base = (number >> stamp::kLowBits) + 1 - std::min(view.revision, number >> stamp::kLowBits);
        const MetaOutcome outcome = cluster_.store().transact(
            {{kBaseKey, entry ? entry->revision : 0}}, {{kBaseKey, std::to_string(std::max(base, view.base)), 0}});
        map_->await(outcome.revision, std::chrono::seconds(10));
    }
}

// Transactions that a version of this program left prepared which gave them numbers of its own. All nodes were stopped
// for the upgrade, so what has no record was never decided.
void Participant::settleOld() {
    for (const auto& open : storage_->openTransactions()) {
        if (!open.participants.empty()) continue;
        const auto record = cluster_.store().get(decisionKey(open.name));
        const bool commit = record && record->value.starts_with("commit ");
        storage_->applyDecisions({{open.name, commit, commit ? storage_->clock() + 1 : 0}});
    }
}

void Participant::run() {
    MutexLock lock(mutex_);
    while (!stopping_) {
        lock.unlock();
        try {
            movePin();
            installer_->confirm();
            noteConfirmed(cluster_.self().alias, installer_->confirmedRevision());
            settleDoubts();
            sendCloses();
            endForgottenPins();
            purge();
            const auto now = std::chrono::steady_clock::now();
            if (now - revisionNoted_ >= kNoteEvery) {
                revisionNoted_ = now;
                noteStoreRevision(*storage_, cluster_.store().range(kClusterIdKey).revision);
            }
            if (stamp::runsLow(storage_->clock())) cluster_.store().transact({}, {});
        } catch (const Error&) {
            // The metadata store is away, or the disk: tried again in the next round.
        }
        lock.lock();
        const auto next = std::chrono::steady_clock::now() + kRound;
        while (!stopping_ && stopChanged_.waitUntil(lock, next)) {
        }
    }
}

void Participant::movePin() {
    const auto now = std::chrono::steady_clock::now();
    if (recent_ && now - pinMoved_ < kMovePinEvery) return;
    pinMoved_ = now;
    older_ = std::move(recent_);
    recent_ = std::make_unique<VersionSet::Pin>(storage_->versions(), 0);
}

// ---- transactions

// A chunk that is here under its route takes rows. One that is not is looked up in the map, which says whether the
// sender's route is the newest; an older chunk in its place is one whose removal did not reach this node, and is kept
// aside. The map may change the next moment: then these rows came before that change, or end up on no list, unseen,
// while the drop that took them there is under way.
bool Participant::routesHold(const std::vector<ChunkRows>& chunks) {
    VersionSet& versions = storage_->versions();
    std::vector<std::shared_ptr<const ChunkIdentity>> outdated;
    for (const ChunkRows& chunk : chunks) {
        if (chunk.route == 0) continue;
        const uint64_t id = versions.find(chunk.table, chunk.path);
        const auto identity = id == 0 ? nullptr : versions.identity(id);
        if (identity && identity->route > chunk.route) return false;
        const auto placed = map_->chunk(chunk.table, chunk.path);
        const bool isHere = placed && placed->route == chunk.route &&
                            std::find(placed->replicas.begin(), placed->replicas.end(), cluster_.self().alias) !=
                                placed->replicas.end();
        if (!isHere) return false;
        if (identity && identity->route != 0 && identity->route < chunk.route) outdated.push_back(identity);
    }
    quarantineChunks(*storage_, FileSystem::posix(), outdated, "The partition was dropped and made again.");
    return true;
}

bool Participant::append(std::vector<ChunkRows> chunks) {
    return storage_->appendIf([this](const auto& rows) { return routesHold(rows); }, std::move(chunks), "").has_value();
}

PrepareAnswer Participant::prepare(const std::string& transaction, const std::vector<std::string>& participants,
                                   uint64_t configRevision, std::vector<ChunkRows> chunks) {
    uint64_t needed = configRevision;
    for (const ChunkRows& chunk : chunks) needed = std::max(needed, chunk.route);
    map_->await(needed, kMapPatience);
    const bool onlyAlone = std::all_of(chunks.begin(), chunks.end(), [&](const ChunkRows& chunk) {
        const auto placed = map_->chunk(chunk.table, chunk.path);
        return placed && placed->replicas.size() == 1;
    });
    const PrepareAnswer answer = installer_->mayPrepare(*map_->config(), configRevision, onlyAlone);
    if (answer != PrepareAnswer::Done) return answer;
    if (!routesHold(chunks)) return PrepareAnswer::StaleRoute;
    try {
        storage_->prepare(transaction, participants, std::move(chunks));
    } catch (const SystemError& error) {
        if (!error.retryable()) leave(error.what());
        throw;
    }
    return PrepareAnswer::Done;
}

void Participant::forget(const std::string& transaction) {
    storage_->applyDecisions({{transaction, false, 0}});
}

void Participant::beginTransaction(const std::string& transaction) {
    const MutexLock lock(mutex_);
    open_.insert(transaction);
}

void Participant::endTransaction(const std::string& transaction) {
    const MutexLock lock(mutex_);
    open_.erase(transaction);
}

bool Participant::isOpen(const std::string& transaction) const {
    const MutexLock lock(mutex_);
    return open_.count(transaction) != 0;
}

bool Participant::isOpenElsewhere(const std::string& transaction) {
    const std::string coordinator = incarnationOf(transaction);
    if (coordinator == cluster_.incarnation()) return isOpen(transaction);
    if (!cluster_.lives(coordinator)) return false;
    try {
        const std::vector<Value> arguments{Value::ofString(transaction)};
        return cluster_.call(aliasOf(coordinator), systemRequest(), "nodeIsOpen", arguments).integer() == 1;
    } catch (const Error&) {
        return false;
    }
}

void Participant::settleDoubts() {
    for (const auto& open : installer_->doubts(std::chrono::steady_clock::now(), map_->records())) {
        if (isOpenElsewhere(open.name)) continue;
        const std::string key = decisionKey(open.name);
        cluster_.store().transact({{key, 0}}, {{key, Installer::abortOf(open).encode(), 0}});
        logInfo("cluster", "a transaction that nobody decides is aborted", {{"transaction", open.name}});
    }
}

uint64_t Participant::confirmedRevision() const {
    return installer_->confirmedRevision();
}

void Participant::noteConfirmed(const std::string& alias, uint64_t revision) {
    const MutexLock lock(mutex_);
    confirmedBy_[alias] = revision;
}

void Participant::purge() {
    std::vector<std::string> names;
    {
        const auto records = map_->records();
        const auto config = map_->config();
        const MutexLock lock(mutex_);
        names = installer_->toPurge(records, *config, confirmedBy_, open_, kPurgedAtOnce);
    }
    std::vector<MetaWrite> writes;
    for (const std::string& name : names) writes.push_back({decisionKey(name), std::nullopt, 0});
    if (!writes.empty()) cluster_.store().transact({}, writes);
}

// ---- snapshots

uint64_t Participant::open(uint64_t query, const std::string& name, uint64_t revision, bool replicated) {
    map_->await(revision, kMapPatience);
    const ClusterMap::View view = map_->view(0);
    if (replicated && !view.config->isIn(cluster_.self().alias)) {
        throw SystemError("The node " + cluster_.self().alias + " is not in sync.", "Run the query again.", true);
    }
    auto pin = installer_->pinAt(revision, view.base);
    const uint64_t number = pin->number();
    const MutexLock lock(mutex_);
    const auto known = pins_.find(query);
    if (known != pins_.end()) return known->second.pin->number();
    pins_[query] = {name, std::move(pin), std::chrono::steady_clock::now()};
    return number;
}

void Participant::close(uint64_t query) {
    HeldPin released;
    const MutexLock lock(mutex_);
    const auto it = pins_.find(query);
    if (it == pins_.end()) return;
    released = std::move(it->second);
    pins_.erase(it);
}

void Participant::closeElsewhere(const std::string& alias, uint64_t query) {
    const MutexLock lock(mutex_);
    toClose_[alias].push_back(static_cast<int64_t>(query));
}

void Participant::sendCloses() {
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
                          {.limit = kCloseWithin, .endsInSilence = true});
        } catch (const Error&) {
            // It asks, or is gone with its versions.
        }
    }
}

uint64_t Participant::opened(uint64_t query) const {
    const MutexLock lock(mutex_);
    const auto it = pins_.find(query);
    if (it == pins_.end()) throw SystemError("The query's snapshot has ended on this node.", "Run it again.", true);
    return it->second.pin->number();
}

// Pins of processes that are gone, and of queries that their node no longer knows.
void Participant::endForgottenPins() {
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
            if (now - it->second.asked > kAskEvery) toAsk[aliasOf(holder)][it->second.name] = it->first;
            ++it;
        }
    }
    for (const auto& [alias, queries] : toAsk) {
        std::vector<std::string> held, names;
        for (const auto& [name, query] : queries) names.push_back(name);
        try {
            if (alias == cluster_.self().alias) {
                held = stillHeld(names);
            } else {
                const std::vector<Value> arguments{Value::of(Vector::ofStrings(names))};
                const Value answer = cluster_.call(alias, systemRequest(), "nodeHolds", arguments);
                for (int64_t i = 0; i < answer.size(); ++i) held.emplace_back(answer.at(i).text());
            }
        } catch (const Error&) {
            continue;  // asked again
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

void Participant::beginHold(const std::string& name) {
    const MutexLock lock(mutex_);
    holds_.insert(name);
}

void Participant::endHold(const std::string& name) {
    const MutexLock lock(mutex_);
    holds_.erase(name);
}

std::vector<std::string> Participant::stillHeld(const std::vector<std::string>& names) const {
    std::vector<std::string> held;
    const MutexLock lock(mutex_);
    for (const std::string& name : names) {
        if (holds_.count(name) != 0) held.push_back(name);
    }
    return held;
}

// ---- chunks

void Participant::removeChunks(uint64_t table, const std::vector<std::string>& paths, uint64_t revision) {
    const std::set<std::string> wanted(paths.begin(), paths.end());
    std::vector<uint64_t> chunks;
    const auto list = storage_->versions().chunks(table);  // held while it is walked: a commit may replace the list
    for (const auto& chunk : *list) {
        if (chunk->route <= revision && (paths.empty() || wanted.count(chunk->path) != 0)) chunks.push_back(chunk->id);
    }
    storage_->removeChunks(chunks);
}

Ref<MemoryTable> Participant::fetch(uint64_t query, uint64_t table, const std::string& path, size_t part) const {
    const uint64_t number = opened(query);
    VersionSet& versions = storage_->versions();
    const uint64_t id = versions.find(table, path, number);
    const ChunkVersionRef version = id == 0 ? nullptr : versions.version(id, number);
    if (!version || part >= version->parts.size()) return {};
    const ChunkPart& found = version->parts[part];
    return found.segment ? found.segment->readAll() : found.rows;
}

int64_t Participant::rowCount(const TableEntry& table, const std::set<std::string>& paths) const {
    const SortRule rule = sortRuleOf(table);
    VersionSet& versions = storage_->versions();
    const VersionSet::Pin pin(versions, 0);
    int64_t rows = 0;
    const auto chunks = versions.chunks(table.id);  // held while it is walked: a commit may replace the list
    for (const auto& identity : *chunks) {
        if (paths.count(identity->path) == 0) continue;
        const ChunkVersionRef version = versions.version(identity->id, pin.number());
        if (version) rows += countRows(version, table.storedSchema(), rule);
    }
    return rows;
}

}  // namespace pelorus
