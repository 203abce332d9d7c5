#include "storage/commit/stream_commits.h"

#include <optional>
#include <utility>

#include "common/check.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/storage_parts.h"
#include "storage/version/edit.h"
#include "storage/version/version_set.h"

namespace pelorus {

using format::EditKind;

static constexpr const char* kChunkPath = "/";

namespace {

void add(const std::vector<MetaWrite>& writes, std::vector<Edit>& edits) {
    for (const MetaWrite& write : writes) {
        Edit& edit = edits.emplace_back();
        edit.kind = EditKind::MetaWrite;
        edit.meta = write;
    }
}

void commit(StorageParts& parts, CommitPath& commits, const std::vector<Edit>& edits, WalWriter::Sync sync) {
    std::string payload;
    encodeEdits(edits, payload);
    parts.log->commit(
        format::RecordKind::Commit, std::move(payload), [&](uint64_t number) { commits.install(number, edits); }, 0,
        sync);
}

}  // namespace

void StreamCommits::append(uint64_t table, const Ref<MemoryTable>& rows, const std::vector<MetaWrite>& writes,
                           WalWriter::Sync sync) {
    CHECK(isStreamTableId(table) && rows->rowCount() > 0) << "rows are appended to a stream table";
    std::vector<Edit> edits;
    bool isNew = false;
    const uint64_t chunk = parts_.versions.chunkFor(table, kChunkPath, isNew);
    if (isNew) {
        Edit& creation = edits.emplace_back();
        creation.kind = EditKind::ChunkCreated;
        creation.chunk = chunk;
        creation.table = table;
        creation.path = kChunkPath;
    }
    Edit& added = edits.emplace_back();
    added.kind = EditKind::Rows;
    added.chunk = chunk;
    added.rows = rows;
    add(writes, edits);
    const ChunkLocks::Hold hold(parts_.locks, {chunk}, false);
    commit(parts_, commits_, edits, sync);
}

void StreamCommits::write(const std::vector<MetaWrite>& writes, WalWriter::Sync sync) {
    std::vector<Edit> edits;
    add(writes, edits);
    commit(parts_, commits_, edits, sync);
}

int64_t StreamCommits::removeOldest(uint64_t table, const std::function<bool(const Segment&)>& isOld,
                                    const std::function<MetaWrite(int64_t)>& note) {
    const uint64_t chunk = parts_.versions.find(table, kChunkPath);
    if (chunk == 0) return 0;
    // Appends are held up only when there is something to remove.
    const ChunkVersionRef now = parts_.versions.newest(chunk);
    if (!now || now->parts.empty() || !now->parts[0].segment || !isOld(*now->parts[0].segment)) return 0;
    const ChunkLocks::Hold hold(parts_.locks, {chunk}, true);
    const ReaderLock layout(parts_.layout);  // no flush or compaction moves the border meanwhile
    const ChunkVersionRef version = parts_.versions.newest(chunk);
    if (!version) return 0;
    int64_t rows = 0;
    for (const ChunkPart& part : version->parts) {
        if (!part.segment || !isOld(*part.segment)) break;
        rows += part.rowCount;
    }
    if (rows == 0) return 0;
    std::vector<Edit> edits(1);
    edits[0].kind = EditKind::RowsReplaced;
    edits[0].chunk = chunk;
    edits[0].firstRow = rows;
    add({note(rows)}, edits);
    commits_.commit(edits);
    return rows;
}

void StreamCommits::remove(uint64_t table, const std::vector<MetaWrite>& writes) {
    std::vector<Edit> edits;
    const uint64_t chunk = parts_.versions.find(table, kChunkPath);
    if (chunk != 0) {
        edits.resize(1);
        edits[0].kind = EditKind::ChunkDropped;
        edits[0].chunk = chunk;
    }
    add(writes, edits);
    std::optional<ChunkLocks::Hold> hold;
    if (chunk != 0) hold.emplace(parts_.locks, std::vector<uint64_t>{chunk}, true);
    commits_.commit(edits);
}

}  // namespace pelorus
