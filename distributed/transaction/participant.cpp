#include "distributed/transaction/participant.h"

#include <algorithm>

#include "common/error.h"
#include "common/io/disk_full.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/system_request.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/folder_standing.h"
#include "distributed/transaction/attempt.h"
#include "distributed/transaction/installer.h"
#include "runtime/value/vector.h"
#include "storage/catalog/catalog.h"
#include "storage/log/stamp.h"
#include "storage/table/local_table.h"
#include "storage/version/local_storage.h"

namespace pelorus {
namespace {

constexpr auto kRound = std::chrono::milliseconds(250);
constexpr auto kAskEvery = std::chrono::seconds(5);
constexpr auto kNoteEvery = std::chrono::seconds(10);
constexpr auto kMovePinEvery = std::chrono::seconds(1);
constexpr auto kMapTimeout = std::chrono::milliseconds(1500);
constexpr auto kAnswerWithin = std::chrono::milliseconds(1000);
constexpr auto kCloseWithin = std::chrono::milliseconds(1000);
constexpr size_t kPurgedAtOnce = 100;
constexpr auto kTimeout = std::chrono::seconds(5);
constexpr auto kShortTimeout = std::chrono::milliseconds(100);
constexpr auto kDropTimeout = std::chrono::milliseconds(50);

}  // namespace

Participant::Participant(std::shared_ptr<LocalStorage> storage, Cluster& cluster,
                         std::chrono::milliseconds maxStaleness)
    : storage_(std::move(storage)),
      cluster_(cluster),
      installer_(std::make_unique<Installer>(*storage_, cluster.incarnation())) {
    registerProcess();
    settleOld();
    map_ = std::make_unique<ClusterMap>(
        cluster_.store(), [this](const ClusterMoment& moment) { installer_->install(moment); }, maxStaleness);
    const ClusterMap::View view = map_->view();
    const NodeConfig* own = view.config->find(cluster_.self().alias);
    if (own != nullptr && own->isLost) installer_->keepFrom(view.revision);
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
    const uint64_t seen = map_->view().revision;
    map_.reset();
    try {
        noteStoreRevision(*storage_, seen);
        note();
    } catch (const Error& error) {
        logWarning("cluster", "the end of this node could not be noted", {{"error", error.what()}});
    }
}

// Until a lost folder is complete again, the store's note is that of the folder before.
void Participant::note() {
    const ClusterConfig config = ClusterConfig::read(cluster_.store());
    const NodeConfig* own = config.find(cluster_.self().alias);
    if (own == nullptr || own->incarnation != cluster_.incarnation() || own->isLost) return;
    noteFolder(*storage_, cluster_.store(), cluster_.self().alias);
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
        if (node.alias != cluster_.self().alias || node.state == NodeState::Out) continue;
        ClusterConfig::enter(node, NodeState::Out);
        if (config.write(cluster_.store())) logWarning("cluster", "this node is out of sync", {{"why", why}});
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
            noteConfirmed(cluster_.self().alias, confirmedRevision());
            settleDoubts();
            sendCloses();
            endForgottenPins();
            purge();
            purgeTombstones();
            removeDropped();
            removeLeft();
            const auto now = std::chrono::steady_clock::now();
            if (now - revisionNoted_ >= kNoteEvery) {
                revisionNoted_ = now;
                note();
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

const std::string& Participant::alias() const {
    return cluster_.self().alias;
}

// ---- transactions

// Whether the tables still have the entries that the rows are bound by.
bool Participant::areBound(const Writes& writes) const {
    return std::all_of(writes.chunks.begin(), writes.chunks.end(), [&](const ChunkRows& chunk) {
        const auto entry = writes.tables.find(chunk.table);
        return entry != writes.tables.end() && map_->isUnchanged(chunk.table, entry->second);
    });
}

// Returns the places of the chunks; nothing when this node does not keep one of them.
std::optional<std::vector<PlacedChunk>> Participant::placesHere(const Writes& writes) const {
    const std::string& self = cluster_.self().alias;
    std::vector<PlacedChunk> places;
    for (const ChunkRows& chunk : writes.chunks) {
        const auto table = map_->table(chunk.table);
        auto place = table ? map_->chunk(table->database, chunk.path) : std::nullopt;
        if (!place || !place->prepares(self)) return std::nullopt;
        places.push_back(std::move(*place));
    }
    return places;
}

// Where an entry or a place changes the next moment, the rows came before that.
Attempt::Outcome Participant::commit(const Writes& writes) {
    const auto mayStore = [&] {
        if (!areBound(writes)) return false;
        const auto places = placesHere(writes);
        return places &&
               std::all_of(places->begin(), places->end(), [](const PlacedChunk& place) { return place.isAlone(); });
    };
    if (!writes.replacesRows()) {
        return storage_->appendIf(mayStore, writes.chunks, "") ? Attempt::Outcome::Done
                                                               : Attempt::Outcome::TableChanged;
    }
    std::vector<ChunkRows> chunks = writes.chunks;
    for (ChunkRows& chunk : chunks) {
        if (chunk.replaces == ChunkRows::Replaces::Seen) chunk.seenAt = opened(writes.query);
    }
    switch (storage_->change(std::move(chunks), mayStore)) {
        case LocalStorage::Change::Done:
            return Attempt::Outcome::Done;
        case LocalStorage::Change::Busy:
            return Attempt::Outcome::Busy;
        case LocalStorage::Change::Changed:
            return Attempt::Outcome::RowsChanged;
        case LocalStorage::Change::Moved:
            return Attempt::Outcome::RowsMoved;
        case LocalStorage::Change::Refused:
            return Attempt::Outcome::TableChanged;
    }
    return Attempt::Outcome::Refused;
}

PrepareAnswer Participant::prepare(const std::string& transaction, const std::vector<std::string>& participants,
                                   uint64_t configRevision, Writes writes, bool waits) {
    if (!map_->hasContact()) return PrepareAnswer::CutOff;
    uint64_t needed = configRevision;
    for (const auto& [table, entry] : writes.tables) needed = std::max(needed, entry.revision);
    map_->await(needed, kMapTimeout);
    if (!areBound(writes)) return PrepareAnswer::TableChanged;
    const auto places = placesHere(writes);
    if (!places) return PrepareAnswer::OldConfig;
    const std::string& self = cluster_.self().alias;
    const auto isOnly = [&](const PlacedChunk& place) { return place.replicas.size() == 1 && place.isReplica(self); };
    const bool onlyAlone = std::all_of(places->begin(), places->end(), isOnly);
    const auto config = map_->config();
    const PrepareAnswer answer = installer_->mayPrepare(*config, configRevision, onlyAlone);
    if (answer != PrepareAnswer::Done) return answer;
    // A node that still copies a partition has no snapshot of it to compare with; those that have do so.
    const bool isIn = config->isIn(self);
    for (size_t i = 0; i < places->size(); ++i) {
        ChunkRows& chunk = writes.chunks[i];
        const PlacedChunk& place = (*places)[i];
        const bool isCopied = !place.isReplica(self) || (!isIn && !isOnly(place));
        if (chunk.replaces != ChunkRows::Replaces::Seen || isCopied) continue;
        const std::optional<uint64_t> seenAt = snapshotOf(writes.query);
        if (!seenAt) return PrepareAnswer::RowsMoved;
        chunk.seenAt = *seenAt;
    }
    try {
        switch (
            storage_->prepare(transaction, participants, std::move(writes.chunks), waits ? kTimeout : kShortTimeout)) {
            case LocalStorage::Change::Done:
                return PrepareAnswer::Done;
            case LocalStorage::Change::Busy:
                return PrepareAnswer::Busy;
            case LocalStorage::Change::Changed:
                return PrepareAnswer::RowsChanged;
            case LocalStorage::Change::Moved:
            case LocalStorage::Change::Refused:
                return PrepareAnswer::RowsMoved;
        }
    } catch (const DiskFull& error) {
        leave(error.what());
        throw;
    } catch (const SystemError& error) {
        if (!error.retryable()) leave(error.what());
        throw;
    }
    return PrepareAnswer::RowsMoved;
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

// One that does not reach the store can't end what it sent for decision: the others may, and it finds what they wrote.
bool Participant::isOpen(const std::string& transaction) const {
    if (!map_->hasContact()) return false;
    const MutexLock lock(mutex_);
    return open_.count(transaction) != 0;
}

bool Participant::isOpenElsewhere(const std::string& transaction) {
    const std::string coordinator = incarnationOf(transaction);
    if (coordinator == cluster_.incarnation()) return isOpen(transaction);
    if (!cluster_.lives(coordinator)) return false;
    try {
        const std::vector<Value> arguments{Value::ofString(transaction)};
        const Timeout timeout{.limit = kAnswerWithin, .endsInSilence = true};
        return cluster_.call(aliasOf(coordinator), systemRequest(), "nodeIsOpen", arguments, timeout).integer() == 1;
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
    uint64_t confirmed = installer_->confirmedRevision(*map_->config());
    const auto dropped = map_->dropped();
    const MutexLock lock(mutex_);
    for (const auto& [table, revision] : dropped) {
        if (removed_.count(table) == 0) confirmed = std::min(confirmed, revision - 1);
    }
    return confirmed;
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
    map_->await(revision, kMapTimeout);
    const ClusterMap::View view = map_->view();
    const std::string& self = cluster_.self().alias;
    if (replicated && !view.config->isInSince(self, revision)) {
        const std::string when = view.config->isIn(self)
                                     ? " was not in sync at the revision " + std::to_string(revision)
                                     : " is not in sync";
        throw SystemError("The node " + self + when + ".", "Run the query again.", true);
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

std::optional<uint64_t> Participant::snapshotOf(uint64_t query) const {
    const MutexLock lock(mutex_);
    const auto it = pins_.find(query);
    return it == pins_.end() ? std::nullopt : std::optional(it->second.pin->number());
}

uint64_t Participant::opened(uint64_t query) const {
    const std::optional<uint64_t> number = snapshotOf(query);
    if (!number) throw SystemError("The query's snapshot has ended on this node.", "Run it again.", true);
    return *number;
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
                const Value answer = cluster_.call(alias, systemRequest(), "nodeHolds", arguments,
                                                   {.limit = kAnswerWithin, .endsInSilence = true});
                for (int64_t i = 0; i < answer.size(); ++i) held.emplace_back(answer.at(i).string());
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

// Rows of dropped tables go when everything is installed that was decided before the drop: nothing for the table can be
// decided behind it. Chunks that a transaction holds, which can only end without a commit, are left for the next round.
void Participant::removeDropped() {
    const auto dropped = map_->dropped();
    const uint64_t installed = map_->installed();
    for (const auto& [table, revision] : dropped) {
        {
            const MutexLock lock(mutex_);
            if (revision > installed || removed_.count(table) != 0) continue;
        }
        try {
            storage_->removeRows(table, false, kDropTimeout);
            const MutexLock lock(mutex_);
            removed_.insert(table);
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;
        }
    }
    const MutexLock lock(mutex_);
    std::erase_if(removed_, [&](uint64_t table) { return dropped.count(table) == 0; });
}

// Copies of partitions that have left this node go when everything is installed that was decided before.
void Participant::removeLeft() {
    const std::string& self = cluster_.self().alias;
    for (auto& [database, place] : map_->unsettled()) {
        const auto own = std::find(place.left.begin(), place.left.end(), self);
        if (own == place.left.end() || map_->installed() < place.revision) continue;
        try {
            for (const uint64_t table : map_->tablesOf(database))
                storage_->removeChunks(table, {place.path}, kDropTimeout);
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;
            continue;
        }
        place.left.erase(own);
        cluster_.store().transact({{placeKey(database, place.path), place.revision}},
                                  {{placeKey(database, place.path), encodePlace(place), 0}});
    }
}

void Participant::settleCommits(const std::string& database, const std::string& path, uint64_t revision) {
    map_->await(revision, kMapTimeout);
    for (const uint64_t table : map_->tablesOf(database)) storage_->awaitCommits(table, path);
}

// A tombstone goes when no node can have rows of its table any more.
void Participant::purgeTombstones() {
    const auto config = map_->config();
    std::vector<MetaWrite> writes;
    {
        const auto dropped = map_->dropped();
        const MutexLock lock(mutex_);
        for (const auto& [table, revision] : dropped) {
            const bool isGone =
                std::all_of(config->nodes.begin(), config->nodes.end(), [&, since = revision](const NodeConfig& node) {
                    const auto confirmed = confirmedBy_.find(node.alias);
                    return confirmed != confirmedBy_.end() && confirmed->second >= since;
                });
            if (isGone && writes.size() < kPurgedAtOnce)
                writes.push_back({catalog_keys::kTombstones + std::to_string(table), std::nullopt, 0});
        }
    }
    if (!writes.empty()) cluster_.store().transact({}, writes);
}

std::vector<int64_t> Participant::storedRows(uint64_t query, uint64_t table,
                                             const std::vector<std::string>& paths) const {
    const uint64_t number = opened(query);
    const VersionSet& versions = storage_->versions();
    std::vector<int64_t> counts;
    for (const std::string& path : paths) {
        const uint64_t id = versions.find(table, path, number);
        const ChunkVersionRef version = id == 0 ? nullptr : versions.version(id, number);
        counts.push_back(version ? version->rowCount : 0);
    }
    return counts;
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

Participant::CopyStamp Participant::copyStamp(uint64_t query, uint64_t table, const std::string& path) const {
    const uint64_t number = opened(query);
    const VersionSet& versions = storage_->versions();
    const uint64_t id = versions.find(table, path, number);
    const ChunkVersionRef version = id == 0 ? nullptr : versions.version(id, number);
    const NodeConfig* own = map_->config()->find(cluster_.self().alias);
    const bool isComplete = own != nullptr && own->state == NodeState::In;
    return {version ? version->changedAt : 0, isComplete ? own->since : 0};
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
