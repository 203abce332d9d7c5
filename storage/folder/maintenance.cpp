// Flush and compaction put the same rows into fewer, larger segments. Both are edits of the log (RangeMoved), so a
// crash at any moment leaves the rows once.
#include "storage/folder/maintenance.h"
#include "storage/version/version_set.h"

#include <chrono>
#include <utility>

#include "common/check.h"
#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_pool.h"
#include "common/thread/thread_start.h"
#include "runtime/memory/budget.h"
#include "storage/catalog/catalog.h"
#include "storage/catalog/sort_rule.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/prepared_commits.h"
#include "storage/commit/storage_parts.h"
#include "storage/encryption/encryption_keys.h"
#include "storage/folder/checkpoint.h"
#include "storage/folder/row_image_files.h"
#include "storage/log/wal_writer.h"
#include "storage/rows/row_store.h"
#include "storage/segment/segment_writer.h"
#include "storage/version/write_cache.h"

namespace pelorus {

static constexpr int64_t kUndoPart = 4;  // fraction of the memory that before-images of rows may take

using format::EditKind;

// Segments below this many rows are small: compaction merges neighbours until they are not.
static constexpr int64_t kSmallSegmentRows = 4 * format::kBlockRows;
static constexpr int kSmallSegmentsPerChunk = 8;
static constexpr uint64_t kNoGeneration = UINT64_MAX;  // of an edit that does nothing
// Rows in memory of larger chunks go to segments before a checkpoint; the others are written into it.
static constexpr int64_t kFlushedBeforeCheckpoint = 8192;
static constexpr int64_t kCompactionRows = 4 * kSmallSegmentRows;

// Adjacent memory runs become one segment per chunk, all chunks in one file.
void Maintenance::flushChunks(const std::vector<uint64_t>& chunks) {
    struct Run {
        Edit edit;
        TableCipherRef cipher;
        std::vector<Ref<MemoryTable>> pieces;
    };
    std::vector<Run> runs;
    for (const uint64_t chunk : chunks) {
        // Read first; otherwise the chunk may be dropped in between, and its rows be taken for those of no encrypted
        // table.
        const uint64_t table = parts_.versions.tableOf(chunk);
        const ChunkVersionRef version = parts_.versions.newest(chunk);
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
                run.cipher = parts_.keys->of(table);
                runs.push_back(std::move(run));
            }
            open = part.rows.get() != nullptr;
            if (open) runs.back().pieces.push_back(part.rows);
            at += part.rowCount;
        }
    }
    if (runs.empty()) return;
    const uint64_t number = ++parts_.lastSegmentFile;
    SegmentFileWriter writer(parts_.files, parts_.volumes.folderFor(number), number);
    std::map<uint64_t, ColumnCompression> byChunk;
    if (const auto byTable = parts_.compressionByTable(); !byTable.empty()) {
        for (const VersionSet::State& chunk : parts_.versions.state()) {
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
    const WriterLock layout(parts_.layout);
    for (Run& run : runs) {
        // A prepared change relies on the positions of its rows: the edit then moves nothing, and the next flush does.
        if (parts_.locks.isChanging(run.edit.chunk)) run.edit.generation = kNoGeneration;
        edits.push_back(std::move(run.edit));
    }
    commits_.commit(edits);
}

void Maintenance::flush(int64_t minimumRows) {
    const MutexLock guard(step_);
    flushChunks(parts_.versions.chunksWithCachedRows(minimumRows));
}

// Merges one run of small adjacent segments; false when the chunk needs none.
bool Maintenance::compactChunk(uint64_t chunk, const TableOrder& order, const ColumnCompression& compression) {
    const uint64_t table = parts_.versions.tableOf(chunk);  // before its rows: see flushChunks
    const ChunkVersionRef version = parts_.versions.newest(chunk);
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
    const uint64_t number = ++parts_.lastSegmentFile;
    SegmentFileWriter writer(parts_.files, parts_.volumes.folderFor(number), number);
    Edit edit;
    edit.kind = EditKind::RangeMoved;
    edit.chunk = chunk;
    edit.firstRow = firstRow;
    edit.generation = version->generation;
    edit.segment = writer.add(*rows, compression, parts_.keys->of(table).get());
    writer.finish();
    logInfo("storage", "compacted",
            {{"chunk", chunk}, {"segments", bestEnd - bestBegin}, {"rows", total}, {"file", number}});
    const WriterLock layout(parts_.layout);
    const bool isMoved = !parts_.locks.isChanging(chunk);  // as in flushChunks
    if (!isMoved) edit.generation = kNoGeneration;
    commits_.commit({std::move(edit)});
    return isMoved;
}

void Maintenance::compact() {
    const MutexLock guard(step_);
    // Tables of another catalog are merged in order of arrival; readers sort them.
    std::map<uint64_t, TableOrder> orders;
    for (const TableEntry& table : parts_.catalog->allTables())
        orders[table.id] = {sortRuleOf(table), table.storedSchema()};
    std::map<uint64_t, ColumnCompression> compression = parts_.compressionByTable();
    for (const VersionSet::State& chunk : parts_.versions.state()) {
        if (!chunk.version || chunk.version->parts.size() < kSmallSegmentsPerChunk) continue;
        const uint64_t table = chunk.identity->table;
        while (compactChunk(chunk.identity->id, orders[table], compression[table])) {
        }
    }
}

void Maintenance::checkpoint() {
    flush(kFlushedBeforeCheckpoint);
    const MutexLock guard(step_);
    uint64_t number = 0;
    CheckpointState state;
    // Commits wait only while the state is recorded; versions are immutable, but the bytes of memory runs are small.
    parts_.log->startNewFile([&](uint64_t fileNumber) {
        number = fileNumber;
        state = encodeCheckpoint(parts_, prepared_, fileNumber);
    });
    // Without new images the log keeps the changes of rows; the checkpoint does its work for the columns.
    std::exception_ptr failed;
    parts_.rowLogBytes = logBytesOfRows(parts_, state.rows.firstFile, number);
    try {
        if (areRowImagesDue(parts_, parts_.rowLogBytes)) {
            state.rows = {number, writeRowImages(parts_, number)};
            parts_.rowLogBytes = 0;
        }
    } catch (const Error&) {
        failed = std::current_exception();
    }
    writeCheckpoint(parts_, number, state);
    if (state.rows.images) parts_.rows->adopt(state.rows.images);
    parts_.olderLogBytes = 0;
    removeOlderThan(parts_, number, state);
    if (failed) std::rethrow_exception(failed);
}

// Rows in memory are written into the checkpoint, however many they are: a flush needs the log.
void Maintenance::renewLog() {
    if (parts_.log->isSound()) return;
    const MutexLock guard(step_);
    // Rows of commits that failed are put back before others can commit on their basis.
    parts_.rows->withdrawn().awaitPutBack();
    uint64_t number = 0;
    CheckpointState state;
    parts_.log->renew([&](uint64_t fileNumber) {
        number = fileNumber;
        state = encodeCheckpoint(parts_, prepared_, fileNumber);
        // Commits that did not wait for the disk are installed, and their rows may be in the log that was lost alone.
        if (state.rows.firstFile != 0 && parts_.log->syncedNumber() < parts_.clock())
            state.rows = {fileNumber, writeRowImagesAtBorder(parts_, fileNumber)};
        writeCheckpoint(parts_, number, state);
        return parts_.clock();
    });
    if (number == 0) return;  // another thread was faster
    if (state.rows.firstFile == number && state.rows.images) {
        parts_.rows->adopt(state.rows.images);
        parts_.rowLogBytes = 0;
    }
    parts_.olderLogBytes = 0;
    logWarning("storage", "the log was begun anew after a failed sync",
               {{"folder", parts_.folder}, {"number", number}});
    removeOlderThan(parts_, number, state);
}

void Maintenance::begin() {
    thread_ = startThread([this] { run(); });
}

void Maintenance::end() {
    {
        const MutexLock guard(wakeMutex_);
        stopping_ = true;
    }
    wake_.notifyAll();
    if (thread_.joinable()) thread_.join();
}

void Maintenance::notePressure() {
    {
        const MutexLock guard(wakeMutex_);
        pressed_ = true;
    }
    wake_.notifyOne();
}

// Does what is due. Returns what failed, such as a full disk, which is tried again in the next round.
std::string Maintenance::doRound(bool isPressed, bool isOld) {
    try {
        renewLog();
        parts_.rows->purge(memory::limitBytes() / kUndoPart);
        flush(parts_.versions.cachedBytes() > parts_.options.writeCacheBytes ? 1 : format::kBlockRows);
        parts_.log->rest();
        if (isPressed) compact();
        // Files of earlier runs count, too: a node that is restarted often would replay a longer log each time.
        const int64_t logBytes = parts_.olderLogBytes + parts_.log->fileBytes();
        const bool isLong = logBytes > (isOld ? format::kWalHeaderBytes : parts_.options.checkpointBytes);
        const int64_t rowBytes = parts_.rowLogBytes;
        if (isLong || (rowBytes > parts_.options.rowLogBytes && areRowImagesDue(parts_, rowBytes))) checkpoint();
        return "";
    } catch (const Error& error) {
        logError("storage", "maintenance failed and is tried again",
                 {{"folder", parts_.folder}, {"error", error.what()}});
        return error.what();
    }
}

void Maintenance::run() {
    using Clock = std::chrono::steady_clock;
    const auto age = std::chrono::seconds(parts_.options.checkpointSeconds);
    Clock::time_point nextCheckpoint = Clock::now() + age;
    MutexLock lock(wakeMutex_);
    while (!stopping_) {
        const Clock::time_point next = Clock::now() + std::chrono::seconds(1);
        while (!stopping_ && !pressed_ && wake_.waitUntil(lock, next)) {
        }
        if (stopping_) return;
        const bool isPressed = std::exchange(pressed_, false);
        lock.unlock();
        const bool isOld = age.count() > 0 && Clock::now() >= nextCheckpoint;
        const std::string error = doRound(isPressed, isOld);
        if (isOld && error.empty()) nextCheckpoint = Clock::now() + age;
        lock.lock();
        error_ = error;
        if (error.empty()) continue;
        const Clock::time_point retry = Clock::now() + std::chrono::seconds(1);
        while (!stopping_ && wake_.waitUntil(lock, retry)) {
        }
    }
}

std::string Maintenance::error() const {
    const MutexLock guard(wakeMutex_);
    return error_;
}

}  // namespace pelorus
