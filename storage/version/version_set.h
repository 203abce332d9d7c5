// The versions of the chunks of a data folder: which rows of which chunks a snapshot sees.
//
// A chunk's content is a list of parts in arrival order: segments on disk, and runs of committed rows in memory (the
// write cache). Versions are immutable and shared; a commit installs a new one. Runs in memory of similar size are
// merged as they come, so that a chunk has few of them however small the commits are.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/table/table.h"
#include "storage/version/edit.h"
#include "storage/version/volumes.h"

namespace pelorus {

// A part of a chunk's rows: a segment, or a run in memory.
struct ChunkPart {
    std::shared_ptr<const Segment> segment;  // null for a run in memory
    Ref<MemoryTable> rows;                   // null for a segment
    int64_t rowCount = 0;
    int64_t cachedBytes = 0;  // size of a run in memory
};

// The order of a version's rows under its table's SortRule, computed by the first reader and kept for the others.
// Thread-safe. A copy of a version, from which the next one is made, begins without it.
class ChunkOrder {
public:
    ChunkOrder() = default;
    ChunkOrder(const ChunkOrder&) {}
    ChunkOrder& operator=(const ChunkOrder&) = delete;

    // The positions of the rows that count, in order; null when these are all rows in stored order.
    using Positions = std::shared_ptr<const std::vector<int32_t>>;
    // Returns the positions; the first call computes them by `find`, and others wait.
    template <class Find>
    Positions get(Find find) const {
        const MutexLock guard(mutex_);
        if (!known_) positions_ = find();
        known_ = true;
        return positions_;
    }

private:
    mutable Mutex mutex_;
    mutable bool known_ GUARDED_BY(mutex_) = false;
    mutable Positions positions_ GUARDED_BY(mutex_);
};

// A version of a chunk's rows. Immutable once it is installed.
struct ChunkVersion {
    uint64_t since = 0;       // number of the commit that made it
    uint64_t generation = 0;  // grows when rows are removed: row positions mean nothing across generations
    int64_t rowCount = 0;
    int64_t cachedRows = 0;  // number of rows in memory
    int64_t cachedBytes = 0;
    std::vector<ChunkPart> parts;
    // Number of the last commit that put rows of segments into another order: row positions mean nothing across it,
    // either.
    uint64_t reorderedAt = 0;
    // Number of the last commit that added or removed rows: the same on all copies of a partition, however each lays
    // them out. 0: not known, in a folder of an older version.
    uint64_t changedAt = 0;
    ChunkOrder order;
};
using ChunkVersionRef = std::shared_ptr<const ChunkVersion>;

// The identity of a chunk, apart from its rows. Immutable.
struct ChunkIdentity {
    uint64_t id = 0;
    uint64_t table = 0;
    std::string path;
    std::vector<int> index;
    uint64_t route = 0;  // see Edit
};

// The set of the versions of all chunks. StorageParts owns it; commits and recovery install records in it, and readers
// take snapshots of it by a Pin. Thread-safe. Readers take a lock only to find a version, never while they read it. A
// version lives until its successor is visible and no Pin is older than that, or while a reader holds it.
class VersionSet {
public:
    VersionSet(FileSystem& files, const Volumes& volumes, BlockCache& cache, CipherOf cipherOf);

    // Applies a commit; readers see it after `setVisible`. Called in the order of numbers by one thread at a time.
    void install(uint64_t number, const std::vector<Edit>& edits);
    // Sets what a checkpoint knows of a chunk besides its rows. Called for each chunk that was just restored, also for
    // one without rows: the generation decides whether log records after the checkpoint that name positions apply to
    // its rows.
    void setGeneration(uint64_t chunk, uint64_t since, uint64_t generation, uint64_t changedAt);
    // Releases a segment that was written and will never be installed: its file may be removed.
    void abandon(const SegmentLocation& location);
    // Returns the newest visible number.
    uint64_t visible() const { return visible_.load(std::memory_order_acquire); }
    // Makes everything up to `number` visible, and releases versions that no later reader can need. REQUIRES: numbers
    // ascend.
    void setVisible(uint64_t number);

    // Notes that nothing older than `number` is known, after a checkpoint was restored.
    void forgetBefore(uint64_t number);
    // Ends recovery. Before this call no file is removed, since later records may turn out to be damaged. The caller
    // removes the files that are not among `liveFiles`. REQUIRES: called once.
    void endReplay();

    // Returns the number of the oldest Pin; the newest visible number where there is none.
    uint64_t oldestPinned() const LOCKS_EXCLUDED(pinMutex_);
    // Does so for those of at least `from`.
    uint64_t oldestPinnedFrom(uint64_t from) const LOCKS_EXCLUDED(pinMutex_);
    // Returns whether a reader at this number finds all versions that it needs.
    bool keeps(uint64_t number) const;

    // A pin keeps all versions that a reader at `number` needs, as long as it lives; 0 pins the newest visible number.
    // The set outlives it.
    class Pin {
    public:
        Pin(VersionSet& versions, uint64_t number);
        ~Pin();
        Pin(const Pin&) = delete;
        Pin& operator=(const Pin&) = delete;
        uint64_t number() const { return number_; }

    private:
        VersionSet& versions_;
        uint64_t number_;
    };

    // The chunks of a table that have rows or had them, in the order of their partitions; shared until one is added.
    using ChunkList = std::shared_ptr<const std::vector<std::shared_ptr<const ChunkIdentity>>>;
    ChunkList chunks(uint64_t table) const;
    // The chunks of a table in a snapshot.
    struct Listing {
        ChunkList chunks;
        bool allHaveRows = false;  // all are known to have rows, without a check of each
    };
    // Returns the chunks at `number`. Throws SystemError (retryable) when versions that old are gone. REQUIRES: a Pin
    // at `number`.
    Listing listing(uint64_t table, uint64_t number) const;
    // Returns the chunks as partitions, with `prefix` before their paths; shared like the list. REQUIRES: one prefix
    // per table.
    using Entries = std::shared_ptr<const std::vector<PartitionEntry>>;
    Entries entries(uint64_t table, const ChunkList& chunks, const std::string& prefix) const;
    // Returns the number of a table's chunk; a new one is reserved when there is none, and `created` says that commits
    // must carry its ChunkCreated edit. Commits that meet the same new chunk get the same number.
    uint64_t chunkFor(uint64_t table, const std::string& path, bool& created);
    // Returns whether a ChunkCreated edit still names its chunk: that one exists, or nobody has made it yet. Numbers of
    // dropped chunks are never reused; otherwise the log would make the chunk again where memory, which keeps it for
    // its readers, does not.
    bool mayCreate(const Edit& creation) const;
    // Reserves the chunk's number for an edit of a prepared transaction, which commits later: no new chunk gets it, and
    // with ChunkCreated its path has this number from now on.
    void reserve(const Edit& edit);
    // Returns the number of a table's chunk, 0 when there is none; with a number other than 0, of the chunk at that
    // time.
    uint64_t find(uint64_t table, const std::string& path, uint64_t number = 0) const;
    // Returns the chunk's newest version not above `number`, nullptr when it has none. REQUIRES: a Pin at `number`.
    // Throws SystemError (retryable) when versions that old are gone.
    ChunkVersionRef version(uint64_t chunk, uint64_t number) const;
    // Returns the chunk's newest version, visible or not; null when it has none or is dropped.
    ChunkVersionRef newest(uint64_t chunk) const;
    // Returns a chunk's identity; null when the chunk is gone.
    std::shared_ptr<const ChunkIdentity> identity(uint64_t chunk) const;
    // Returns the id of the chunk's table, 0 when the chunk is gone.
    uint64_t tableOf(uint64_t chunk) const;

    // Returns the chunks with at least `rows` rows in memory, for a flush.
    std::vector<uint64_t> chunksWithCachedRows(int64_t rows) const;
    // A chunk and its newest version; `state` returns those of all, for compaction and checkpoints.
    struct State {
        std::shared_ptr<const ChunkIdentity> identity;
        ChunkVersionRef version;
    };
    std::vector<State> state() const;
    std::vector<uint64_t> tables() const;

    int64_t cachedRows() const { return cachedRows_.load(std::memory_order_relaxed); }
    int64_t cachedBytes() const { return cachedBytes_.load(std::memory_order_relaxed); }

    // Returns the numbers of the segment files that some version still uses.
    std::set<uint64_t> liveFiles() const;

private:
    // A chunk with the versions that readers may need.
    struct Chunk {
        std::shared_ptr<const ChunkIdentity> identity;
        std::vector<ChunkVersionRef> history;  // ascending `since`
        bool dropped = false;
    };
    struct TableChunks {
        std::map<std::string, uint64_t> byPath;
        std::map<std::string, uint64_t> reserved;  // numbers of chunks whose first commit is under way
        // Changes since the list was made wait for the next reader: commits that make or drop many chunks, and
        // recovery, must not copy the list for each.
        struct Departed {
            uint64_t number = 0;  // number of the drop
            std::shared_ptr<const ChunkIdentity> identity;
        };
        std::vector<Departed> departed;  // dropped chunks that a reader may still use
        mutable ChunkList list;
        mutable std::vector<std::shared_ptr<const ChunkIdentity>> added;
        mutable bool anyDropped = false;
        mutable Entries entries;  // partitions of `list`, null until the first use
        mutable std::optional<bool>
            allFull;              // every listed chunk has rows; unknown after a chunk came, went or emptied
        uint64_t lastChange = 0;  // number of the newest commit that changed a chunk
        bool isListed() const { return list && added.empty() && !anyDropped; }
    };
    void refreshList(const TableChunks& table) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void noteChange(const Chunk& chunk, const ChunkVersion& version, uint64_t number) EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    struct Draft {
        std::shared_ptr<ChunkVersion> version;
        std::vector<ChunkPart> rest;  // parts after the new ones of the record: see RowsReplaced
        bool reordered = false;
        bool changesRows = false;
        uint64_t copyOf = 0;  // number of the last change at the source of a copy; 0: it is no copy
    };
    using Drafts = std::map<uint64_t, Draft>;
    void apply(const Edit& edit, Drafts& drafts) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    Draft& draft(uint64_t chunk, Drafts& drafts) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void createChunk(const Edit& edit) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void dropChunk(uint64_t chunk, ChunkVersion& version) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void clear(ChunkVersion& version) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void replaceFirst(Draft& draft, int64_t count) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void moveRange(Draft& draft, const Edit& edit) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    ChunkPart addSegment(const SegmentLocation& location) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void removeSegment(const Segment& segment) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void retireIdleFiles() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void publish(uint64_t id, Chunk& chunk, ChunkVersionRef version) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void release() LOCKS_EXCLUDED(mutex_);
    void trim(uint64_t chunk, uint64_t oldest, std::vector<ChunkVersionRef>& gone) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void requireKept(uint64_t number) const SHARED_LOCKS_REQUIRED(mutex_);
    std::shared_ptr<SegmentFile> fileLocked(uint64_t number) EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    FileSystem& files_;
    const Volumes& volumes_;
    BlockCache& cache_;
    const CipherOf cipherOf_;

    mutable SharedMutex mutex_;
    std::unordered_map<uint64_t, Chunk> chunks_ GUARDED_BY(mutex_);
    std::unordered_map<uint64_t, TableChunks> tables_ GUARDED_BY(mutex_);
    std::unordered_map<uint64_t, std::weak_ptr<SegmentFile>> segmentFiles_ GUARDED_BY(mutex_);
    // Chunks that have superseded versions, or are dropped, by the number of the version that does so: these are
    // released when no reader can need an older number.
    std::map<uint64_t, std::vector<uint64_t>> superseded_ GUARDED_BY(mutex_);
    std::atomic<uint64_t> nextRelease_{UINT64_MAX};  // first key of superseded_; written under mutex_
    uint64_t oldestKept_ GUARDED_BY(mutex_) = 0;     // versions that only older numbers need are gone
    uint64_t lastChunkId_ GUARDED_BY(mutex_) = 0;
    bool replaying_ GUARDED_BY(mutex_) = true;
    // Files that lost their last used segment by the edits of the record that is being installed.
    std::vector<std::shared_ptr<SegmentFile>> idleFiles_ GUARDED_BY(mutex_);

    mutable Mutex pinMutex_;
    std::multiset<uint64_t> pins_ GUARDED_BY(pinMutex_);
    std::atomic<uint64_t> visible_{0};
    std::atomic<int64_t> cachedRows_{0};
    std::atomic<int64_t> cachedBytes_{0};
};

}  // namespace pelorus
