#include "distributed/transaction/participant.h"

#include <algorithm>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_start.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/system_request.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/placement.h"
#include "runtime/value/vector.h"
#include "storage/table/local_table.h"
#include "storage/version/quarantine.h"

namespace pelorus {
namespace {

constexpr auto kSettleEvery = std::chrono::milliseconds(500);
constexpr auto kAskEvery = std::chrono::seconds(5);
constexpr auto kNoteEvery = std::chrono::seconds(10);
// A living coordinator decides, unless the metadata store was away when it tried.
constexpr auto kPatience = std::chrono::minutes(10);
constexpr std::string_view kCommitWord = "commit ";

// "<incarnation of the coordinator>/<number>"
std::string coordinatorOf(const std::string& transaction) {
    return transaction.substr(0, transaction.rfind('/'));
}

}  // namespace

std::string decisionKey(const std::string& transaction) {
    return "txn/" + transaction;
}
std::string commitRecord(uint64_t at) {
    return std::string(kCommitWord) + std::to_string(at);
}

Participant::Participant(std::shared_ptr<LocalStorage> storage, Cluster& cluster)
    : storage_(std::move(storage)), cluster_(cluster) {
    thread_ = startThread([this] { run(); });
}

Participant::~Participant() {
    {
        const MutexLock lock(mutex_);
        stopping_ = true;
    }
    stopChanged_.notifyAll();
    thread_.join();
}

void Participant::run() {
    MutexLock lock(mutex_);
    while (!stopping_) {
        lock.unlock();
        try {
            settle();
        } catch (const Error&) {
            // The metadata store is away: tried again in the next round.
        }
        lock.lock();
        const auto next = std::chrono::steady_clock::now() + kSettleEvery;
        while (!stopping_ && stopChanged_.waitUntil(lock, next)) {
        }
    }
}

void Participant::settle() {
    for (const std::string& transaction : storage_->undecided()) settleOne(transaction);
    endForgottenPins();
    const auto now = std::chrono::steady_clock::now();
    if (now - revisionNoted_ < kNoteEvery) return;
    revisionNoted_ = now;
    noteStoreRevision(*storage_, cluster_.store().range(kClusterIdKey).revision);
}

// Pins of processes that are gone, and of queries that their node no longer knows.
void Participant::endForgottenPins() {
    std::vector<HeldPin> ended;                             // released without the lock
    std::map<std::string, std::vector<std::string>> toAsk;  // by alias
    const auto now = std::chrono::steady_clock::now();
    {
        const MutexLock lock(mutex_);
        for (auto it = pins_.begin(); it != pins_.end();) {
            const std::string holder = coordinatorOf(it->first);
            if (!cluster_.lives(holder)) {
                ended.push_back(std::move(it->second));
                it = pins_.erase(it);
                continue;
            }
            if (now - it->second.asked > kAskEvery) toAsk[holder.substr(0, holder.rfind('/'))].push_back(it->first);
            ++it;
        }
    }
    for (const auto& [alias, names] : toAsk) {
        std::vector<std::string> held;
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
        for (const std::string& name : names) {
            const auto it = pins_.find(name);
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

// A chunk that is here under its route takes rows. One that is not is looked up in the store, which says whether the
// sender's route is the newest; an older chunk in its place is one whose removal did not reach this node, and is kept
// aside. The store may change the next moment: then these rows came before that change, or end up on no list, unseen,
// while the drop that took them there is under way.
bool Participant::routesHold(const std::vector<ChunkRows>& chunks) {
    constexpr size_t kReadSingly = 16;
    VersionSet& versions = storage_->versions();
    std::vector<const ChunkRows*> toConfirm;
    std::vector<std::shared_ptr<const ChunkIdentity>> outdated;
    for (const ChunkRows& chunk : chunks) {
        if (chunk.route == 0) continue;
        const uint64_t id = versions.find(chunk.table, chunk.path);
        const auto identity = id == 0 ? nullptr : versions.identity(id);
        if (identity && (identity->route == 0 || identity->route == chunk.route)) continue;
        if (identity && identity->route > chunk.route) return false;
        if (identity) outdated.push_back(identity);
        toConfirm.push_back(&chunk);
    }
    std::map<std::string, MetaEntry> entries;
    if (toConfirm.size() > kReadSingly) {
        std::set<uint64_t> tables;
        for (const ChunkRows* chunk : toConfirm) tables.insert(chunk->table);
        for (const uint64_t table : tables) {
            for (MetaEntry& entry : cluster_.store().range(chunkKey(table, "")).entries)
                entries.emplace(entry.key, std::move(entry));
        }
    } else {
        for (const ChunkRows* chunk : toConfirm) {
            const std::string key = chunkKey(chunk->table, chunk->path);
            if (auto entry = cluster_.store().get(key)) entries.emplace(key, std::move(*entry));
        }
    }
    for (const ChunkRows* chunk : toConfirm) {
        const auto entry = entries.find(chunkKey(chunk->table, chunk->path));
        const bool isTrue = entry != entries.end() && entry->second.revision == chunk->route &&
                            nodeOfChunkRecord(entry->second.value) == cluster_.self().alias;
        if (!isTrue) return false;
    }
    quarantineChunks(*storage_, FileSystem::posix(), outdated, "The partition was dropped and made again.");
    return true;
}

std::optional<uint64_t> Participant::append(std::vector<ChunkRows> chunks, const std::string& id) {
    const auto number =
        storage_->appendIf([this](const auto& rows) { return routesHold(rows); }, std::move(chunks), id);
    return number ? std::optional(std::max<uint64_t>(1, *number)) : std::nullopt;
}

std::optional<uint64_t> Participant::prepare(const std::string& transaction, std::vector<ChunkRows> chunks) {
    if (!routesHold(chunks)) return std::nullopt;
    return storage_->prepare(transaction, std::move(chunks));
}

void Participant::removeChunks(uint64_t table, const std::vector<std::string>& paths, uint64_t revision) {
    const std::set<std::string> wanted(paths.begin(), paths.end());
    std::vector<uint64_t> chunks;
    const auto list = storage_->versions().chunks(table);  // held while it is walked: a commit may replace the list
    for (const auto& chunk : *list) {
        if (chunk->route <= revision && (paths.empty() || wanted.count(chunk->path) != 0)) chunks.push_back(chunk->id);
    }
    storage_->removeChunks(chunks);
}

void Participant::settleOne(const std::string& transaction) {
    const std::string key = decisionKey(transaction);
    auto record = cluster_.store().get(key);
    if (!record) {
        // A coordinator that lives decides itself, and leaves a record for those it cannot reach.
        if (cluster_.lives(coordinatorOf(transaction)) && !waitedTooLong(transaction)) return;
        if (!cluster_.store().transact({{key, 0}}, {{key, kAbortRecord, 0}}).done) {
            record = cluster_.store().get(key);
            if (!record) return;
        }
    }
    if (record && record->value.starts_with(kCommitWord)) {
        storage_->decide(transaction, true, std::stoull(record->value.substr(kCommitWord.size())));
    } else {
        storage_->decide(transaction, false);
    }
    waitingSince_.erase(transaction);
}

bool Participant::waitedTooLong(const std::string& transaction) {
    const auto now = std::chrono::steady_clock::now();
    return now - waitingSince_.try_emplace(transaction, now).first->second > kPatience;
}

int64_t Participant::rowCount(const TableEntry& table) const {
    const SortRule rule = sortRuleOf(table);
    VersionSet& versions = storage_->versions();
    const VersionSet::Pin pin(versions, 0);
    int64_t rows = 0;
    const auto chunks = versions.chunks(table.id);  // held while it is walked: a commit may replace the list
    for (const auto& identity : *chunks) {
        const ChunkVersionRef version = versions.version(identity->id, pin.number());
        if (version) rows += countRows(version, table.storedSchema(), rule);
    }
    return rows;
}

uint64_t Participant::pin(const std::string& name) {
    auto pin = std::make_unique<VersionSet::Pin>(storage_->versions(), 0);
    const uint64_t clock = pin->number();
    HeldPin before;  // released without the lock
    const MutexLock lock(mutex_);
    HeldPin& held = pins_[name];
    before = std::exchange(held, {std::move(pin), std::chrono::steady_clock::now()});
    return clock;
}

void Participant::unpin(const std::string& name) {
    HeldPin released;
    const MutexLock lock(mutex_);
    const auto it = pins_.find(name);
    if (it == pins_.end()) return;
    released = std::move(it->second);
    pins_.erase(it);
}

}  // namespace pelorus
