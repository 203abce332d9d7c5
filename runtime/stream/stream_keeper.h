// StreamKeeper writes the rows of one stream table to disk, and reads those that left the memory.
#pragma once

#include <cstdint>

#include "runtime/value/object.h"

namespace pelorus {

class MemoryTable;
struct StreamRows;

// The interface, which the door for rows and the readers of the table call. The table's StreamLog owns it. Thread-safe.
class StreamKeeper {
public:
    virtual ~StreamKeeper() = default;
    // Of a keeper that writes no more, and whose table keeps its rows in memory.
    static constexpr int64_t kWritesNoMore = INT64_MAX;
    // Returns the number of the first row that is not on disk yet; readers wait for it. Takes no lock.
    virtual int64_t written() const = 0;
    // Returns whether rows are on disk before they are in the table.
    virtual bool isSynchronous() const = 0;
    // Waits until the disk has kept pace with a table of so many rows, for 30 s at most: in synchronous mode with all
    // of them. Throws SystemError when the table takes no rows, since the disk refuses. REQUIRES: the caller does not
    // hold the table's lock.
    virtual void awaitRoom(int64_t total) = 0;
    // Writes the rows of one append, which get the numbers from `written` on; called in their order, without a lock of
    // the table, by a keeper that is synchronous. Throws SystemError when the disk refuses: then none is written.
    virtual void write(const Ref<MemoryTable>& rows) = 0;
    // Is called when rows wait in the table, without any lock of it. Must not wait.
    virtual void rowsCame() = 0;
    // Returns the number of the oldest row on disk.
    virtual int64_t oldest() const = 0;
    // Reads rows as StreamStore::read does.
    virtual StreamRows read(int64_t row, int64_t count) const = 0;
};

}  // namespace pelorus
