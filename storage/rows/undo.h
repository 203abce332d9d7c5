// Before-images: what brings a row of a page back to the version before a change.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/rows/row_layout.h"
#include "storage/rows/transaction_slots.h"

namespace pelorus {

class RowPage;

// The kind of a change of a row. In files: append, never renumber.
enum class RowChangeKind : uint8_t { Insert = 1, Update = 2, Erase = 3 };

// A before-image. The transaction that made the change owns it, later the queue of its part; the row's newest one is
// linked from the page, older ones from newer ones. Its links and stamps are guarded by the latch of the page.
struct UndoRecord {
    RowPage* page = nullptr;
    int slot = 0;
    uint64_t row = 0;  // row id
    RowChangeKind kind = RowChangeKind::Update;
    bool wasLive = false;         // whether the version before was a row
    RowStamp stamp = 0;           // stamp of the version before
    UndoRecord* older = nullptr;  // before-image of the version before
    std::vector<int> columns;     // columns that the change wrote
    RowCells cells;               // their cells before
};

}  // namespace pelorus
