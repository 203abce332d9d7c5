// A transaction over the rows of tables: what it changed, and how that becomes committed or is put back.
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
    // Returns the bytes that it takes, about.
    int64_t bytes() const;
};

// What a transaction has changed in one part.
struct RowChanges {
    std::shared_ptr<RowPart> part;
    RowEdits edits;  // for the log, but for the columns of the table
    std::unique_ptr<RowUndo> undo;
    std::vector<RowKey> added;  // entries that it made
    int64_t bytes = 0;          // of what the log gets, about

    // How much of it there was at some time.
    struct Mark {
        size_t edits = 0, undo = 0, superseded = 0, added = 0;
        int64_t bytes = 0;
    };
    Mark mark() const {
        return {edits.changes.size(), undo->records.size(), undo->superseded.size(), added.size(), bytes};
    }
};

// A transaction, used by one thread; only `place` and `withdraw` come from the writer of the log. It ends in one of two
// ways: placed by the log's writer, then settled by its own thread; or put back, by `abort` or the destructor. The
// slots outlive it.
class RowTransaction {
public:
    explicit RowTransaction(TransactionSlots& slots);
    ~RowTransaction();
    RowTransaction(const RowTransaction&) = delete;
    RowTransaction& operator=(const RowTransaction&) = delete;

    RowStamp tag() const { return tag_; }
    // Returns what it has changed so far, part by part.
    const std::deque<RowChanges>& changes() const { return changes_; }
    // Returns what it has changed in the part.
    RowChanges& changesOf(const std::shared_ptr<RowPart>& part);
    bool isEmpty() const;
    int64_t bytes() const;

    // A point to which the transaction can be taken back.
    using Position = std::vector<RowChanges::Mark>;
    Position position() const;
    // Puts back what was changed since; later positions mean nothing any more.
    void rollbackTo(const Position& position);

    // Commits the changes at `number` for all readers at or above it. Called when the record is written.
    void place(uint64_t number);
    // Takes the commit back, since the record did not become durable: no reader sees the rows from now on. Called by
    // the log's writer, before anybody can commit on that basis; `abort` follows.
    void withdraw();
    // Stamps the rows with their number, and hands the before-images to their parts. REQUIRES: placed; the record is as
    // durable as the commit promises.
    void settle();
    // Puts all rows back and gives the slot back. Changes of others, over those of a placed transaction, are put back
    // to what was before both.
    void abort();

private:
    TransactionSlots& slots_;
    const RowStamp tag_;
    uint64_t number_ = 0;  // 0 until placed
    bool isEnded_ = false;
    std::deque<RowChanges> changes_;  // never moved: the log's writer reads them
};

}  // namespace pelorus
