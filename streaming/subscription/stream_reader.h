// StreamReader reads the rows of a stream table by their numbers, wherever they are: in memory, or on disk when they
// have left it.
#pragma once

#include <optional>

#include "runtime/append/stream_store.h"
#include "runtime/table/table.h"

namespace pelorus {

// The view of one reader, which is used by one thread at a time. It keeps the last rows that came from disk, some
// thousand or one append.
class StreamReader {
public:
    explicit StreamReader(Ref<MemoryTable> table) : table_(std::move(table)) {}

    // Returns the number of the oldest row that can be read.
    int64_t oldest() const;
    // Returns the end of the append that wrote the row. REQUIRES: oldest() <= row < published rows. Throws SystemError
    // when the disk refuses.
    int64_t endOfAppend(int64_t row);
    // Returns the rows of a range. REQUIRES: as endOfAppend, for all of them. Throws as it does.
    Ref<MemoryTable> read(int64_t begin, int64_t end);

private:
    void load(int64_t row);

    const Ref<MemoryTable> table_;
    StreamRows loaded_;  // from disk
};

}  // namespace pelorus
