#include "storage/commit/staged_batch.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/write_batch.h"
#include "storage/version/version_set.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "storage/commit/storage_parts.h"
#include "storage/encryption/encryption_keys.h"
#include "storage/log/wal_writer.h"
#include "storage/segment/segment_writer.h"

namespace pelorus {

using format::EditKind;

// A commit of fewer rows is written to the log completely; in a larger one, chunks with so many rows get a segment.
static constexpr int64_t kSmallCommitRows = format::kBlockRows;
static constexpr int64_t kSmallChunkRows = 8192;
static constexpr int64_t kLogRowsPerCommit = 1000000;

std::vector<uint64_t> chunksOf(const std::vector<Edit>& edits) {
    std::set<uint64_t> chunks;
    for (const Edit& edit : edits) {
        if (edit.kind != EditKind::MetaWrite && edit.kind != EditKind::AppendId) chunks.insert(edit.chunk);
    }
    return {chunks.begin(), chunks.end()};
}

static Edit creationOf(const ChunkRows& rows, uint64_t chunk) {
    Edit creation;
    creation.kind = EditKind::ChunkCreated;
    creation.chunk = chunk;
    creation.table = rows.table;
    creation.path = rows.path;
    creation.index = rows.index;
    return creation;
}

StagedBatch::StagedBatch(StorageParts& parts, const WriteBatch& batch) : parts_(parts), batch_(batch) {
    stageRows();
    reserveReplaced();
}

StagedBatch::~StagedBatch() {
    // When it is unknown whether the commit is on disk, its file must stay: recovery may need it.
    if (!file_ || !parts_.log->isSound()) return;
    try {
        parts_.files.remove(file_->path());
    } catch (const Error&) {
        // The next start removes files that no version uses.
    }
}

void StagedBatch::keep() {
    file_.reset();
}

void StagedBatch::stageRows() {
    int64_t total = 0, small = 0;
    for (const ChunkRows& chunk : batch_.chunks) {
        total += chunk.rows->rowCount();
        if (chunk.rows->rowCount() < kSmallChunkRows) small += chunk.rows->rowCount();
    }
    const int64_t segmentFrom = total < kSmallCommitRows ? INT64_MAX : small > kLogRowsPerCommit ? 1 : kSmallChunkRows;
    std::vector<std::pair<size_t, uint64_t>> large;  // positions in `edits_`, with the table
    for (const ChunkRows& chunk : batch_.chunks) {
        if (chunk.rows->rowCount() == 0) continue;
        bool isNew = false;
        Edit rows;
        rows.chunk = parts_.versions.chunkFor(chunk.table, chunk.path, isNew);
        if (isNew) edits_.push_back(creationOf(chunk, rows.chunk));
        const bool isLarge = chunk.rows->rowCount() >= segmentFrom;
        rows.kind = isLarge ? EditKind::SegmentAdded : EditKind::Rows;
        rows.rows = chunk.rows;
        rows.cipher = parts_.keys->of(chunk.table);
        if (isLarge) large.emplace_back(edits_.size(), chunk.table);
        edits_.push_back(std::move(rows));
    }
    if (!large.empty()) stageSegments(large);
}

void StagedBatch::stageSegments(const std::vector<std::pair<size_t, uint64_t>>& large) {
    const uint64_t number = ++parts_.lastSegmentFile;
    auto file = std::make_unique<SegmentFileWriter>(parts_.files, parts_.volumes.folderFor(number), number);
    const std::map<uint64_t, ColumnCompression> compression = parts_.compressionByTable();
    file_ = std::move(file);
    parallelFor(static_cast<int64_t>(large.size()), [&](int64_t i) {
        const auto& [position, table] = large[static_cast<size_t>(i)];
        Edit& edit = edits_[position];
        const auto chosen = compression.find(table);
        edit.segment = file_->add(*edit.rows, chosen == compression.end() ? ColumnCompression() : chosen->second,
                                  edit.cipher.get());
        edit.rows = nullptr;
        edit.cipher = nullptr;
    });
    // Synced even with dataSync=0: a log that outlives its column file would be damage, not loss.
    file_->finish();
}

// Makes the chunks whose rows are replaced, where they do not exist: each has its number from here on.
void StagedBatch::reserveReplaced() {
    std::set<uint64_t> made;
    for (const Edit& edit : edits_) {
        if (edit.kind == EditKind::ChunkCreated) made.insert(edit.chunk);
    }
    for (const ChunkRows& chunk : batch_.chunks) {
        if (chunk.replaces == ChunkRows::Replaces::Nothing) continue;
        bool isNew = false;
        const uint64_t id = parts_.versions.chunkFor(chunk.table, chunk.path, isNew);
        if (isNew && made.insert(id).second) edits_.insert(edits_.begin(), creationOf(chunk, id));
    }
}

std::vector<uint64_t> StagedBatch::chunks() const {
    std::vector<uint64_t> chunks = chunksOf(edits_);
    if (!batch_.replacesRows()) return chunks;
    for (const ChunkRows& chunk : batch_.chunks) {
        if (const uint64_t id = parts_.versions.find(chunk.table, chunk.path); id != 0) chunks.push_back(id);
    }
    std::sort(chunks.begin(), chunks.end());
    chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
    return chunks;
}

void StagedBatch::addId(const std::string& id) {
    if (id.empty()) return;
    Edit& mark = edits_.emplace_back();
    mark.kind = EditKind::AppendId;
    mark.appendId = id;
}

// When several commits met the same new chunk, another may have made it while this one waited, and dropped it again:
// then the rows of this one are dropped like those that were there. REQUIRES: the chunks are held, so that nobody drops
// them from here on.
void StagedBatch::dropStaleCreations() {
    std::erase_if(edits_, [&](const Edit& edit) {
        return edit.kind == EditKind::ChunkCreated && !parts_.versions.mayCreate(edit);
    });
}

// Makes the edit that removes the rows that were seen, and adds to `kept` remaining rows that share a segment with the
// last of these.
CommitResult StagedBatch::removeReplaced(const ChunkRows& rows, uint64_t chunk, Edit& removal,
                                         std::vector<Edit>& kept) const {
    const ChunkVersionRef now = parts_.versions.newest(chunk);
    removal.chunk = chunk;
    if (rows.replaces == ChunkRows::Replaces::All) {
        removal.kind = EditKind::ChunkCleared;
        return CommitResult::Done;
    }
    removal.kind = EditKind::RowsReplaced;
    if (rows.seenAt == 0) {
        removal.firstRow = std::min(rows.seenRows, now ? now->rowCount : 0);
        if (!now) return CommitResult::Done;
    } else {
        const ChunkVersionRef seen = parts_.versions.version(chunk, rows.seenAt);
        CHECK(!seen || seen->since <= rows.seenAt) << "a snapshot shows nothing newer than itself";
        removal.firstRow = seen ? seen->rowCount : 0;
        if (!now) return !seen || seen->rowCount == 0 ? CommitResult::Done : CommitResult::RowsMoved;
        if (now->since <= rows.seenAt) return CommitResult::Done;
        // A chunk that was made since may come from a change like this one.
        if (!seen || now->reorderedAt > rows.seenAt) return CommitResult::RowsMoved;
        // Rows that another node's copy has replaced are those that were seen, unless the copy is of a later change.
        if (now->generation != seen->generation) {
            const bool isCopied = now->changedAt != 0 && now->changedAt <= rows.seenAt;
            return isCopied ? CommitResult::RowsMoved : CommitResult::RowsChanged;
        }
    }
    int64_t begin = 0;
    for (const ChunkPart& part : now->parts) {
        const int64_t end = begin + part.rowCount;
        if (part.segment && begin < removal.firstRow && removal.firstRow < end) {
            Edit& rest = kept.emplace_back();
            rest.kind = EditKind::Rows;
            rest.chunk = chunk;
            rest.rows = part.segment->readAll()->slice(removal.firstRow - begin, end - removal.firstRow);
            rest.cipher = parts_.keys->of(parts_.versions.tableOf(chunk));
            removal.firstRow = end;
            break;
        }
        begin = end;
    }
    return CommitResult::Done;
}

// Returns whether the chunk had rows in the snapshot that the batch was made from.
bool StagedBatch::hadRows(const ChunkRows& rows) const {
    const uint64_t id = parts_.versions.find(rows.table, rows.path, rows.seenAt);
    const ChunkVersionRef seen = id == 0 ? nullptr : parts_.versions.version(id, rows.seenAt);
    return seen && seen->rowCount > 0;
}

CommitResult StagedBatch::resolve() {
    dropStaleCreations();
    if (batch_.replacesRows()) {
        if (const CommitResult result = orderReplaced(); result != CommitResult::Done) return result;
    }
    noteCopies();
    return CommitResult::Done;
}

// Inserts the edits that remove old rows between those that make chunks and those that add the new rows; remaining rows
// that must be written anew come last. Returns Done, RowsChanged or RowsMoved.
CommitResult StagedBatch::orderReplaced() {
    std::vector<Edit> ordered, kept, removals;
    std::set<uint64_t> replaced;
    for (const ChunkRows& chunk : batch_.chunks) {
        if (chunk.replaces == ChunkRows::Replaces::Nothing) continue;
        const uint64_t id = parts_.versions.find(chunk.table, chunk.path);
        if (id == 0) {
            if (chunk.replaces == ChunkRows::Replaces::Seen && chunk.seenAt != 0 && hadRows(chunk))
                return CommitResult::RowsMoved;
            continue;
        }
        if (!replaced.insert(id).second) continue;
        const CommitResult found = removeReplaced(chunk, id, removals.emplace_back(), kept);
        if (found != CommitResult::Done) return found;
    }
    for (Edit& edit : edits_) {
        if (edit.kind == EditKind::ChunkCreated) ordered.push_back(std::move(edit));
    }
    std::move(removals.begin(), removals.end(), std::back_inserter(ordered));
    for (Edit& edit : edits_) {
        if (edit.kind != EditKind::ChunkCreated) ordered.push_back(std::move(edit));
    }
    std::move(kept.begin(), kept.end(), std::back_inserter(ordered));
    edits_ = std::move(ordered);
    return CommitResult::Done;
}

// Adds the numbers of the last changes of copies. Rows that were committed after the snapshot that a copy replaces
// stay, and count as changes.
void StagedBatch::noteCopies() {
    std::set<uint64_t> noted;
    for (const ChunkRows& chunk : batch_.chunks) {
        if (chunk.changedAt == 0) continue;
        bool isNew = false;
        const uint64_t id = parts_.versions.chunkFor(chunk.table, chunk.path, isNew);
        if (!noted.insert(id).second) continue;
        Edit& copied = edits_.emplace_back();
        copied.kind = EditKind::ChunkCopied;
        copied.chunk = id;
        copied.changedAt = chunk.changedAt;
        const ChunkVersionRef now = parts_.versions.newest(id);
        if (now && now->changedAt > chunk.seenAt) copied.changedAt = std::max(now->changedAt, chunk.changedAt);
    }
}

}  // namespace pelorus
