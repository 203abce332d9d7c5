// DebuggedSessions lets other connections of a user read the variables of the scripts that the user debugs: an editor
// shows a variable in full by its ordinary connection. It is a service of the process; thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "common/thread/mutex.h"
#include "runtime/function/principal.h"
#include "runtime/value/value.h"

namespace pelorus {

// The sessions whose script is being debugged, by id of the session.
class DebuggedSessions {
public:
    // Returns a variable of a frame of a stopped script. Throws UserError when there is none.
    using ReadVariable = std::function<Value(int64_t frame, int64_t variable)>;

    // Adds a session. `look` may be called, by any thread, until `remove` returns.
    void add(int64_t session, std::string user, ReadVariable look);
    void remove(int64_t session);
    // Returns a variable of the script of a session. Throws UserError when the session debugs nothing, or is another
    // user's: administrators manage the work of others, but do not see their data; only the owner of the process does.
    Value variable(int64_t session, int64_t frame, int64_t variable, const Principal& who) const;

private:
    struct Entry {
        std::string user;
        ReadVariable look;
    };
    mutable Mutex mutex_;
    std::map<int64_t, Entry> sessions_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
