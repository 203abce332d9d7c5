// StreamFolder and StreamStore are the interfaces of what keeps the rows of stream tables on the disk of a node.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

// Rows of a stream table in the order of their numbers, with the borders of the appends that wrote them.
struct StreamRows {
    int64_t begin = 0;          // number of the first row
    Ref<MemoryTable> rows;      // null: there are none
    std::vector<int64_t> ends;  // number after the last row of each append, ascending
};

// The time at which rows that are written to disk survive a loss of power. They survive the end of the process at once.
enum class StreamSync : uint8_t {
    Later,   // with the next sync
    AsSet,   // before the call returns, unless the node runs with dataSync=0
    Always,  // before the call returns
};

// The rows of one stream table on disk: a range of numbers that grows at its end and shrinks at its beginning. One
// thread appends at a time; all other calls are thread-safe. All calls throw SystemError when the disk refuses.
class StreamStore {
public:
    virtual ~StreamStore() = default;
    // Returns the user who made it.
    virtual const std::string& owner() const = 0;
    virtual TableSchema columns() const = 0;
    // Returns the numbers of the first row and of the row after the last one, as of one commit.
    virtual std::pair<int64_t, int64_t> range() const = 0;
    // Appends rows whose appends end at `ends`, counted from the first of these rows. Further columns than before stay
    // in the store from then on. When it throws, nothing was appended.
    virtual void append(const Ref<MemoryTable>& rows, const std::vector<int64_t>& ends, StreamSync sync) = 0;
    // Returns the rows from `row` on until the append in which the `count`-th of them was written ends, the last row at
    // most. REQUIRES: row is in the range; else it returns no rows.
    virtual StreamRows read(int64_t row, int64_t count) const = 0;
    // Removes the oldest rows that all arrived before that time (nanoseconds, local), in whole files; returns how many.
    virtual int64_t removeBefore(int64_t nanos) = 0;
};

// All of them on a node, and the positions that subscriptions have stored. Thread-safe. All calls throw SystemError
// when the disk refuses.
class StreamFolder {
public:
    virtual ~StreamFolder() = default;
    virtual std::vector<std::string> names() const = 0;
    // Returns the store of that name; null when there is none.
    virtual std::shared_ptr<StreamStore> find(const std::string& name) const = 0;
    // Makes a store without rows, whose first row gets the number `first`. Throws UserError when a column is of a type
    // that cannot be stored. REQUIRES: there is none of that name.
    virtual std::shared_ptr<StreamStore> make(const std::string& name, const TableSchema& columns,
                                              const std::string& owner, int64_t first) = 0;
    // Removes the store with its rows and the positions of its subscriptions. Does nothing when there is none.
    virtual void remove(const std::string& name) = 0;

    // The position of a subscription: the row after the last one that was handled, and the user who subscribed.
    struct Position {
        int64_t row = 0;
        std::string owner;
    };
    // `topic` is "table/action". Returns nothing when no position is stored.
    virtual std::optional<Position> position(const std::string& topic) const = 0;
    // Stores the position after all that was written before; it survives a loss of power with the next sync.
    virtual void setPosition(const std::string& topic, const Position& position) = 0;
    virtual void removePosition(const std::string& topic) = 0;

    // Makes durable all that was written before, unless the node runs with dataSync=0.
    virtual void sync() = 0;
    // Returns the path of the data folder.
    virtual std::string path() const = 0;
};

}  // namespace pelorus
