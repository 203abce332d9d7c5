// Flush and compaction: the same rows in fewer, larger segments. Both are edits of the log (RangeMoved), so a crash at
// any moment leaves the rows once.
#include <chrono>
#include <utility>

#include "common/check.h"
#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_pool.h"
#include "storage/catalog/catalog.h"
#include "storage/catalog/sort_rule.h"
#include "storage/segment/segment_writer.h"
#include "storage/version/local_storage.h"
#include "storage/version/write_cache.h"

namespace pelorus {

using format::EditKind;

// Segments below this many rows are small: compaction merges neighbours until they are not.
static constexpr int64_t kSmallSegmentRows = 4 * format::kBlockRows;
static constexpr int kSmallSegmentsPerChunk = 8;
static constexpr uint64_t kNoGeneration = UINT64_MAX;  // of an edit that does nothing
static constexpr int64_t kCompactionRows = 4 * kSmallSegmentRows;

// Adjacent memory runs become one segment per chunk, all chunks in one file.
void LocalStorage::flushChunks(const std::vector<uint64_t>& chunks) {
    struct Run {
        Edit edit;
        TableCipherRef cipher;
        std::vector<Ref<MemoryTable>> pieces;
    };
    std::vector<Run> runs;
    for (const uint64_t chunk : chunks) {
        // Read first; otherwise the chunk may be dropped in between, and its rows be taken for those of no encrypted
        // table.
        const uint64_t table = versions_->tableOf(chunk);
        const ChunkVersionRef version = versions_->newest(chunk);
        if (table == 0 || !version) continue;
        int64_t at = 0;
        bool open = false;
        for (const ChunkPart& part : version->parts) {
            // Runs before and after a change of columns are not merged.
            if (open && part.rows) open = sameColumns(runs.back().pieces.back()->columns(), part.rows->columns());
            if (part.rows && !open) {
                Run run;
                run.edit.kind = EditKind::RangeMoved;
                run.edit.chunk = chunk;
                run.edit.firstRow = at;
                run.edit.generation = version->generation;
                run.cipher = keys_->of(table);
                runs.push_back(std::move(run));
            }
            open = part.rows.get() != nullptr;
            if (open) runs.back().pieces.push_back(part.rows);
            at += part.rowCount;
        }
    }
    if (runs.empty()) return;
    const uint64_t number = ++lastSegmentFile_;
    SegmentFileWriter writer(files_, volumes_.folderFor(number), number);
    std::map<uint64_t, ColumnCompression> byChunk;
    if (const auto byTable = compressionByTable(); !byTable.empty()) {
        for (const VersionSet::State& chunk : versions_->state()) {
            const auto chosen = byTable.find(chunk.identity->table);
            if (chosen != byTable.end()) byChunk.emplace(chunk.identity->id, chosen->second);
        }
    }
    parallelFor(static_cast<int64_t>(runs.size()), [&](int64_t i) {
        Run& run = runs[static_cast<size_t>(i)];
        Ref<MemoryTable> rows = run.pieces[0];
        if (run.pieces.size() > 1) {
            int64_t total = 0;
            for (const auto& piece : run.pieces) total += piece->rowCount();
            rows = MemoryTable::empty(run.pieces[0]->columns(), total);
            for (const auto& piece : run.pieces) rows->append(*piece);
        }
        const auto chosen = byChunk.find(run.edit.chunk);
        run.edit.segment =
            writer.add(*rows, chosen == byChunk.end() ? ColumnCompression() : chosen->second, run.cipher.get());
    });
    writer.finish();
    std::vector<Edit> edits;
    logDebug("storage", "flushed", {{"runs", runs.size()}});
    const WriterLock layout(layout_);
    for (Run& run : runs) {
        // A prepared change counts on where its rows lie: the edit then moves nothing, and the next flush does.
        if (isChanging(run.edit.chunk)) run.edit.generation = kNoGeneration;
        edits.push_back(std::move(run.edit));
    }
    commit(std::move(edits));
}

void LocalStorage::flush(int64_t minimumRows) {
    const MutexLock guard(maintenance_);
    flushChunks(versions_->chunksWithCachedRows(minimumRows));
}

// Merges one run of small adjacent segments; false when the chunk needs none.
bool LocalStorage::compactChunk(uint64_t chunk, const TableOrder& order, const ColumnCompression& compression) {
    const uint64_t table = versions_->tableOf(chunk);  // before its rows: see flushChunks
    const ChunkVersionRef version = versions_->newest(chunk);
    if (table == 0 || !version) return false;
    // The longest sequence of small segments.
    size_t bestBegin = 0, bestEnd = 0, begin = 0;
    for (size_t i = 0; i <= version->parts.size(); ++i) {
        const bool small =
            i < version->parts.size() && version->parts[i].segment && version->parts[i].rowCount < kSmallSegmentRows;
        // Segments before and after a change of columns are not merged.
        const bool fits = small && (i == begin || sameColumns(version->parts[begin].segment->columns(),
                                                              version->parts[i].segment->columns()));
        if (fits) continue;
        if (i - begin > bestEnd - bestBegin) {
            bestBegin = begin;
            bestEnd = i;
        }
        begin = small ? i : i + 1;
    }
    if (static_cast<int>(bestEnd - bestBegin) < kSmallSegmentsPerChunk) return false;
    int64_t firstRow = 0, total = 0;
    for (size_t i = 0; i < bestBegin; ++i) firstRow += version->parts[i].rowCount;
    // Bounded: a step holds no more rows in memory than a few small segments, however many there are.
    for (size_t i = bestBegin; i < bestEnd; ++i) {
        total += version->parts[i].rowCount;
        if (total >= kCompactionRows) bestEnd = i + 1;
    }
    Ref<MemoryTable> rows;
    for (size_t i = bestBegin; i < bestEnd; ++i) {
        const Ref<MemoryTable> piece = version->parts[i].segment->readAll();
        if (!rows) rows = MemoryTable::empty(piece->columns(), total);
        rows->append(*piece);
    }
    // Every row stays: readers choose among equal ones. Rows with older columns stay in their order, and readers sort
    // them.
    SortRule rule = order.rule;
    rule.keep = SortRule::Keep::All;
    if (sameColumns(rows->columns(), order.columns)) rows = ordered(std::move(rows), rule);
    CHECK(rows->rowCount() == total) << "a compaction keeps all rows";
    const uint64_t number = ++lastSegmentFile_;
    SegmentFileWriter writer(files_, volumes_.folderFor(number), number);
    Edit edit;
    edit.kind = EditKind::RangeMoved;
    edit.chunk = chunk;
    edit.firstRow = firstRow;
    edit.generation = version->generation;
    edit.segment = writer.add(*rows, compression, keys_->of(table).get());
    writer.finish();
    logInfo("storage", "compacted",
            {{"chunk", chunk}, {"segments", bestEnd - bestBegin}, {"rows", total}, {"file", number}});
    const WriterLock layout(layout_);
    const bool isMoved = !isChanging(chunk);  // as in flushChunks
    if (!isMoved) edit.generation = kNoGeneration;
    commit({std::move(edit)});
    return isMoved;
}

void LocalStorage::compact() {
    const MutexLock guard(maintenance_);
    // Tables of another catalog are merged in order of arrival; readers sort them.
    std::map<uint64_t, TableOrder> orders;
    for (const TableEntry& table : catalog_->allTables()) orders[table.id] = {sortRuleOf(table), table.storedSchema()};
    std::map<uint64_t, ColumnCompression> compression = compressionByTable();
    for (const VersionSet::State& chunk : versions_->state()) {
        if (!chunk.version || chunk.version->parts.size() < kSmallSegmentsPerChunk) continue;
        const uint64_t table = chunk.identity->table;
        while (compactChunk(chunk.identity->id, orders[table], compression[table])) {
        }
    }
}

void LocalStorage::maintain() {
    using Clock = std::chrono::steady_clock;
    Clock::time_point nextCheckpoint = Clock::now() + std::chrono::seconds(options_.checkpointSeconds);
    MutexLock lock(wakeMutex_);
    while (!stopping_) {
        const Clock::time_point look = Clock::now() + std::chrono::seconds(1);
        while (!stopping_ && !pressed_ && wake_.waitUntil(lock, look)) {
        }
        if (stopping_) return;
        const bool pressed = std::exchange(pressed_, false);
        lock.unlock();
        std::string problem;
        try {
            renewLog();
            if (versions_->cachedBytes() > options_.writeCacheBytes)
                flush(1);
            else
                flush(format::kBlockRows);
            wal_->rest();
            if (pressed) compact();
            const bool isOld = options_.checkpointSeconds > 0 && Clock::now() >= nextCheckpoint;
            if (wal_->fileBytes() > (isOld ? format::kWalHeaderBytes : options_.checkpointBytes)) checkpoint();
            if (isOld) nextCheckpoint = Clock::now() + std::chrono::seconds(options_.checkpointSeconds);
        } catch (const Error& error) {
            problem = error.what();  // e.g. a full disk: tried again at the next turn
            logError("storage", "maintenance failed and is tried again", {{"folder", folder_}, {"error", problem}});
        }
        lock.lock();
        maintenanceError_ = problem;
        if (problem.empty()) continue;
        const Clock::time_point retry = Clock::now() + std::chrono::seconds(1);
        while (!stopping_ && wake_.waitUntil(lock, retry)) {
        }
    }
}

std::string LocalStorage::maintenanceError() const {
    const MutexLock guard(wakeMutex_);
    return maintenanceError_;
}

}  // namespace pelorus
