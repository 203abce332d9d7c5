// DebugPlace limits the scripts that a node runs under a debugger at the same time: an object counts as one of kPlaces.
#pragma once

#include <string>

#include "common/error.h"
#include "server/session/server_state.h"

namespace pelorus {

// One place, taken by the constructor and freed by the destructor. Thread-safe; `state` outlives it.
class DebugPlace {
public:
    static constexpr int kPlaces = 16;

    // Throws UserError when all places are taken.
    explicit DebugPlace(ServerState& state) : state_(state) {
        if (++state_.debugged <= kPlaces) return;
        --state_.debugged;
        throw UserError("This node debugs " + std::to_string(kPlaces) + " scripts already.",
                        "Try again when one of them has ended.");
    }
    ~DebugPlace() { --state_.debugged; }
    DebugPlace(const DebugPlace&) = delete;
    DebugPlace& operator=(const DebugPlace&) = delete;

private:
    ServerState& state_;
};

}  // namespace pelorus
