#include "storage/commit/commit_path.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/write_batch.h"
#include "storage/version/version_set.h"

#include <algorithm>

#include "common/check.h"
#include "storage/commit/remove_rows.h"
#include "storage/commit/staged_batch.h"
#include "storage/commit/storage_parts.h"
#include "storage/log/wal_writer.h"

namespace pelorus {

using format::EditKind;

static constexpr auto kCommitTimeout = std::chrono::seconds(5);

CommitPath::CommitPath(StorageParts& parts, std::function<void()> notePressure)
    : parts_(parts), notePressure_(std::move(notePressure)) {}

uint64_t CommitPath::append(const WriteBatch& batch, const std::string& id) {
    // The idempotency table is read first: the answer to an earlier append stays, whatever has changed since.
    const IdempotencyTable::Turn turn(parts_.idempotency, id);
    if (turn.answer() != 0) return turn.answer();
    CHECK(!batch.replacesRows()) << "an append adds rows";
    StagedBatch staged(parts_, batch);
    if (staged.isEmpty()) return parts_.clock();
    staged.addId(id);
    const ChunkLocks::Hold hold(parts_.locks, staged.chunks(), false);
    staged.resolve();
    const uint64_t number = commit(staged.edits());
    staged.keep();
    return number;
}

CommitResult CommitPath::appendIf(const std::function<bool()>& isBound, const WriteBatch& batch) {
    const bool replaces = batch.replacesRows();
    StagedBatch staged(parts_, batch);
    const std::vector<uint64_t> chunks = staged.chunks();
    if (chunks.empty()) return isBound() ? CommitResult::Done : CommitResult::TableChanged;
    try {
        // With the chunks locked, these checks still hold when the record is written.
        const ChunkLocks::Hold hold(parts_.locks, chunks, replaces);
        // A concurrent flush would move rows across the border of the seen rows into one segment with them.
        std::optional<ReaderLock> layout;
        if (replaces) layout.emplace(parts_.layout);
        if (!isBound()) return CommitResult::TableChanged;
        if (const CommitResult result = staged.resolve(); result != CommitResult::Done) return result;
        if (!staged.isEmpty()) commit(staged.edits());
        staged.keep();
        return CommitResult::Done;
    } catch (const ChunkIsBusy&) {
        if (!replaces) throw;
        return CommitResult::Busy;
    }
}

bool CommitPath::replace(WriteBatch batch, uint64_t since, uint64_t changedAt) {
    for (ChunkRows& chunk : batch.chunks) {
        chunk.changedAt = changedAt;
        chunk.replaces = ChunkRows::Replaces::Seen;
        chunk.seenAt = since;
    }
    return appendIf([] { return true; }, batch) == CommitResult::Done;
}

uint64_t CommitPath::commit(const std::vector<Edit>& edits) {
    CHECK(!edits.empty()) << "a commit changes something";
    std::string payload;
    encodeEdits(edits, payload);
    // Installing these removes files. The record must not be lost after that, even with dataSync=0.
    const bool removes = std::any_of(edits.begin(), edits.end(), [](const Edit& edit) {
        return edit.kind == EditKind::RangeMoved || edit.kind == EditKind::ChunkDropped ||
               edit.kind == EditKind::ChunkCleared || edit.kind == EditKind::RowsReplaced;
    });
    return parts_.log->commit(
        format::RecordKind::Commit, std::move(payload), [&](uint64_t number) { install(number, edits); }, 0,
        removes ? WalWriter::Sync::Always : WalWriter::Sync::AsSet);
}

void CommitPath::install(uint64_t number, const std::vector<Edit>& edits, uint64_t visible) {
    parts_.versions.install(number, edits);
    parts_.metadata.apply(number, edits);
    for (const Edit& edit : edits) {
        if (edit.kind == EditKind::AppendId) parts_.idempotency.note(edit.appendId, number);
    }
    parts_.versions.setVisible(std::max(number, visible));
    const bool isPressed =
        parts_.versions.cachedBytes() > parts_.options.writeCacheBytes ||
        std::any_of(edits.begin(), edits.end(), [](const Edit& edit) { return edit.kind == EditKind::SegmentAdded; });
    if (isPressed) notePressure_();
}

void CommitPath::removeRows(uint64_t table, bool keepChunks, std::chrono::milliseconds timeout) {
    if (keepChunks) eraseAllRows(parts_, table);
    if (!keepChunks) dropRows(parts_, table, [this](uint64_t number) { parts_.versions.setVisible(number); });
    const VersionSet::ChunkList chunks = parts_.versions.chunks(table);
    std::vector<Edit> edits;
    for (const auto& identity : *chunks) {
        Edit& edit = edits.emplace_back();
        edit.kind = keepChunks ? EditKind::ChunkCleared : EditKind::ChunkDropped;
        edit.chunk = identity->id;
    }
    if (edits.empty()) return;
    const ChunkLocks::Hold hold(parts_.locks, chunksOf(edits), true, timeout);
    commit(edits);
}

void CommitPath::removeChunks(uint64_t table, const std::vector<std::string>& paths,
                              std::chrono::milliseconds timeout) {
    std::vector<uint64_t> chunks;
    for (const std::string& path : paths) {
        if (const uint64_t chunk = parts_.versions.find(table, path); chunk != 0) chunks.push_back(chunk);
    }
    removeChunks(chunks, timeout);
}

void CommitPath::removeChunks(const std::vector<uint64_t>& chunks, std::chrono::milliseconds timeout) {
    std::vector<Edit> edits(chunks.size());
    for (size_t i = 0; i < chunks.size(); ++i) {
        edits[i].kind = EditKind::ChunkDropped;
        edits[i].chunk = chunks[i];
    }
    if (edits.empty()) return;
    const ChunkLocks::Hold hold(parts_.locks, chunksOf(edits), true, timeout);
    commit(edits);
}

bool CommitPath::removeUnchanged(uint64_t chunk, uint64_t since) {
    std::vector<Edit> edits(1);
    edits[0].kind = EditKind::ChunkDropped;
    edits[0].chunk = chunk;
    const ChunkLocks::Hold hold(parts_.locks, {chunk}, true);
    const ChunkVersionRef version = parts_.versions.newest(chunk);
    if (version && version->since > since) return false;
    commit(edits);
    return true;
}

void CommitPath::awaitCommits(uint64_t table, const std::string& path) {
    bool isNew = false;
    const uint64_t chunk = parts_.versions.chunkFor(table, path, isNew);
    const ChunkLocks::Hold hold(parts_.locks, {chunk}, true, kCommitTimeout);
}

const char* CommitPath::chunkState(uint64_t table, const std::string& path) const {
    return parts_.locks.isLocked(parts_.versions.find(table, path)) ? "IN_TRANSACTION" : "COMPLETE";
}

}  // namespace pelorus
