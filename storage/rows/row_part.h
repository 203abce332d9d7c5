// The rows of a row table on this node: its pages, its indexes, and the before-images that readers may still need.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "storage/rows/row_edits.h"
#include "storage/rows/row_key_index.h"
#include "storage/rows/row_page.h"
#include "storage/rows/row_transaction.h"
#include "storage/rows/transaction_slots.h"

namespace pelorus {

// A part. RowStore owns it, readers and transactions share it; the slots outlive it. Thread-safe: transactions of
// several threads may change it at once. A row is named by its id: page times 1,024 plus slot.
class RowPart : public std::enable_shared_from_this<RowPart> {
public:
    RowPart(uint64_t table, RowColumns columns, TransactionSlots& slots);
    ~RowPart();
    RowPart(const RowPart&) = delete;
    RowPart& operator=(const RowPart&) = delete;

    uint64_t table() const { return table_; }
    RowColumns columns() const LOCKS_EXCLUDED(mutex_);
    // Makes the columns those given, which begin with the ones that are there: rows have NULL in new ones.
    void addColumns(const RowColumns& columns) LOCKS_EXCLUDED(mutex_);
    // Makes the indexes those given; new ones are filled from the newest versions, and readers at or above `number` may
    // use them. Throws UserError, and changes nothing, when two rows have one key of a unique one. REQUIRES: no
    // transaction changes the part; all that did are placed at or below `number` and will not be withdrawn.
    void setIndexes(const std::vector<RowIndexDefinition>& definitions, uint64_t number = 0) LOCKS_EXCLUDED(mutex_);
    using Indexes = std::vector<std::shared_ptr<RowKeyIndex>>;
    std::shared_ptr<const Indexes> indexes() const LOCKS_EXCLUDED(mutex_);

    // The result of a change: for Busy the tag of the owner to wait for, for Duplicate the index and the row that has
    // the key. `number` is that of the newest commit that the change has met: of the version before, or of the key's.
    struct Result {
        RowOutcome outcome = RowOutcome::Done;
        uint64_t row = 0;
        RowStamp owner = 0;
        std::shared_ptr<RowKeyIndex> index;
        uint64_t number = 0;
    };
    // Inserts a row with a cell for each column; last ones that are missing are NULL. Returns Done and the row's id,
    // Duplicate or Busy. Throws UserError, as `update` does, when its page has no room for the strings; after an
    // exception the transaction must be aborted.
    Result insert(RowTransaction& transaction, const std::vector<RowCell>& cells);
    // Writes columns of a row that a statement saw at `seen`. Returns Done, Duplicate, Busy or Changed.
    Result update(RowTransaction& transaction, uint64_t row, const std::vector<int>& columns,
                  const std::vector<RowCell>& cells, uint64_t seen = TransactionSlots::kNewest);
    // Erases such a row. Returns Done, Busy or Changed.
    Result erase(RowTransaction& transaction, uint64_t row, uint64_t seen = TransactionSlots::kNewest);

    // Returns the newest version of a row, committed or not; its cells are added to `cells`. REQUIRES: there is the
    // row.
    RowPage::Newest newest(uint64_t row, const std::vector<int>& columns, RowCells& cells) const;
    // Returns the version of a row in the view in the same way.
    RowPage::Newest versionOf(uint64_t row, const RowView& view, const std::vector<int>& columns,
                              RowCells& cells) const;
    // Reads a row. Returns whether the view has it.
    bool read(uint64_t row, const RowView& view, const std::vector<int>& columns, RowCells& cells) const;
    // Calls `visit` for the rows of the view whose key in the index lies in [low, high), in the order of keys, until it
    // returns false; without `high` there is no upper end. No latch is held during the call.
    void range(const RowKeyIndex& index, const std::string& low, const std::string* high, const RowView& view,
               const std::function<bool(uint64_t row)>& visit) const;
    // Returns the row of the view that has the key in a unique index; kNoRow for none.
    static constexpr uint64_t kNoRow = UINT64_MAX;
    uint64_t find(const RowKeyIndex& index, const std::string& key, const RowView& view) const;
    // Returns the rows of the view, in the order of pages and slots.
    std::vector<uint64_t> rows(const RowView& view) const LOCKS_EXCLUDED(mutex_);
    // Returns the id below which all rows are, also those that are gone.
    uint64_t endOfRows() const LOCKS_EXCLUDED(mutex_);
    // Returns the pages, which only grow in number.
    std::vector<const RowPage*> pages() const LOCKS_EXCLUDED(mutex_);

    // Frees the before-images of transactions at or below `horizon` and what only they need. REQUIRES: no reader reads
    // below it.
    void purge(uint64_t horizon) LOCKS_EXCLUDED(purging_);
    // Returns the bytes of the before-images that readers may still need, about.
    int64_t undoBytes() const { return undoBytes_.load(std::memory_order_relaxed); }
    // Applies the changes of a record in recovery, before there are indexes. Throws SystemError for a row id that no
    // part has.
    void load(uint64_t number, const RowEdits& edits) LOCKS_EXCLUDED(mutex_);
    // Makes the first pages those of an image: `load` fills a new page, which several threads do at once, and returns
    // the number of slots that its rows use. Called in recovery, before changes are applied.
    void loadPages(const RowColumns& columns, size_t count, const std::function<int(size_t page, RowPage& to)>& load)
        LOCKS_EXCLUDED(mutex_);
    // Ends recovery: slots without rows are free from now on.
    void endLoad() LOCKS_EXCLUDED(mutex_);
    // Returns what is wrong between pages and indexes; empty when nothing is. REQUIRES: no transaction changes the
    // part.
    std::vector<std::string> check() const LOCKS_EXCLUDED(mutex_, purging_);

private:
    friend class RowTransaction;
    class AllLatches;

    RowPage& page(uint64_t row) const LOCKS_EXCLUDED(mutex_);
    uint64_t takeSlot() LOCKS_EXCLUDED(mutex_);
    void freeSlot(uint64_t row) LOCKS_EXCLUDED(mutex_);
    Result judge(const std::shared_ptr<RowKeyIndex>& index, const std::string& key, RowStamp tag, uint64_t mine) const;
    bool hasVersionWith(const RowKeyIndex& index, const std::string& key, uint64_t row) const;
    void eraseIfUnused(const RowKey& entry) const;
    void putBack(RowChanges& changes, const RowChanges::Mark& mark);
    void purgeLeftKeys() LOCKS_EXCLUDED(undoMutex_);
    void keepUndo(uint64_t number, std::unique_ptr<RowUndo> undo) LOCKS_EXCLUDED(undoMutex_);
    void purgeErased(uint64_t row);
    std::shared_ptr<RowKeyIndex> filled(const RowIndexDefinition& definition, uint64_t validFrom) const;
    std::vector<uint64_t> versionedRows() const;

    const uint64_t table_;
    TransactionSlots& slots_;

    mutable SharedMutex mutex_;
    RowColumns columns_ GUARDED_BY(mutex_);
    std::vector<std::unique_ptr<RowPage>> pages_ GUARDED_BY(mutex_);
    std::shared_ptr<const Indexes> indexes_ GUARDED_BY(mutex_);
    uint64_t endOfRows_ GUARDED_BY(mutex_) = 0;  // ids from here on were never given
    std::vector<uint64_t> freeSlots_ GUARDED_BY(mutex_);

    mutable Mutex purging_;  // orders steps: one thread purges, or checks, at a time
    Mutex undoMutex_;
    std::multimap<uint64_t, std::unique_ptr<RowUndo>> undo_ GUARDED_BY(undoMutex_);  // by number of the commit
    std::atomic<int64_t> undoBytes_{0};                                              // of undo_
    std::vector<RowKey> leftKeys_ GUARDED_BY(undoMutex_);  // of withdrawn changes, below those of other transactions
};

}  // namespace pelorus
