// Turns a batch of rows into the edits of a record.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/commit/commit_result.h"
#include "storage/commit/write_batch.h"
#include "storage/version/edit.h"

namespace pelorus {

class SegmentFileWriter;
struct StorageParts;

// The edits of one batch, from the moment at which its rows are placed until its record is in the log. Rows of large
// chunks are in a column file then, which is removed with the object unless the batch was committed (`keep`). Used by
// one thread; made by CommitPath and PreparedCommits.
class StagedBatch {
public:
    // Assigns numbers to the chunks that the batch makes, and writes rows of large chunks to a column file, synced.
    // Throws SystemError when the disk refuses. `batch` outlives this.
    StagedBatch(StorageParts& parts, const WriteBatch& batch);
    ~StagedBatch();
    StagedBatch(const StagedBatch&) = delete;
    StagedBatch& operator=(const StagedBatch&) = delete;

    // Returns whether the batch changes nothing.
    bool isEmpty() const { return edits_.empty(); }
    // Returns the ids of all chunks that the batch may touch, ascending, to lock them. Those that exist only now, since
    // another batch has made them meanwhile, are among them.
    std::vector<uint64_t> chunks() const;
    // Notes the id under which the batch is sent again when its answer is lost.
    void addId(const std::string& id);
    // Adds the edits that remove what the batch replaces. Returns Done, RowsChanged or RowsMoved. REQUIRES: the chunks
    // are held, exclusively where rows are replaced, and then the layout is locked by a reader.
    CommitResult resolve();
    // Returns the edits. They are complete after `resolve`; who commits them may move them away.
    std::vector<Edit>& edits() { return edits_; }
    // Lets the column file stay: the batch's record is in the log.
    void keep();

private:
    void stageRows();
    void stageSegments(const std::vector<std::pair<size_t, uint64_t>>& large);
    void reserveReplaced();
    void dropStaleCreations();
    CommitResult orderReplaced();
    CommitResult removeReplaced(const ChunkRows& rows, uint64_t chunk, Edit& removal, std::vector<Edit>& kept) const;
    bool hadRows(const ChunkRows& rows) const;
    void noteCopies();

    StorageParts& parts_;
    const WriteBatch& batch_;
    std::vector<Edit> edits_;
    std::unique_ptr<SegmentFileWriter> file_;  // null: all rows are in the edits
};

// Returns the ids of the chunks that edits change, ascending.
std::vector<uint64_t> chunksOf(const std::vector<Edit>& edits);

}  // namespace pelorus
