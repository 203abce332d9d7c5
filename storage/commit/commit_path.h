// Commits on one node: from a batch of rows, or other edits, to a record of its log and the versions that readers see.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/commit/commit_result.h"
#include "storage/commit/write_batch.h"
#include "storage/version/edit.h"

namespace pelorus {

struct StorageParts;

// The path of commits that change only the chunks of this data folder. A call that returns has made its change durable,
// as dataSync says, and visible, all or nothing; a call that throws SystemError has changed nothing, except after a
// failed sync of the log: then the next start may still find the record, whole. Called by tables, maintenance, recovery
// and the cluster. Thread-safe. LocalStorage owns it.
class CommitPath {
public:
    // `notePressure` is called when Maintenance has something to do, from any thread; it must not wait.
    CommitPath(StorageParts& parts, std::function<void()> notePressure);

    // Appends the batch as one transaction and returns its number: snapshots at or above it see all rows, others none.
    // If an earlier append had this `id`, even before a restart, nothing is appended again: returns the number of that
    // append. The newest 16,384 ids are remembered. Throws ChunkIsBusy when a change holds one of the chunks for longer
    // than 30 seconds. REQUIRES: the batch replaces nothing.
    uint64_t append(const WriteBatch& batch, const std::string& id = "");
    // Appends the batch, or replaces rows by it, as each of its chunks says, if `isBound` returns that its tables are
    // still those that the rows were made for; `isBound` is called while nobody may change or drop the chunks. Returns
    // Done, TableChanged, RowsChanged or RowsMoved, or, for a batch that replaces rows, Busy after 30 seconds; for all
    // but the first nothing has changed. An append throws ChunkIsBusy instead. REQUIRES: a Pin at the snapshots in
    // which replaced rows were seen.
    CommitResult appendIf(const std::function<bool()>& isBound, const WriteBatch& batch);
    // Replaces the rows that chunks had in the snapshot `since` as one transaction, and makes chunks that do not exist.
    // Rows that were appended since stay, after the new ones. Returns false, and changes nothing, when rows of a chunk
    // were changed or reordered since, or another transaction held one for longer than 30 seconds. `changedAt`: the new
    // rows are copies of another node's, last changed there by the commit of that number; 0: they are not. REQUIRES: a
    // Pin at `since`.
    bool replace(WriteBatch batch, uint64_t since, uint64_t changedAt = 0);

    static constexpr std::chrono::milliseconds kTimeout = std::chrono::seconds(30);
    // Removes all chunks of a table; `keepChunks` only empties them. Files are removed after their last reader. Throws
    // SystemError (retryable) when another transaction holds one of them for longer than `timeout`.
    void removeRows(uint64_t table, bool keepChunks = false, std::chrono::milliseconds timeout = kTimeout);
    // Removes the chunks of a table with these paths; those that do not exist are skipped. Throws as `removeRows`.
    void removeChunks(uint64_t table, const std::vector<std::string>& paths,
                      std::chrono::milliseconds timeout = kTimeout);
    // Removes chunks by their ids. Throws as `removeRows`.
    void removeChunks(const std::vector<uint64_t>& chunks, std::chrono::milliseconds timeout = kTimeout);
    // Removes a chunk and returns true if it has not changed since the snapshot `since`; otherwise returns false.
    // Throws as `removeRows`.
    bool removeUnchanged(uint64_t chunk, uint64_t since);
    // Waits until the commits to a chunk that are under way have ended, prepared ones too. Throws SystemError
    // (retryable) when that takes more than five seconds.
    void awaitCommits(uint64_t table, const std::string& path);
    // Returns COMPLETE, or IN_TRANSACTION while commits to the chunk are under way or wait for a decision.
    const char* chunkState(uint64_t table, const std::string& path) const;

    // Makes the edits durable as one record, installs them, and returns the record's number. REQUIRES: the caller holds
    // the chunks that they change, by ChunkLocks, or the layout of the folder.
    uint64_t commit(const std::vector<Edit>& edits);
    // Makes the edits of a record visible: from `number` on, or from `visible` on where that is larger. Called in the
    // order of numbers, by one thread at a time. Does not throw.
    void install(uint64_t number, const std::vector<Edit>& edits, uint64_t visible = 0);

private:
    StorageParts& parts_;
    const std::function<void()> notePressure_;
};

}  // namespace pelorus
