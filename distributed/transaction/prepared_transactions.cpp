#include "distributed/transaction/prepared_transactions.h"

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "common/io/disk_full.h"
#include "common/log.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/system_request.h"
#include "distributed/metadata/cluster_map.h"
#include "distributed/transaction/installer.h"
#include "distributed/transaction/leave_sync.h"
#include "distributed/transaction/snapshot_pins.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/prepared_commits.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/local_storage.h"

namespace pelorus {

static constexpr auto kMapTimeout = std::chrono::milliseconds(1500);
static constexpr auto kAnswerTimeout = std::chrono::milliseconds(1000);
static constexpr auto kChunkTimeout = std::chrono::milliseconds(5000);
static constexpr auto kShortChunkTimeout = std::chrono::milliseconds(100);

// Returns whether the tables still have the entries that the rows are bound by.
bool PreparedTransactions::areBound(const WriteBatch& batch) const {
    return std::all_of(batch.chunks.begin(), batch.chunks.end(), [&](const ChunkRows& chunk) {
        const auto entry = batch.tables.find(chunk.table);
        return entry != batch.tables.end() && map_.isUnchanged(chunk.table, entry->second);
    });
}

// Returns the places of the chunks; nothing when this node does not keep one of them.
std::optional<std::vector<PlacedChunk>> PreparedTransactions::placesHere(const WriteBatch& batch) const {
    const std::string& self = cluster_.self().alias;
    std::vector<PlacedChunk> places;
    for (const ChunkRows& chunk : batch.chunks) {
        const auto table = map_.table(chunk.table);
        auto place = table ? map_.chunk(table->database, chunk.path) : std::nullopt;
        if (!place || !place->prepares(self)) return std::nullopt;
        places.push_back(std::move(*place));
    }
    return places;
}

bool PreparedTransactions::isOnlyHere(const PlacedChunk& place) const {
    return place.replicas.size() == 1 && place.isReplica(cluster_.self().alias);
}

// Entries and places are compared while the chunks are locked: if one changes the next moment, the rows came before.
CommitResult PreparedTransactions::commit(WriteBatch batch) {
    for (ChunkRows& chunk : batch.chunks) {
        if (chunk.replaces == ChunkRows::Replaces::Seen) chunk.seenAt = pins_.snapshot(batch.query);
    }
    const auto isBound = [&] {
        if (!areBound(batch)) return false;
        const auto places = placesHere(batch);
        return places &&
               std::all_of(places->begin(), places->end(), [](const PlacedChunk& place) { return place.isAlone(); });
    };
    return storage_.commits().appendIf(isBound, batch);
}

// Notes for rows that are replaced the number of the snapshot that showed them here. A node that still copies a
// partition has no snapshot of it to compare with; the others compare. Returns false when the query is not open.
bool PreparedTransactions::noteSnapshots(WriteBatch& batch, const std::vector<PlacedChunk>& places, bool isIn) const {
    for (size_t i = 0; i < places.size(); ++i) {
        ChunkRows& chunk = batch.chunks[i];
        const bool isCopied = !places[i].isReplica(cluster_.self().alias) || (!isIn && !isOnlyHere(places[i]));
        if (chunk.replaces != ChunkRows::Replaces::Seen || isCopied) continue;
        const std::optional<uint64_t> seenAt = pins_.find(batch.query);
        if (!seenAt) return false;
        chunk.seenAt = *seenAt;
    }
    return true;
}

CommitResult PreparedTransactions::prepare(const std::string& transaction, const std::vector<std::string>& participants,
                                           uint64_t configRevision, WriteBatch batch, bool waits) {
    if (!map_.hasContact()) return CommitResult::CutOff;
    uint64_t needed = configRevision;
    for (const auto& [table, entry] : batch.tables) needed = std::max(needed, entry.revision);
    map_.await(needed, kMapTimeout);
    if (!areBound(batch)) return CommitResult::TableChanged;
    const auto places = placesHere(batch);
    if (!places) return CommitResult::OldConfig;
    const bool isAlone =
        std::all_of(places->begin(), places->end(), [&](const PlacedChunk& p) { return isOnlyHere(p); });
    const auto config = map_.config();
    const CommitResult answer = installer_.mayPrepare(*config, configRevision, isAlone);
    if (answer != CommitResult::Done) return answer;
    if (!noteSnapshots(batch, *places, config->isIn(cluster_.self().alias))) return CommitResult::RowsMoved;
    try {
        return storage_.prepared().prepare(transaction, participants, batch,
                                           waits ? kChunkTimeout : kShortChunkTimeout);
    } catch (const DiskFull& error) {
        leaveSync(cluster_, map_, error.what());
        throw;
    } catch (const SystemError& error) {
        if (!error.retryable()) leaveSync(cluster_, map_, error.what());
        throw;
    }
}

void PreparedTransactions::forget(const std::string& transaction) {
    storage_.prepared().applyDecisions({{transaction, false, 0}});
}

void PreparedTransactions::settleCommits(const std::string& database, const std::string& path, uint64_t revision) {
    map_.await(revision, kMapTimeout);
    for (const uint64_t table : map_.tablesOf(database)) storage_.commits().awaitCommits(table, path);
}

void PreparedTransactions::begin(const std::string& transaction) {
    const MutexLock lock(mutex_);
    open_.insert(transaction);
}

void PreparedTransactions::end(const std::string& transaction) {
    const MutexLock lock(mutex_);
    open_.erase(transaction);
}

// A node that does not reach the store can't end what it sent for decision: the others may, and it finds their record.
bool PreparedTransactions::isOpen(const std::string& transaction) const {
    if (!map_.hasContact()) return false;
    const MutexLock lock(mutex_);
    return open_.count(transaction) != 0;
}

std::set<std::string> PreparedTransactions::open() const {
    const MutexLock lock(mutex_);
    return open_;
}

bool PreparedTransactions::isOpenElsewhere(const std::string& transaction) {
    const std::string coordinator = incarnationOf(transaction);
    if (coordinator == cluster_.incarnation()) return isOpen(transaction);
    if (!cluster_.lives(coordinator)) return false;
    try {
        const std::vector<Value> arguments{Value::ofString(transaction)};
        const Timeout timeout{.limit = kAnswerTimeout, .endsInSilence = true};
        return cluster_.call(aliasOf(coordinator), systemRequest(), "nodeIsOpen", arguments, timeout).integer() == 1;
    } catch (const Error&) {
        return false;
    }
}

void PreparedTransactions::settleDoubts() {
    for (const auto& doubt : installer_.doubts(std::chrono::steady_clock::now(), map_.records())) {
        if (isOpenElsewhere(doubt.name)) continue;
        const std::string key = decisionKey(doubt.name);
        cluster_.store().transact({{key, 0}}, {{key, Installer::abortOf(doubt).encode(), 0}});
        logInfo("cluster", "a transaction that nobody decides is aborted", {{"transaction", doubt.name}});
    }
}

}  // namespace pelorus
