// A transaction over the rows of one table: what it changed, and how that becomes committed or is put back.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "storage/rows/row_edits.h"
#include "storage/rows/row_key_index.h"
#include "storage/rows/transaction_slots.h"
#include "storage/rows/undo.h"

namespace pelorus {

class RowPart;

// A key of a row in an index.
struct RowKey {
    std::shared_ptr<RowKeyIndex> index;
    std::string key;
    uint64_t row = 0;
};

// What a transaction leaves behind: its before-images and the keys that these have and newer versions do not. It is
// kept until no reader needs the before-images.
struct RowUndo {
    std::deque<UndoRecord> records;  // oldest first; never moved while linked
    std::vector<RowKey> superseded;
};

// A transaction, used by one thread; only `place` and `withdraw` come from the writer of the log. It ends in one of two
// ways: placed by the log's writer, then settled by its own thread; or put back, by `abort` or the destructor.
class RowTransaction {
public:
    explicit RowTransaction(std::shared_ptr<RowPart> part);
    ~RowTransaction();
    RowTransaction(const RowTransaction&) = delete;
    RowTransaction& operator=(const RowTransaction&) = delete;

    RowStamp tag() const { return tag_; }
    // Returns the changes so far, for the log, but for the columns of the table.
    const RowEdits& edits() const { return edits_; }
    bool isEmpty() const { return edits_.changes.empty(); }

    // Commits the changes at `number` for all readers at or above it. Called when the record is written.
    void place(uint64_t number);
    // Takes the commit back, since the record did not become durable: no reader sees the rows from now on. Called by
    // the log's writer, before anybody can commit on that basis; `abort` follows.
    void withdraw();
    // Stamps the rows with their number, and hands the before-images to the part. REQUIRES: placed; the record is as
    // durable as the commit promises.
    void settle();
    // Puts all rows back and gives the slot back. Before-images of others may lie over those of a placed transaction:
    // these must have ended.
    void abort();

private:
    friend class RowPart;

    const std::shared_ptr<RowPart> part_;
    RowStamp tag_ = 0;
    uint64_t number_ = 0;  // 0 until placed
    bool isEnded_ = false;
    RowEdits edits_;
    std::unique_ptr<RowUndo> undo_;
    std::vector<RowKey> added_;  // entries that it made
};

}  // namespace pelorus
