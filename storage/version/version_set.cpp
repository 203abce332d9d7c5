#include "storage/version/version_set.h"

#include <algorithm>
#include <utility>

#include "common/check.h"
#include "storage/version/write_cache.h"

namespace pelorus {

using format::EditKind;

// Checks that the counts of a version equal those of its parts.
static void requireConsistent(const ChunkVersion& version) {
    int64_t rows = 0, cachedRows = 0, cachedBytes = 0;
    for (const ChunkPart& part : version.parts) {
        CHECK((part.segment != nullptr) != (part.rows.get() != nullptr)) << "a part is a segment or rows in memory";
        rows += part.rowCount;
        if (part.segment) continue;
        CHECK(part.rows->rowCount() == part.rowCount) << "a run in memory has the rows that it counts";
        cachedRows += part.rowCount;
        cachedBytes += part.cachedBytes;
    }
    CHECK(rows == version.rowCount) << "a version has the rows of its parts";
    CHECK(cachedRows == version.cachedRows) << "cached rows are those of the runs in memory";
    CHECK(cachedBytes == version.cachedBytes) << "cached bytes are those of the runs in memory";
}

VersionSet::VersionSet(FileSystem& files, const Volumes& volumes, BlockCache& cache, CipherOf cipherOf)
    : files_(files), volumes_(volumes), cache_(cache), cipherOf_(std::move(cipherOf)) {}

void VersionSet::install(uint64_t number, const std::vector<Edit>& edits) {
    const WriterLock lock(mutex_);
    // Drafts are built first and published together, though readers could not see part of them anyway: their numbers
    // are older.
    Drafts drafts;
    for (const Edit& edit : edits) apply(edit, drafts);
    for (auto& [id, draft] : drafts) {
        auto it = chunks_.find(id);
        if (it == chunks_.end()) continue;
        std::shared_ptr<ChunkVersion>& version = draft.version;
        std::move(draft.rest.begin(), draft.rest.end(), std::back_inserter(version->parts));
        requireConsistent(*version);
        CHECK(!it->second.dropped || version->rowCount == 0) << "a dropped chunk has no rows";
        version->since = number;
        if (draft.reordered) version->reorderedAt = number;
        if (draft.changesRows) version->changedAt = draft.copyOf == 0 ? number : draft.copyOf;
        noteChange(it->second, *version, number);
        publish(id, it->second, std::move(version));
    }
    nextRelease_ = superseded_.empty() ? UINT64_MAX : superseded_.begin()->first;
    retireIdleFiles();
}

// Retires the files that no chunk uses any more. Called only when the whole record is applied: a file has segments of
// several chunks, and while the first may be unused (its rows were removed meanwhile), another may follow.
void VersionSet::retireIdleFiles() {
    for (const std::shared_ptr<SegmentFile>& file : idleFiles_) {
        if (file->liveSegments == 0) file->retire();
    }
    idleFiles_.clear();
}

void VersionSet::setVisible(uint64_t number) {
    CHECK(number >= visible()) << "what was visible stays so";
    visible_.store(number, std::memory_order_release);
    release();
}

void VersionSet::forgetBefore(uint64_t number) {
    const WriterLock lock(mutex_);
    oldestKept_ = std::max(oldestKept_, number);
}

void VersionSet::endReplay() {
    const WriterLock lock(mutex_);
    CHECK(replaying_) << "a replay ends once";
    replaying_ = false;
}

void VersionSet::apply(const Edit& edit, Drafts& drafts) {
    if (edit.kind == EditKind::MetaWrite || edit.kind == EditKind::AppendId) return;
    if (edit.kind == EditKind::RowEdits || edit.kind == EditKind::RowsDropped) return;
    if (edit.kind == EditKind::ChunkCreated) return createChunk(edit);
    auto it = chunks_.find(edit.chunk);
    if (it == chunks_.end() || it->second.dropped) return;  // its table was dropped during the commit
    Draft& chunk = draft(edit.chunk, drafts);
    ChunkVersion& version = *chunk.version;
    chunk.changesRows |= edit.kind != EditKind::RangeMoved;
    switch (edit.kind) {
        case EditKind::Rows:
            cachedRows_.fetch_add(edit.rows->rowCount(), std::memory_order_relaxed);
            cachedBytes_.fetch_add(appendToWriteCache(version, edit.rows), std::memory_order_relaxed);
            break;
        case EditKind::SegmentAdded:
            CHECK(edit.segment.rows > 0) << "a segment holds rows";
            version.parts.push_back(addSegment(edit.segment));
            version.rowCount += edit.segment.rows;
            break;
        case EditKind::RangeMoved:
            moveRange(chunk, edit);
            break;
        case EditKind::RowsReplaced:
            replaceFirst(chunk, edit.firstRow);
            break;
        case EditKind::ChunkCleared:
            clear(version);
            break;
        case EditKind::ChunkCopied:
            chunk.copyOf = edit.changedAt;
            break;
        case EditKind::ChunkDropped:
            dropChunk(edit.chunk, version);
            break;
        case EditKind::ChunkCreated:
        case EditKind::MetaWrite:
        case EditKind::SealedRows:
        case EditKind::RoutedChunk:
        case EditKind::AppendId:
        case EditKind::RowEdits:
        case EditKind::RowsDropped:
            break;
    }
}

VersionSet::Draft& VersionSet::draft(uint64_t chunk, Drafts& drafts) {
    Draft& draft = drafts[chunk];
    if (!draft.version) {
        const auto& history = chunks_.at(chunk).history;
        draft.version =
            history.empty() ? std::make_shared<ChunkVersion>() : std::make_shared<ChunkVersion>(*history.back());
    }
    return draft;
}

void VersionSet::createChunk(const Edit& edit) {
    lastChunkId_ = std::max(lastChunkId_, edit.chunk);
    TableChunks& table = tables_[edit.table];
    // If several concurrent commits met the same new chunk, the first makes it.
    if (chunks_.count(edit.chunk) != 0 || !table.byPath.emplace(edit.path, edit.chunk).second) return;
    table.reserved.erase(edit.path);
    auto identity = std::make_shared<ChunkIdentity>();
    identity->id = edit.chunk;
    identity->table = edit.table;
    identity->path = edit.path;
    identity->index = edit.index;
    identity->route = edit.route;
    chunks_[edit.chunk].identity = identity;
    table.added.push_back(std::move(identity));
    table.allFull.reset();
}

// Notes for `listing` that a chunk changed: the state of a snapshot at or above `number` stays known without a check of
// every chunk, unless one has got its first rows or lost its rows.
void VersionSet::noteChange(const Chunk& chunk, const ChunkVersion& version, uint64_t number) {
    auto table = tables_.find(chunk.identity->table);
    if (table == tables_.end()) return;
    table->second.lastChange = number;
    const bool wasEmpty = chunk.history.empty() || chunk.history.back()->rowCount == 0;
    if (wasEmpty || version.rowCount == 0) table->second.allFull.reset();
}

void VersionSet::clear(ChunkVersion& version) {
    for (const ChunkPart& part : version.parts) {
        if (part.segment) removeSegment(*part.segment);
    }
    cachedRows_.fetch_sub(version.cachedRows, std::memory_order_relaxed);
    cachedBytes_.fetch_sub(version.cachedBytes, std::memory_order_relaxed);
    version.parts.clear();
    version.rowCount = version.cachedRows = version.cachedBytes = 0;
    ++version.generation;
}

void VersionSet::dropChunk(uint64_t id, ChunkVersion& version) {
    clear(version);
    Chunk& chunk = chunks_.at(id);
    chunk.dropped = true;
    TableChunks& table = tables_[chunk.identity->table];
    table.byPath.erase(chunk.identity->path);
    table.anyDropped = true;
}

// Applies an update or delete to the rows that it saw; rows that came since stay, after the new ones.
void VersionSet::replaceFirst(Draft& draft, int64_t count) {
    ChunkVersion& version = *draft.version;
    std::vector<ChunkPart> parts = std::exchange(version.parts, {});
    for (ChunkPart& part : parts) {
        const int64_t gone = std::min(count, part.rowCount);
        count -= gone;
        if (gone == 0) {
            draft.rest.push_back(std::move(part));
            continue;
        }
        version.rowCount -= gone;
        if (part.segment) {
            // A segment is on one side of the border: the writer of the record has made it so.
            CHECK(gone == part.rowCount) << "a segment is replaced as a whole";
            removeSegment(*part.segment);
            continue;
        }
        const int64_t kept = part.rowCount - gone;
        const int64_t bytesKept = part.cachedBytes * kept / part.rowCount;
        if (kept > 0) draft.rest.push_back({nullptr, part.rows->slice(gone, kept), kept, bytesKept});
        version.cachedRows -= gone;
        version.cachedBytes -= part.cachedBytes - bytesKept;
        cachedRows_.fetch_sub(gone, std::memory_order_relaxed);
        cachedBytes_.fetch_sub(part.cachedBytes - bytesKept, std::memory_order_relaxed);
    }
    CHECK(count == 0) << "the rows that are replaced are there";
    ++version.generation;
}

void VersionSet::moveRange(Draft& draft, const Edit& edit) {
    ChunkVersion& version = *draft.version;
    ChunkPart moved = addSegment(edit.segment);
    if (version.generation != edit.generation) {
        // The rows were removed since: the new segment has no visible rows.
        removeSegment(*moved.segment);
        return;
    }
    const int64_t begin = edit.firstRow;
    const int64_t end = begin + edit.segment.rows;
    std::vector<ChunkPart> parts;
    bool placed = false;
    int64_t at = 0;
    for (ChunkPart& part : version.parts) {
        const int64_t partEnd = at + part.rowCount;
        const int64_t before = std::clamp<int64_t>(begin - at, 0, part.rowCount);
        const int64_t after = std::clamp<int64_t>(partEnd - end, 0, part.rowCount);
        const bool inside = before + after < part.rowCount;
        if (!inside) {
            if (!placed && at >= end) {
                parts.push_back(moved);
                placed = true;
            }
            parts.push_back(std::move(part));
        } else {
            // A run in memory may have grown over the border by merging; segments are wholly inside or outside.
            const int64_t bytesBefore = part.cachedBytes * before / part.rowCount;
            const int64_t bytesAfter = part.cachedBytes * after / part.rowCount;
            CHECK(!part.segment || (before == 0 && after == 0)) << "segments lie wholly inside or outside of a range";
            if (before > 0) parts.push_back({nullptr, part.rows->slice(0, before), before, bytesBefore});
            if (!placed) parts.push_back(moved);
            placed = true;
            if (after > 0)
                parts.push_back({nullptr, part.rows->slice(part.rowCount - after, after), after, bytesAfter});
            if (part.segment) removeSegment(*part.segment);
            draft.reordered |= part.segment != nullptr;
            if (part.rows) {
                const int64_t left = part.rowCount - before - after;
                const int64_t bytesLeft = part.cachedBytes - bytesBefore - bytesAfter;
                version.cachedRows -= left;
                version.cachedBytes -= bytesLeft;
                cachedRows_.fetch_sub(left, std::memory_order_relaxed);
                cachedBytes_.fetch_sub(bytesLeft, std::memory_order_relaxed);
            }
        }
        at = partEnd;
    }
    if (!placed) parts.push_back(moved);
    version.parts = std::move(parts);
}

ChunkPart VersionSet::addSegment(const SegmentLocation& location) {
    std::shared_ptr<SegmentFile> file = fileLocked(location.file);
    ++file->liveSegments;
    return {std::make_shared<Segment>(std::move(file), location, cache_), nullptr, location.rows};
}

void VersionSet::setGeneration(uint64_t chunk, uint64_t since, uint64_t generation, uint64_t changedAt) {
    const WriterLock lock(mutex_);
    auto it = chunks_.find(chunk);
    if (it == chunks_.end()) return;
    std::vector<ChunkVersionRef>& history = it->second.history;
    if (history.empty()) history.push_back(std::make_shared<ChunkVersion>());
    auto version = std::make_shared<ChunkVersion>(*history.back());
    version->since = since;
    version->generation = generation;
    version->changedAt = changedAt;
    history.back() = std::move(version);
}

void VersionSet::abandon(const SegmentLocation& location) {
    const WriterLock lock(mutex_);
    const ChunkPart part = addSegment(location);
    removeSegment(*part.segment);
    retireIdleFiles();
}

void VersionSet::removeSegment(const Segment& segment) {
    CHECK(segment.file()->liveSegments > 0) << "a segment is removed once";
    if (--segment.file()->liveSegments == 0 && !replaying_) idleFiles_.push_back(segment.file());
}

void VersionSet::publish(uint64_t id, Chunk& chunk, ChunkVersionRef version) {
    const uint64_t number = version->since;
    chunk.history.push_back(std::move(version));
    if (chunk.dropped) tables_[chunk.identity->table].departed.push_back({number, chunk.identity});
    if (chunk.dropped || chunk.history.size() > 1) superseded_[number].push_back(id);
}

// Releases versions whose successor is visible to all, and dropped chunks: at once when nobody reads, otherwise with
// the Pin that kept them. Without this a chunk without further commits would keep rows in memory that a flush has
// written out.
void VersionSet::release() {
    if (nextRelease_ > visible()) return;
    std::vector<ChunkVersionRef> gone;  // freed, and files removed, without the lock
    const WriterLock lock(mutex_);
    const uint64_t oldest = oldestPinned();
    while (!superseded_.empty() && superseded_.begin()->first <= oldest) {
        oldestKept_ = std::max(oldestKept_, superseded_.begin()->first);
        for (const uint64_t id : superseded_.begin()->second) trim(id, oldest, gone);
        superseded_.erase(superseded_.begin());
    }
    nextRelease_ = superseded_.empty() ? UINT64_MAX : superseded_.begin()->first;
}

void VersionSet::trim(uint64_t id, uint64_t oldest, std::vector<ChunkVersionRef>& gone) {
    auto it = chunks_.find(id);
    if (it == chunks_.end()) return;
    Chunk& chunk = it->second;
    CHECK(!chunk.history.empty()) << "a superseded chunk has versions";
    // The newest version at or below `oldest` is the first that a reader may still use.
    size_t first = chunk.history.size() - 1;
    while (first > 0 && chunk.history[first]->since > oldest) --first;
    const auto begin = chunk.history.begin(), end = begin + static_cast<std::ptrdiff_t>(first);
    std::move(begin, end, std::back_inserter(gone));
    chunk.history.erase(begin, end);
    if (!chunk.dropped || chunk.history.size() > 1 || chunk.history.back()->since > oldest) return;
    auto table = tables_.find(chunk.identity->table);
    if (table != tables_.end()) {
        std::erase_if(table->second.departed, [&](const auto& departed) { return departed.identity->id == id; });
        const TableChunks& left = table->second;
        if (left.byPath.empty() && left.departed.empty() && left.reserved.empty()) tables_.erase(table);
    }
    gone.push_back(chunk.history.back());
    chunks_.erase(it);
}

uint64_t VersionSet::oldestPinned() const {
    return oldestPinnedFrom(0);
}

uint64_t VersionSet::oldestPinnedFrom(uint64_t from) const {
    const MutexLock guard(pinMutex_);
    const uint64_t visible = visible_.load(std::memory_order_acquire);
    const auto pin = pins_.lower_bound(from);
    return pin == pins_.end() ? visible : std::min(visible, *pin);
}

VersionSet::Pin::Pin(VersionSet& versions, uint64_t number) : versions_(versions) {
    const MutexLock guard(versions_.pinMutex_);
    number_ = number != 0 ? number : versions_.visible();
    versions_.pins_.insert(number_);
}

VersionSet::Pin::~Pin() {
    {
        const MutexLock guard(versions_.pinMutex_);
        const auto pin = versions_.pins_.find(number_);
        CHECK_FATAL(pin != versions_.pins_.end()) << "a pin is held until its end";
        versions_.pins_.erase(pin);
    }
    versions_.release();
}

// Compares partitions in the order of their scheme.
static bool precedes(const std::shared_ptr<const ChunkIdentity>& a, const std::shared_ptr<const ChunkIdentity>& b) {
    return a->index != b->index ? a->index < b->index : a->path < b->path;
}

void VersionSet::refreshList(const TableChunks& table) const {
    const auto isGone = [&](const std::shared_ptr<const ChunkIdentity>& identity) SHARED_LOCKS_REQUIRED(mutex_) {
        const auto it = chunks_.find(identity->id);
        return it == chunks_.end() || it->second.dropped;
    };
    auto list = std::make_shared<std::vector<std::shared_ptr<const ChunkIdentity>>>();
    if (table.list) *list = *table.list;
    const auto known = static_cast<std::ptrdiff_t>(list->size());
    std::sort(table.added.begin(), table.added.end(), precedes);
    list->insert(list->end(), table.added.begin(), table.added.end());
    std::inplace_merge(list->begin(), list->begin() + known, list->end(), precedes);
    if (table.anyDropped) std::erase_if(*list, isGone);
    table.list = std::move(list);
    table.entries = nullptr;
    table.allFull.reset();
    table.added.clear();
    table.anyDropped = false;
}

VersionSet::ChunkList VersionSet::chunks(uint64_t table) const {
    {
        const ReaderLock lock(mutex_);
        auto it = tables_.find(table);
        if (it == tables_.end()) return std::make_shared<std::vector<std::shared_ptr<const ChunkIdentity>>>();
        if (it->second.isListed()) return it->second.list;
    }
    const WriterLock lock(mutex_);
    auto it = tables_.find(table);
    if (it == tables_.end()) return std::make_shared<std::vector<std::shared_ptr<const ChunkIdentity>>>();
    if (!it->second.isListed()) refreshList(it->second);
    return it->second.list;
}

VersionSet::Listing VersionSet::listing(uint64_t table, uint64_t number) const {
    {
        const ReaderLock lock(mutex_);
        requireKept(number);
        auto it = tables_.find(table);
        if (it == tables_.end()) return {std::make_shared<std::vector<std::shared_ptr<const ChunkIdentity>>>(), true};
        const TableChunks& chunks = it->second;
        if (chunks.departed.empty() && chunks.isListed() && chunks.allFull)
            return {chunks.list, *chunks.allFull && chunks.lastChange <= number};
    }
    const WriterLock lock(mutex_);
    requireKept(number);
    auto it = tables_.find(table);
    if (it == tables_.end()) return {std::make_shared<std::vector<std::shared_ptr<const ChunkIdentity>>>(), true};
    const TableChunks& chunks = it->second;
    if (!chunks.isListed()) refreshList(chunks);
    // A snapshot from before a drop still shows the dropped chunks.
    std::vector<std::shared_ptr<const ChunkIdentity>> departed;
    for (const auto& chunk : chunks.departed) {
        if (chunk.number > number) departed.push_back(chunk.identity);
    }
    if (!departed.empty()) {
        auto list = std::make_shared<std::vector<std::shared_ptr<const ChunkIdentity>>>(*chunks.list);
        list->insert(list->end(), departed.begin(), departed.end());
        std::stable_sort(list->begin(), list->end(), precedes);
        return {std::move(list), false};
    }
    if (!chunks.allFull) {
        chunks.allFull = std::all_of(chunks.list->begin(), chunks.list->end(),
                                     [&](const auto& identity) SHARED_LOCKS_REQUIRED(mutex_) {
                                         const auto& history = chunks_.at(identity->id).history;
                                         return !history.empty() && history.back()->rowCount > 0;
                                     });
    }
    return {chunks.list, *chunks.allFull && chunks.lastChange <= number};
}

VersionSet::Entries VersionSet::entries(uint64_t table, const ChunkList& chunks, const std::string& prefix) const {
    {
        const ReaderLock lock(mutex_);
        auto it = tables_.find(table);
        if (it != tables_.end() && it->second.list == chunks && it->second.entries) return it->second.entries;
    }
    auto entries = std::make_shared<std::vector<PartitionEntry>>();
    entries->reserve(chunks->size());
    for (const auto& identity : *chunks) entries->push_back({prefix + identity->path, identity->index, ""});
    const WriterLock lock(mutex_);
    auto it = tables_.find(table);
    if (it != tables_.end() && it->second.list == chunks) it->second.entries = entries;
    return entries;
}

uint64_t VersionSet::find(uint64_t table, const std::string& path, uint64_t number) const {
    const ReaderLock lock(mutex_);
    if (number != 0) requireKept(number);
    auto it = tables_.find(table);
    if (it == tables_.end()) return 0;
    if (number != 0) {
        // If several were dropped since, the first drop ended the chunk in question.
        for (const auto& departed : it->second.departed) {
            if (departed.number > number && departed.identity->path == path) return departed.identity->id;
        }
    }
    auto chunk = it->second.byPath.find(path);
    return chunk == it->second.byPath.end() ? 0 : chunk->second;
}

bool VersionSet::keeps(uint64_t number) const {
    const ReaderLock lock(mutex_);
    return number >= oldestKept_;
}

// Without this check a reader would find no version and assume that there are no rows.
void VersionSet::requireKept(uint64_t number) const {
    if (number >= oldestKept_) return;
    throw SystemError("The snapshot " + std::to_string(number) + " is no longer kept.", "Run the query again.", true);
}

ChunkVersionRef VersionSet::version(uint64_t chunk, uint64_t number) const {
    const ReaderLock lock(mutex_);
    requireKept(number);
    auto it = chunks_.find(chunk);
    if (it == chunks_.end()) return nullptr;
    const auto& history = it->second.history;
    for (auto version = history.rbegin(); version != history.rend(); ++version) {
        if ((*version)->since <= number) return *version;
    }
    return nullptr;
}

ChunkVersionRef VersionSet::newest(uint64_t chunk) const {
    const ReaderLock lock(mutex_);
    auto it = chunks_.find(chunk);
    if (it == chunks_.end() || it->second.dropped || it->second.history.empty()) return nullptr;
    return it->second.history.back();
}

std::shared_ptr<const ChunkIdentity> VersionSet::identity(uint64_t chunk) const {
    const ReaderLock lock(mutex_);
    auto it = chunks_.find(chunk);
    return it == chunks_.end() || it->second.dropped ? nullptr : it->second.identity;
}

uint64_t VersionSet::tableOf(uint64_t chunk) const {
    const ReaderLock lock(mutex_);
    auto it = chunks_.find(chunk);
    return it == chunks_.end() ? 0 : it->second.identity->table;
}

std::vector<uint64_t> VersionSet::chunksWithCachedRows(int64_t rows) const {
    const ReaderLock lock(mutex_);
    std::vector<uint64_t> ids;
    for (const auto& [id, chunk] : chunks_) {
        if (!chunk.dropped && !chunk.history.empty() && chunk.history.back()->cachedRows >= rows) ids.push_back(id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::vector<VersionSet::State> VersionSet::state() const {
    const ReaderLock lock(mutex_);
    std::vector<State> state;
    for (const auto& [id, chunk] : chunks_) {
        if (!chunk.dropped) state.push_back({chunk.identity, chunk.history.empty() ? nullptr : chunk.history.back()});
    }
    std::sort(state.begin(), state.end(),
              [](const State& a, const State& b) { return a.identity->id < b.identity->id; });
    return state;
}

std::vector<uint64_t> VersionSet::tables() const {
    const ReaderLock lock(mutex_);
    std::vector<uint64_t> ids;
    for (const auto& [id, table] : tables_) {
        if (!table.byPath.empty()) ids.push_back(id);
    }
    return ids;
}

uint64_t VersionSet::chunkFor(uint64_t table, const std::string& path, bool& created) {
    const WriterLock lock(mutex_);
    TableChunks& chunks = tables_[table];
    auto known = chunks.byPath.find(path);
    created = known == chunks.byPath.end();
    if (!created) return known->second;
    uint64_t& number = chunks.reserved[path];
    if (number == 0) number = ++lastChunkId_;
    return number;
}

bool VersionSet::mayCreate(const Edit& creation) const {
    const ReaderLock lock(mutex_);
    const auto table = tables_.find(creation.table);
    if (table == tables_.end()) return false;
    const auto names = [&](const std::map<std::string, uint64_t>& numbers) {
        const auto found = numbers.find(creation.path);
        return found != numbers.end() && found->second == creation.chunk;
    };
    return names(table->second.byPath) || names(table->second.reserved);
}

void VersionSet::reserve(const Edit& edit) {
    const WriterLock lock(mutex_);
    // Its chunk may be dropped, and missing from the checkpoint.
    lastChunkId_ = std::max(lastChunkId_, edit.chunk);
    if (edit.kind != EditKind::ChunkCreated) return;
    TableChunks& table = tables_[edit.table];
    if (table.byPath.count(edit.path) == 0) table.reserved.emplace(edit.path, edit.chunk);
}

std::set<uint64_t> VersionSet::liveFiles() const {
    std::set<uint64_t> numbers;
    for (const State& chunk : state()) {
        if (!chunk.version) continue;
        for (const ChunkPart& part : chunk.version->parts) {
            if (part.segment) numbers.insert(part.segment->location().file);
        }
    }
    return numbers;
}

std::shared_ptr<SegmentFile> VersionSet::fileLocked(uint64_t number) {
    std::weak_ptr<SegmentFile>& known = segmentFiles_[number];
    std::shared_ptr<SegmentFile> file = known.lock();
    if (!file) {
        file = std::make_shared<SegmentFile>(files_, volumes_.pathOf(number), number, cipherOf_);
        known = file;
    }
    return file;
}

}  // namespace pelorus
