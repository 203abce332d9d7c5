// StoredPositions stores how far subscriptions have come.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "common/thread/mutex.h"
#include "runtime/append/stream_store.h"

namespace pelorus {

// The positions of a node's subscriptions, by "table/action", with those that are not on disk yet: a position is
// written after the rows that a handler has given to stream tables, so that a crash repeats messages and loses none.
// StreamPersistence owns it. Thread-safe.
class StoredPositions {
public:
    // Notes a position, which `store` writes later.
    void set(const std::string& topic, StreamFolder::Position position) LOCKS_EXCLUDED(mutex_);
    std::optional<StreamFolder::Position> get(const StreamFolder& folder, const std::string& topic) const
        LOCKS_EXCLUDED(mutex_);
    // Removes a position, noted or written. Throws SystemError when the disk refuses.
    void remove(StreamFolder& folder, const std::string& topic) LOCKS_EXCLUDED(step_, mutex_);
    // Forgets what is noted of the subscriptions of a table.
    void forget(const std::string& table) LOCKS_EXCLUDED(step_, mutex_);
    // Calls `writeRows`, and then writes the positions that were noted before the call, unless it returned false.
    // Returns whether a position was written. Throws SystemError when the disk refuses: they stay noted.
    bool store(StreamFolder& folder, const std::function<bool()>& writeRows) LOCKS_EXCLUDED(step_, mutex_);

private:
    mutable Mutex mutex_;
    std::map<std::string, StreamFolder::Position> noted_ GUARDED_BY(mutex_);
    Mutex step_;  // orders steps: none is removed while positions are written
};

}  // namespace pelorus
