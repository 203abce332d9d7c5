// StreamEngines is the registry of the stream engines of a node, by name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/thread/mutex.h"
#include "streaming/engine/stream_engine.h"

namespace pelorus {

// A service of the process. Thread-safe.
class StreamEngines {
public:
    // Throws UserError, S03001, when there is an engine of that name.
    void add(const Ref<StreamEngine>& engine);
    // Throws UserError when there is none.
    Ref<StreamEngine> get(std::string_view name) const;
    bool has(std::string_view name) const;
    // Drops the engine once its append has ended. Throws UserError when there is none, or the user may not.
    void drop(std::string_view name, const Principal& who);
    std::vector<Ref<StreamEngine>> all() const;
    // Releases all.
    void clear();

private:
    mutable Mutex mutex_;
    std::map<std::string, Ref<StreamEngine>, std::less<>> engines_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
