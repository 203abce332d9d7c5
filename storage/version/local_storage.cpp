#include "storage/version/local_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "common/check.h"
#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_pool.h"
#include "common/thread/thread_start.h"
#include "storage/catalog/catalog.h"
#include "storage/segment/segment_writer.h"
#include "storage/version/metadata_embedded.h"

namespace pelorus {

using format::EditKind;
using format::RecordKind;

// A commit of fewer rows is written to the log completely; in a larger one, chunks with so many rows get a segment.
static constexpr int64_t kSmallCommitRows = format::kBlockRows;
static constexpr int64_t kSmallChunkRows = 8192;
static constexpr int64_t kLogRowsPerCommit = 1000000;
static constexpr auto kChunkLockTimeout = std::chrono::seconds(30);
static constexpr auto kCommitTimeout = std::chrono::seconds(5);
static constexpr size_t kProbedRoom = 16 << 20;
static constexpr auto kChunkLockPoll = std::chrono::milliseconds(100);

static std::string lockString(const std::string& address) {
    return fmt::format("pid={}\naddress={}\n", ::getpid(), address);
}

static std::string lockField(const std::string& string, const std::string& name) {
    const size_t at = string.find(name + "=");
    if (at == std::string::npos) return "";
    const size_t begin = at + name.size() + 1;
    return string.substr(begin, string.find('\n', begin) - begin);
}

static SystemError folderInUse(const std::string& folder, const std::string& holder) {
    const std::string pid = lockField(holder, "pid");
    const std::string address = lockField(holder, "address");
    std::string what = "The data folder " + folder + " is in use by another process";
    if (!pid.empty()) what += " (pid " + pid + ")";
    if (!address.empty()) {
        return SystemError(what + ", which serves " + address + ".", "Connect to it: pelorus connect " + address);
    }
    return SystemError(what + ", which listens to no port.", "End that process, or choose another folder with --data.");
}

static constexpr const char* kDataFolders[] = {"wal", "segments", "checkpoint"};

// A log or column files elsewhere are left to people.
static bool mayMoveAside(const StorageOptions& options, const DamagedData& damage) {
    return options.mayMoveAside && options.logFolder.empty() && options.volumes.empty() &&
           options.mayMoveAside(damage.what());
}

// Moves the data into a folder of its own, where people may look at it. Cut off in between, the rest is damaged, too.
static void setAside(const std::string& folder, FileSystem& files) {
    files.makeFolder(joinPath(folder, "damaged"));
    int number = 1;
    while (files.exists(joinPath(folder, fmt::format("damaged/{}", number)))) ++number;
    const std::string aside = joinPath(folder, fmt::format("damaged/{}", number));
    files.makeFolder(aside);
    for (const char* part : kDataFolders) {
        files.rename(joinPath(folder, part), joinPath(aside, part));
        files.makeFolder(joinPath(folder, part));
    }
    // The last: until then the rest is damaged. A new log says it again.
    if (const std::string begun = joinPath(folder, format::kBegunFile); files.exists(begun)) files.remove(begun);
    files.syncFolder(aside);
    files.syncFolder(folder);
    logWarning("storage", "damaged data was put aside, and the folder begins anew", {{"folder", aside}});
}

std::shared_ptr<LocalStorage> LocalStorage::open(const std::string& folder, FileSystem& files,
                                                 const StorageOptions& options) {
    files.makeFolder(folder);
    std::string holder;
    std::unique_ptr<FileLock> lock = files.lock(joinPath(folder, "LOCK"), &holder);
    if (!lock) throw folderInUse(folder, holder);
    lock->describe(lockString(""));
    for (const char* part : kDataFolders) files.makeFolder(joinPath(folder, part));
    if (!options.logFolder.empty()) files.makeFolder(options.logFolder);
    files.syncFolder(folder);
    std::shared_ptr<LocalStorage> storage(new LocalStorage(folder, files, options, std::move(lock)));
    try {
        storage->recover();
    } catch (const DamagedData& damage) {
        if (!mayMoveAside(options, damage)) throw;
        lock = std::move(storage->lock_);
        storage.reset();
        setAside(folder, files);
        storage.reset(new LocalStorage(folder, files, options, std::move(lock)));
        storage->recover();
    }
    if (options.maintenance) storage->maintainer_ = startThread([self = storage.get()] { self->maintain(); });
    return storage;
}

LocalStorage::LocalStorage(std::string folder, FileSystem& files, const StorageOptions& options,
                           std::unique_ptr<FileLock> lock)
    : folder_(std::move(folder)),
      logFolder_(options.logFolder.empty() ? joinPath(folder_, "wal") : options.logFolder),
      files_(files),
      options_(options),
      lock_(std::move(lock)),
      cipherOf_([this](uint64_t table) { return keys_->of(table); }),
      blocks_(options.blockCacheBytes),
      volumes_(files, joinPath(folder_, "segments"), options.volumes, options.volumeUsageThreshold),
      versions_(std::make_unique<VersionSet>(files, volumes_, blocks_, cipherOf_)),
      metadata_(
          std::make_unique<EmbeddedMetaStore>([this](std::vector<Edit> edits) { return commit(std::move(edits)); })),
      catalog_(std::make_unique<Catalog>(*metadata_)),
      keys_(std::make_unique<EncryptionKeys>(*metadata_, files, options.keyFolder, folder_)) {}

MetaStore& LocalStorage::metadata() {
    return *metadata_;
}

LocalStorage::~LocalStorage() {
    {
        const MutexLock guard(wakeMutex_);
        stopping_ = true;
    }
    wake_.notifyAll();
    if (maintainer_.joinable()) maintainer_.join();
}

std::chrono::microseconds LocalStorage::probeDisk() {
    const std::string path = joinPath(logFolder_, "PROBE");
    std::chrono::steady_clock::duration taken{};
    try {
        files_.create(path)->append(std::string(kProbedRoom, '\0'));
        const std::unique_ptr<File> file = files_.create(path);
        file->append("probe");
        const auto begin = std::chrono::steady_clock::now();
        file->sync();
        taken = std::chrono::steady_clock::now() - begin;
    } catch (...) {
        files_.remove(path);
        throw;
    }
    files_.remove(path);
    return std::chrono::duration_cast<std::chrono::microseconds>(taken);
}

void LocalStorage::announce(const std::string& address) {
    lock_->describe(lockString(address));
}

// ---- chunk locks: appends lock a chunk shared, prepared ones until they are decided; changes lock it exclusively

static std::vector<uint64_t> chunksOf(const std::vector<Edit>& edits) {
    std::set<uint64_t> chunks;
    for (const Edit& edit : edits) {
        if (edit.kind != EditKind::MetaWrite && edit.kind != EditKind::AppendId) chunks.insert(edit.chunk);
    }
    return {chunks.begin(), chunks.end()};
}

std::vector<uint64_t> LocalStorage::Prepared::chunks() const {
    return chunksOf(edits);
}

bool LocalStorage::Prepared::isExclusive() const {
    return std::any_of(edits.begin(), edits.end(), [](const Edit& edit) {
        return edit.kind == EditKind::RowsReplaced || edit.kind == EditKind::ChunkCleared;
    });
}

namespace {

// Another transaction held a chunk for longer than the caller waits.
class ChunkIsBusy : public SystemError {
public:
    ChunkIsBusy() : SystemError("Another transaction holds a partition and has not ended yet.", "Try again.", true) {}
};

bool replacesRows(const std::vector<ChunkRows>& chunks) {
    return std::any_of(chunks.begin(), chunks.end(),
                       [](const ChunkRows& chunk) { return chunk.replaces != ChunkRows::Replaces::Nothing; });
}

}  // namespace

class LocalStorage::ChunkLockHold {
public:
    ChunkLockHold(LocalStorage& storage, const std::vector<Edit>& edits, bool exclusive,
                  std::chrono::milliseconds timeout = kChunkLockTimeout)
        : storage_(storage), exclusive_(exclusive), timeout_(timeout), chunks_(chunksOf(edits)) {
        enter();
    }

    ~ChunkLockHold() {
        if (kept_) return;
        storage_.unlockChunks(chunks_, exclusive_);
    }

    // From now on others may add rows.
    void share() {
        if (!std::exchange(exclusive_, false)) return;
        {
            const MutexLock lock(storage_.chunkLockMutex_);
            for (const uint64_t chunk : chunks_) {
                ChunkLock& chunkLock = storage_.chunkLocks_[chunk];
                chunkLock.changes = false;
                ++chunkLock.appends;
            }
        }
        storage_.chunkLockChanged_.notifyAll();
    }

    // These stay locked until `unlockChunks`, the others do not.
    void keep(const std::vector<uint64_t>& chunks) {
        kept_ = true;
        std::vector<uint64_t> others;
        std::set_difference(chunks_.begin(), chunks_.end(), chunks.begin(), chunks.end(), std::back_inserter(others));
        if (!others.empty()) storage_.unlockChunks(others, exclusive_);
    }

private:
    void enter() LOCKS_EXCLUDED(storage_.chunkLockMutex_) {
        MutexLock lock(storage_.chunkLockMutex_);
        const uint64_t turn = ++storage_.lastTurn_;
        if (!isFree(turn)) {
            // Conflicting later callers wait until after this one, so that updates get through a stream of appends.
            for (const uint64_t chunk : chunks_) storage_.chunkLocks_[chunk].waiting.emplace(turn, exclusive_);
            // Once the log refuses writes, no decision can end the wait.
            const auto deadline = std::chrono::steady_clock::now() + timeout_;
            bool free = false;
            while (!free && storage_.wal_->isSound() && std::chrono::steady_clock::now() < deadline) {
                storage_.chunkLockChanged_.waitFor(lock, kChunkLockPoll);
                free = isFree(turn);
            }
            for (const uint64_t chunk : chunks_) storage_.chunkLocks_[chunk].waiting.erase(turn);
            if (!free) {
                std::erase_if(storage_.chunkLocks_, [](const auto& chunkLock) { return chunkLock.second.isAtRest(); });
                lock.unlock();
                storage_.chunkLockChanged_.notifyAll();
                throw ChunkIsBusy();
            }
        }
        for (const uint64_t chunk : chunks_) {
            ChunkLock& chunkLock = storage_.chunkLocks_[chunk];
            CHECK(!chunkLock.changes && !(exclusive_ && chunkLock.appends > 0)) << "a chunk is locked when it is free";
            if (exclusive_)
                chunkLock.changes = true;
            else
                ++chunkLock.appends;
        }
    }

    bool isFree(uint64_t turn) const EXCLUSIVE_LOCKS_REQUIRED(storage_.chunkLockMutex_) {
        return std::all_of(chunks_.begin(), chunks_.end(),
                           [&](uint64_t chunk) EXCLUSIVE_LOCKS_REQUIRED(storage_.chunkLockMutex_) {
                               const auto found = storage_.chunkLocks_.find(chunk);
                               if (found == storage_.chunkLocks_.end()) return true;
                               const ChunkLock& chunkLock = found->second;
                               if (chunkLock.changes || (exclusive_ && chunkLock.appends > 0)) return false;
                               return std::none_of(chunkLock.waiting.begin(), chunkLock.waiting.lower_bound(turn),
                                                   [&](const auto& earlier) { return exclusive_ || earlier.second; });
                           });
    }

    LocalStorage& storage_;
    bool exclusive_;
    const std::chrono::milliseconds timeout_;
    bool kept_ = false;
    const std::vector<uint64_t> chunks_;
};

void LocalStorage::unlockChunks(const std::vector<uint64_t>& chunks, bool exclusive) {
    {
        const MutexLock guard(chunkLockMutex_);
        for (const uint64_t chunk : chunks) {
            auto chunkLock = chunkLocks_.find(chunk);
            if (chunkLock == chunkLocks_.end()) continue;
            if (exclusive) {
                chunkLock->second.changes = false;
            } else {
                CHECK_FATAL(chunkLock->second.appends > 0) << "a shared lock of a chunk is released once";
                --chunkLock->second.appends;
            }
            if (chunkLock->second.isAtRest()) chunkLocks_.erase(chunkLock);
        }
    }
    chunkLockChanged_.notifyAll();
}

// ---- commits

// The segment file of a commit that is not acknowledged yet.
struct LocalStorage::StagedFile {
    std::unique_ptr<SegmentFileWriter> writer;
};

std::map<uint64_t, ColumnCompression> LocalStorage::compressionByTable() const {
    std::map<uint64_t, ColumnCompression> tables;
    for (const TableEntry& table : catalog_->allTables()) {
        ColumnCompression columns;
        for (const std::string& method : table.compressMethods)
            columns.push_back(codec::compressionNamed(method).value_or(codec::Compression::Lz4));
        const bool isDefault = std::all_of(columns.begin(), columns.end(),
                                           [](codec::Compression c) { return c == codec::Compression::Lz4; });
        if (!isDefault) tables.emplace(table.id, std::move(columns));
    }
    return tables;
}

std::vector<Edit> LocalStorage::stage(const std::vector<ChunkRows>& chunks, StagedFile& staged) {
    int64_t total = 0, small = 0;
    for (const ChunkRows& chunk : chunks) {
        total += chunk.rows->rowCount();
        if (chunk.rows->rowCount() < kSmallChunkRows) small += chunk.rows->rowCount();
    }
    const int64_t segmentFrom = total < kSmallCommitRows ? INT64_MAX : small > kLogRowsPerCommit ? 1 : kSmallChunkRows;

    std::vector<Edit> edits;
    std::vector<std::pair<size_t, uint64_t>> large;  // positions in `edits`, with the table
    for (const ChunkRows& chunk : chunks) {
        if (chunk.rows->rowCount() == 0) continue;
        bool created = false;
        Edit rows;
        rows.chunk = versions_->chunkFor(chunk.table, chunk.path, created);
        if (created) {
            Edit creation;
            creation.kind = EditKind::ChunkCreated;
            creation.chunk = rows.chunk;
            creation.table = chunk.table;
            creation.path = chunk.path;
            creation.index = chunk.index;
            edits.push_back(std::move(creation));
        }
        const bool isLarge = chunk.rows->rowCount() >= segmentFrom;
        rows.kind = isLarge ? EditKind::SegmentAdded : EditKind::Rows;
        rows.rows = chunk.rows;
        rows.cipher = keys_->of(chunk.table);
        if (isLarge) large.emplace_back(edits.size(), chunk.table);
        edits.push_back(std::move(rows));
    }
    if (large.empty()) return edits;
    const uint64_t number = ++lastSegmentFile_;
    staged.writer = std::make_unique<SegmentFileWriter>(files_, volumes_.folderFor(number), number);
    const std::map<uint64_t, ColumnCompression> compression = compressionByTable();
    parallelFor(static_cast<int64_t>(large.size()), [&](int64_t i) {
        const auto& [position, table] = large[static_cast<size_t>(i)];
        Edit& edit = edits[position];
        const auto chosen = compression.find(table);
        edit.segment = staged.writer->add(
            *edit.rows, chosen == compression.end() ? ColumnCompression() : chosen->second, edit.cipher.get());
        edit.rows = nullptr;
        edit.cipher = nullptr;
    });
    // Synced even with dataSync=0: a log that outlives its column file would be damage, not loss.
    staged.writer->finish();
    return edits;
}

// When several commits met the same new chunk, another may have made it while this one waited, and dropped it again:
// then the rows of this one are dropped like those that were there. REQUIRES: a ChunkLockHold, so that nobody drops the
// chunks from here on.
void LocalStorage::forgetDroppedChunks(std::vector<Edit>& edits) const {
    std::erase_if(edits,
                  [&](const Edit& edit) { return edit.kind == EditKind::ChunkCreated && !versions_->mayCreate(edit); });
}

void LocalStorage::discard(StagedFile& staged) {
    // When it is unknown whether the commit is on disk, its file must stay: recovery may need it.
    if (!staged.writer || !wal_->isSound()) return;
    try {
        files_.remove(staged.writer->path());
    } catch (const Error&) {
        // The next start removes files that no version uses.
    }
}

uint64_t LocalStorage::append(std::vector<ChunkRows> chunks, const std::string& id) {
    return appendIf([] { return true; }, std::move(chunks), id).value();
}

std::optional<uint64_t> LocalStorage::appendIf(const Check& mayStore, std::vector<ChunkRows> chunks,
                                               const std::string& id) {
    // Stored rows stay stored, whatever changed since: the idempotency table is read before `mayStore` is called.
    const IdempotencyTable::Turn turn(idempotency_, id);
    if (turn.answer() != 0) return turn.answer();
    CHECK(!replacesRows(chunks)) << "an append adds rows";
    StagedFile staged;
    std::vector<Edit> edits = stage(chunks, staged);
    if (edits.empty()) return mayStore() ? std::optional(clock()) : std::nullopt;
    if (!id.empty()) {
        Edit mark;
        mark.kind = EditKind::AppendId;
        mark.appendId = id;
        edits.push_back(std::move(mark));
    }
    try {
        const ChunkLockHold pass(*this, edits, false);
        if (!mayStore()) {
            discard(staged);
            return std::nullopt;
        }
        forgetDroppedChunks(edits);
        return commit(std::move(edits));
    } catch (...) {
        discard(staged);
        throw;
    }
}

uint64_t LocalStorage::commit(std::vector<Edit> edits) {
    CHECK(!edits.empty()) << "a commit changes something";
    std::string payload;
    encodeEdits(edits, payload);
    // Installing these removes files. The record must not be lost after that, even with dataSync=0.
    const bool removes = std::any_of(edits.begin(), edits.end(), [](const Edit& edit) {
        return edit.kind == EditKind::RangeMoved || edit.kind == EditKind::ChunkDropped ||
               edit.kind == EditKind::ChunkCleared || edit.kind == EditKind::RowsReplaced;
    });
    return wal_->commit(
        RecordKind::Commit, std::move(payload), [&](uint64_t number) { install(number, edits); }, 0,
        removes ? WalWriter::Sync::Always : WalWriter::Sync::AsSet);
}

void LocalStorage::install(uint64_t number, const std::vector<Edit>& edits, uint64_t visible) {
    versions_->install(number, edits);
    metadata_->apply(number, edits);
    for (const Edit& edit : edits) {
        if (edit.kind == EditKind::AppendId) idempotency_.note(edit.appendId, number);
    }
    versions_->setVisible(std::max(number, visible));
    bool pressed = versions_->cachedBytes() > options_.writeCacheBytes;
    for (const Edit& edit : edits) pressed |= edit.kind == EditKind::SegmentAdded;
    if (!pressed) return;
    {
        const MutexLock guard(wakeMutex_);
        pressed_ = true;
    }
    wake_.notifyOne();
}

void LocalStorage::removeRows(uint64_t table, bool keepChunks, std::chrono::milliseconds timeout) {
    const VersionSet::ChunkList chunks = versions_->chunks(table);
    std::vector<Edit> edits;
    for (const auto& identity : *chunks) {
        Edit edit;
        edit.kind = keepChunks ? EditKind::ChunkCleared : EditKind::ChunkDropped;
        edit.chunk = identity->id;
        edits.push_back(std::move(edit));
    }
    if (edits.empty()) return;
    const ChunkLockHold pass(*this, edits, true, timeout);
    commit(std::move(edits));
}

void LocalStorage::removeChunks(uint64_t table, const std::vector<std::string>& paths,
                                std::chrono::milliseconds timeout) {
    std::vector<uint64_t> chunks;
    for (const std::string& path : paths) {
        const uint64_t chunk = versions_->find(table, path);
        if (chunk != 0) chunks.push_back(chunk);
    }
    removeChunks(chunks, timeout);
}

void LocalStorage::awaitCommits(uint64_t table, const std::string& path) {
    bool isNew = false;
    std::vector<Edit> edits(1);
    edits[0].chunk = versions_->chunkFor(table, path, isNew);
    const ChunkLockHold pass(*this, edits, true, kCommitTimeout);
}

void LocalStorage::removeChunks(const std::vector<uint64_t>& chunks, std::chrono::milliseconds timeout) {
    std::vector<Edit> edits(chunks.size());
    for (size_t i = 0; i < chunks.size(); ++i) {
        edits[i].kind = EditKind::ChunkDropped;
        edits[i].chunk = chunks[i];
    }
    if (edits.empty()) return;
    const ChunkLockHold pass(*this, edits, true, timeout);
    commit(std::move(edits));
}

bool LocalStorage::removeUnchanged(uint64_t chunk, uint64_t since) {
    std::vector<Edit> edits(1);
    edits[0].kind = EditKind::ChunkDropped;
    edits[0].chunk = chunk;
    const ChunkLockHold pass(*this, edits, true);
    const ChunkVersionRef version = versions_->newest(chunk);
    if (version && version->since > since) return false;
    commit(std::move(edits));
    return true;
}

// Makes the edit that removes the rows that were seen, and adds to `kept` remaining rows that share a segment with the
// last of these. Done, Changed or Moved. REQUIRES: nobody else may change the chunk.
LocalStorage::Change LocalStorage::replacementOf(const ChunkRows& replaced, uint64_t chunk, Edit& removal,
                                                 std::vector<Edit>& kept) const {
    const ChunkVersionRef now = versions_->newest(chunk);
    removal.chunk = chunk;
    if (replaced.replaces == ChunkRows::Replaces::All) {
        removal.kind = EditKind::ChunkCleared;
        return Change::Done;
    }
    removal.kind = EditKind::RowsReplaced;
    if (replaced.seenAt == 0) {
        removal.firstRow = std::min(replaced.seenRows, now ? now->rowCount : 0);
        if (!now) return Change::Done;
    } else {
        const ChunkVersionRef seen = versions_->version(chunk, replaced.seenAt);
        CHECK(!seen || seen->since <= replaced.seenAt) << "a snapshot shows nothing newer than itself";
        removal.firstRow = seen ? seen->rowCount : 0;
        if (!now) return !seen || seen->rowCount == 0 ? Change::Done : Change::Moved;
        if (now->since <= replaced.seenAt) return Change::Done;
        // A chunk that was made since may come from a change like this one.
        if (!seen || now->reorderedAt > replaced.seenAt) return Change::Moved;
        if (now->generation != seen->generation) return Change::Changed;
    }
    int64_t begin = 0;
    for (const ChunkPart& part : now->parts) {
        const int64_t end = begin + part.rowCount;
        if (part.segment && begin < removal.firstRow && removal.firstRow < end) {
            Edit rows;
            rows.kind = EditKind::Rows;
            rows.chunk = chunk;
            rows.rows = part.segment->readAll()->slice(removal.firstRow - begin, end - removal.firstRow);
            rows.cipher = keys_->of(versions_->tableOf(chunk));
            kept.push_back(std::move(rows));
            removal.firstRow = end;
            break;
        }
        begin = end;
    }
    return Change::Done;
}

// Adds edits that make the chunks whose rows are replaced, where they do not exist: each has its number from here on.
void LocalStorage::reserveReplaced(const std::vector<ChunkRows>& chunks, std::vector<Edit>& edits) const {
    std::set<uint64_t> made;
    for (const Edit& edit : edits) {
        if (edit.kind == EditKind::ChunkCreated) made.insert(edit.chunk);
    }
    for (const ChunkRows& chunk : chunks) {
        if (chunk.replaces == ChunkRows::Replaces::Nothing) continue;
        bool isNew = false;
        Edit creation;
        creation.kind = EditKind::ChunkCreated;
        creation.chunk = versions_->chunkFor(chunk.table, chunk.path, isNew);
        if (!isNew || !made.insert(creation.chunk).second) continue;
        creation.table = chunk.table;
        creation.path = chunk.path;
        creation.index = chunk.index;
        edits.insert(edits.begin(), std::move(creation));
    }
}

// Whether the chunk had rows in the snapshot.
bool LocalStorage::hadRows(const ChunkRows& chunk) const {
    const uint64_t id = versions_->find(chunk.table, chunk.path, chunk.seenAt);
    const ChunkVersionRef seen = id == 0 ? nullptr : versions_->version(id, chunk.seenAt);
    return seen && seen->rowCount > 0;
}

// Adds to the edits of the new rows those that remove old ones. Done, Changed or Moved. REQUIRES: the chunks are held
// by a ChunkLockHold, exclusively where rows are replaced, and `layout_` by a reader then.
LocalStorage::Change LocalStorage::changeEdits(const std::vector<ChunkRows>& chunks, std::vector<Edit>& rows) const {
    forgetDroppedChunks(rows);
    std::vector<Edit> edits, kept, removals;
    std::set<uint64_t> replaced;
    for (const ChunkRows& chunk : chunks) {
        if (chunk.replaces == ChunkRows::Replaces::Nothing) continue;
        const uint64_t id = versions_->find(chunk.table, chunk.path);
        if (id == 0) {
            if (chunk.replaces == ChunkRows::Replaces::Seen && chunk.seenAt != 0 && hadRows(chunk))
                return Change::Moved;
            continue;
        }
        if (!replaced.insert(id).second) continue;
        const Change found = replacementOf(chunk, id, removals.emplace_back(), kept);
        if (found != Change::Done) return found;
    }
    for (Edit& edit : rows) {
        if (edit.kind == EditKind::ChunkCreated) edits.push_back(std::move(edit));
    }
    std::move(removals.begin(), removals.end(), std::back_inserter(edits));
    for (Edit& edit : rows) {
        if (edit.kind != EditKind::ChunkCreated) edits.push_back(std::move(edit));
    }
    std::move(kept.begin(), kept.end(), std::back_inserter(edits));
    noteCopies(chunks, edits);
    rows = std::move(edits);
    return Change::Done;
}

// Adds when the rows of copies were last changed. What came behind the snapshot that a copy replaces stays, and counts.
void LocalStorage::noteCopies(const std::vector<ChunkRows>& chunks, std::vector<Edit>& edits) const {
    std::set<uint64_t> noted;
    for (const ChunkRows& chunk : chunks) {
        if (chunk.changedAt == 0) continue;
        bool isNew = false;
        const uint64_t id = versions_->chunkFor(chunk.table, chunk.path, isNew);
        if (!noted.insert(id).second) continue;
        Edit& copied = edits.emplace_back();
        copied.kind = EditKind::ChunkCopied;
        copied.chunk = id;
        copied.changedAt = chunk.changedAt;
        const ChunkVersionRef now = versions_->newest(id);
        if (now && now->changedAt > chunk.seenAt) copied.changedAt = std::max(now->changedAt, chunk.changedAt);
    }
}

bool LocalStorage::replace(std::vector<ChunkRows> chunks, uint64_t since, uint64_t changedAt) {
    for (ChunkRows& chunk : chunks) {
        chunk.changedAt = changedAt;
        chunk.replaces = ChunkRows::Replaces::Seen;
        chunk.seenAt = since;
    }
    return change(std::move(chunks)) == Change::Done;
}

LocalStorage::Change LocalStorage::change(std::vector<ChunkRows> chunks, const Check& mayStore) {
    StagedFile staged;
    std::vector<Edit> rows = stage(chunks, staged);
    reserveReplaced(chunks, rows);
    // All chunks of the transaction, to lock them: another one may make the new ones first.
    std::vector<Edit> touched = rows;
    for (const ChunkRows& chunk : chunks) {
        const uint64_t id = versions_->find(chunk.table, chunk.path);
        if (id != 0) touched.emplace_back().chunk = id;
    }
    if (touched.empty()) return Change::Done;
    try {
        // With the chunks locked, these checks still hold when the record is written.
        const ChunkLockHold pass(*this, touched, replacesRows(chunks));
        // A concurrent flush would move rows across the border of the seen rows into one segment with them.
        const ReaderLock layout(layout_);
        const Change found = mayStore && !mayStore() ? Change::Refused : changeEdits(chunks, rows);
        if (found != Change::Done) {
            discard(staged);
        } else if (!rows.empty()) {
            commit(std::move(rows));
        }
        return found;
    } catch (const ChunkIsBusy&) {
        discard(staged);
        return Change::Busy;
    } catch (...) {
        discard(staged);
        throw;
    }
}

bool LocalStorage::isChanging(uint64_t chunk) const {
    const MutexLock guard(chunkLockMutex_);
    const auto found = chunkLocks_.find(chunk);
    return found != chunkLocks_.end() && found->second.changes;
}

const char* LocalStorage::chunkState(uint64_t table, const std::string& path) const {
    const uint64_t chunk = versions_->find(table, path);
    const MutexLock guard(chunkLockMutex_);
    return chunkLocks_.count(chunk) == 0 ? "COMPLETE" : "IN_TRANSACTION";
}

// ---- transactions over several nodes

LocalStorage::Change LocalStorage::prepare(const std::string& transaction, const std::vector<std::string>& participants,
                                           std::vector<ChunkRows> chunks, std::chrono::milliseconds timeout) {
    StagedFile staged;
    const bool replaces = replacesRows(chunks);
    Prepared prepared{0, participants, stage(chunks, staged)};
    if (replaces) reserveReplaced(chunks, prepared.edits);
    std::vector<Edit> touched = prepared.edits;
    for (const ChunkRows& chunk : chunks) {
        const uint64_t id = replaces ? versions_->find(chunk.table, chunk.path) : 0;
        if (id != 0) touched.emplace_back().chunk = id;
    }
    try {
        ChunkLockHold pass(*this, touched, replaces, timeout);
        std::optional<ReaderLock> layout;
        if (replaces) layout.emplace(layout_);
        if (const Change found = changeEdits(chunks, prepared.edits); found != Change::Done) {
            discard(staged);
            return found;
        }
        // What removes no row here, though it might have, is an append like others.
        if (!prepared.isExclusive()) pass.share();
        const std::vector<uint64_t> locked = prepared.chunks();
        CHECK(!isPrepared(transaction)) << "a transaction is prepared once";
        std::string payload;
        ByteWriter writer(payload);
        writer.string(transaction);
        writer.varint(participants.size());
        for (const std::string& participant : participants) writer.string(participant);
        encodeEdits(prepared.edits, payload);
        wal_->commit(RecordKind::PrepareShared, std::move(payload), [&](uint64_t number) {
            prepared.number = number;
            holdPrepared(transaction, std::move(prepared));
            versions_->setVisible(number);
        });
        pass.keep(locked);
        return Change::Done;
    } catch (const ChunkIsBusy&) {
        discard(staged);
        return Change::Busy;
    } catch (...) {
        discard(staged);
        throw;
    }
}

void LocalStorage::holdPrepared(const std::string& transaction, Prepared prepared) {
    for (const Edit& edit : prepared.edits) versions_->reserve(edit);
    const MutexLock guard(preparedMutex_);
    prepared_[transaction] = std::move(prepared);
}

void LocalStorage::lockRecovered(const Prepared& prepared) {
    const bool exclusive = prepared.isExclusive();
    const std::vector<uint64_t> chunks = prepared.chunks();
    const MutexLock guard(chunkLockMutex_);
    for (const uint64_t chunk : chunks) {
        if (exclusive) {
            chunkLocks_[chunk].changes = true;
        } else {
            ++chunkLocks_[chunk].appends;
        }
    }
}

std::optional<LocalStorage::Prepared> LocalStorage::takePrepared(const std::string& transaction) {
    const MutexLock guard(preparedMutex_);
    auto it = prepared_.find(transaction);
    if (it == prepared_.end()) return std::nullopt;
    Prepared prepared = std::move(it->second);
    prepared_.erase(it);
    return prepared;
}

bool LocalStorage::isPrepared(const std::string& transaction) const {
    const MutexLock guard(preparedMutex_);
    return prepared_.count(transaction) != 0;
}

void LocalStorage::applyDecisions(const std::vector<Decision>& decisions) {
    std::vector<Decision> own;
    uint64_t last = 0;
    bool removes = false;  // an abort removes the column file that the prepare names, a change those of old rows
    for (const Decision& decision : decisions) {
        {
            const MutexLock guard(preparedMutex_);
            const auto prepared = prepared_.find(decision.transaction);
            if (prepared == prepared_.end()) continue;
            removes |= !decision.commit || prepared->second.isExclusive();
        }
        CHECK(!decision.commit || decision.number > last) << "decisions of a revision are in the order of their places";
        last = std::max(last, decision.number);
        own.push_back(decision);
    }
    if (own.empty()) return;
    std::string payload;
    ByteWriter writer(payload);
    writer.varint(own.size());
    for (const Decision& decision : own) {
        writer.string(decision.transaction);
        writer.fixed<uint8_t>(decision.commit);
        writer.fixed<uint64_t>(decision.number);
    }
    wal_->commit(
        RecordKind::Decided, std::move(payload),
        [&](uint64_t number) {
            CHECK_FATAL(last == 0 || number == last) << "numbers of a node are below those that are decided later";
            installDecisions(number, own);
        },
        last, removes ? WalWriter::Sync::Always : WalWriter::Sync::Later);
}

void LocalStorage::installDecisions(uint64_t number, const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions) {
        const std::optional<Prepared> prepared = takePrepared(decision.transaction);
        if (!prepared) continue;
        if (decision.commit && !prepared->edits.empty()) install(decision.number, prepared->edits);
        if (!decision.commit) {
            for (const Edit& edit : prepared->edits) {
                if (edit.kind == EditKind::SegmentAdded) versions_->abandon(edit.segment);
            }
        }
        unlockChunks(prepared->chunks(), prepared->isExclusive());
    }
    versions_->setVisible(number);
}

std::vector<LocalStorage::OpenTransaction> LocalStorage::openTransactions() const {
    const MutexLock guard(preparedMutex_);
    std::vector<OpenTransaction> open;
    for (const auto& [name, prepared] : prepared_)
        open.push_back({name, prepared.participants, prepared.number, prepared.chunks().size()});
    std::sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    return open;
}

}  // namespace pelorus
