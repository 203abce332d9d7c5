// A page of a row table: 1,024 rows, column by column, the newest version in place and older ones as before-images.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "storage/rows/row_latch.h"
#include "storage/rows/row_layout.h"
#include "storage/rows/transaction_slots.h"
#include "storage/rows/undo.h"

namespace pelorus {

// The versions that a reader sees: those committed at or below `number`, and those of its own transaction.
struct RowView {
    uint64_t number = 0;
    RowStamp own = 0;  // 0: none
};

// Returns the error of a reader whose versions were given up.
SystemError snapshotTooOld(uint64_t number);

// The outcome of a change of one row.
enum class RowOutcome : uint8_t {
    Done,
    Duplicate,  // a row with this key is there
    Busy,       // another transaction owns the row, or a row with this key: wait for its end and try again
    Changed,    // the row was changed since the statement's snapshot
};

// A page. RowPart owns it; it outlives its readers. Thread-safe: each call holds the page's latch, and none waits for
// anything else.
class RowPage {
public:
    static constexpr int kRows = 1024;

    RowPage(const RowColumns& columns, const TransactionSlots& slots);
    ~RowPage();
    RowPage(const RowPage&) = delete;
    RowPage& operator=(const RowPage&) = delete;

    // Makes the columns those given, which begin with the ones that are there: rows have NULL in new ones.
    void addColumns(const RowColumns& columns);
    // What a change has met in its row: the owner for Busy, else the number of the version before; 0 for one of the
    // transaction itself.
    struct Met {
        RowStamp owner = 0;
        uint64_t number = 0;
    };
    // Changes a row under a transaction's tag, and fills and links `undo`, which names kind, slot and columns: for an
    // Insert all of the page's columns. Returns Done; Busy; or Changed where the newest version is not live as the kind
    // requires, or was committed above `seen`. For all but Done nothing has changed. Throws UserError when the page has
    // no room for the strings. After an exception the before-image must be put back if `undo` names the page.
    RowOutcome change(RowStamp tag, uint64_t seen, const std::vector<RowCell>& cells, UndoRecord& undo, Met& met);
    // Puts the before-image back. Returns false when another transaction has changed the row since, whose before-image
    // has become what was before both: that happens to changes that were placed and withdrawn.
    bool putBack(const UndoRecord& undo);
    // Replaces the transaction's tag in the row's versions by the number of its commit.
    void stamp(int slot, RowStamp tag, uint64_t number);
    // Unlinks the before-image and those that are older. REQUIRES: no reader needs them.
    void cut(const UndoRecord& undo);
    // Makes the slot of an erased row free and returns true, unless an older version of it is still there.
    bool vacate(int slot);
    // Writes a committed row, or erases it, without a before-image: for recovery.
    void load(int slot, RowChangeKind kind, uint64_t number, const RowColumns& all, const std::vector<int>& columns,
              const std::vector<RowCell>& cells);

    // Adds the cells of the row's version in the view to `cells`, and returns whether there is one.
    bool read(int slot, const RowView& view, const std::vector<int>& columns, RowCells& cells) const;
    // The newest version of a row, committed or not.
    struct Newest {
        RowStamp stamp = 0;
        uint64_t number = 0;  // of its commit; kActive or kAborted for none
        bool isLive = false;
    };
    Newest newest(int slot, const std::vector<int>& columns, RowCells& cells) const;
    // Returns the version in the view in the same way.
    Newest versionOf(int slot, const RowView& view, const std::vector<int>& columns, RowCells& cells) const;
    // Adds the cells of the versions of a row that are live, those of one version after the other: of the newest one,
    // and of those that some reader at or above `from` may see. Returns their number.
    int versions(int slot, uint64_t from, const std::vector<int>& columns, std::vector<RowCells>& cells) const;

    // Returns the bytes of strings in the page, with those that no version has any more.
    size_t textBytes() const;
    // Returns the number of rows in the view.
    int64_t rowCount(const RowView& view) const;
    // Adds the column's values of all rows in the view, in the order of slots, to `values` from `at` on. Returns their
    // number. REQUIRES: `values` has the column's type and room for them.
    int64_t copyColumn(const RowView& view, int column, Vector& values, int64_t at) const;
    // Adds the slots of all rows in the view.
    void slots(const RowView& view, std::vector<int>& slots) const;

private:
    friend class RowPageImage;
    struct Header {
        RowStamp stamp = 0;
        UndoRecord* undo = nullptr;  // newest before-image
        uint64_t isLive = 0;
    };
    // The place of a text in `texts_`.
    struct TextHandle {
        uint32_t offset = 0;
        uint32_t sizeBytes = 0;
    };
    struct Column {
        Type type;
        int width;
        bool isText;
        std::unique_ptr<char[]> cells;
    };
    struct Version {
        bool isLive = false;
        RowStamp stamp = 0;
        const UndoRecord* end = nullptr;  // first before-image that is not applied
    };

    void makeColumns(const RowColumns& columns) EXCLUSIVE_LOCKS_REQUIRED(latch_);
    bool sees(const RowView& view, RowStamp stamp) const;
    bool isSettled(const RowView& view) const SHARED_LOCKS_REQUIRED(latch_);
    Version versionIn(const RowView& view, int slot) const SHARED_LOCKS_REQUIRED(latch_);
    RowCell cellIn(const Version& version, int slot, int column) const SHARED_LOCKS_REQUIRED(latch_);
    RowCell cell(int slot, int column) const SHARED_LOCKS_REQUIRED(latch_);
    void setCell(int slot, int column, RowCell cell) EXCLUSIVE_LOCKS_REQUIRED(latch_);
    void setState(Header& header, RowStamp stamp, bool isLive) EXCLUSIVE_LOCKS_REQUIRED(latch_);
    void rewriteTexts() EXCLUSIVE_LOCKS_REQUIRED(latch_);
    void checkTextRoom(const std::vector<int>& columns, const std::vector<RowCell>& cells) const
        SHARED_LOCKS_REQUIRED(latch_);

    const TransactionSlots& slots_;
    mutable RowLatch latch_;
    std::vector<Column> columns_ GUARDED_BY(latch_);
    std::array<Header, kRows> rows_ GUARDED_BY(latch_);
    std::string texts_ GUARDED_BY(latch_);
    size_t unusedTextBytes_ GUARDED_BY(latch_) = 0;
    int usedSlots_ GUARDED_BY(latch_) = 0;          // slots from here on were never used
    int liveRows_ GUARDED_BY(latch_) = 0;           // rows whose newest version is live
    int taggedRows_ GUARDED_BY(latch_) = 0;         // rows whose newest version has no number yet
    uint64_t newestNumber_ GUARDED_BY(latch_) = 0;  // at or above the numbers of all newest versions
};

}  // namespace pelorus
