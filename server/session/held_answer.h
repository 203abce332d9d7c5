// HeldAnswer notes a result that waits for its client to read it, as the registry of sessions shows and bounds it.
#pragma once

#include <cstdint>

#include "runtime/function/principal.h"
#include "runtime/memory/budget.h"
#include "server/session/session_registry.h"

namespace pelorus {

// The note of one answer, for as long as the object lives. Small answers are not noted. The thread of the connection
// owns it; the registry outlives it.
class HeldAnswer {
public:
    HeldAnswer(SessionRegistry& sessions, int64_t sessionId) : sessions_(sessions), sessionId_(sessionId) {}
    ~HeldAnswer() {
        if (isNoted_) sessions_.holdAnswer(sessionId_, 0);
    }
    HeldAnswer(const HeldAnswer&) = delete;
    HeldAnswer& operator=(const HeldAnswer&) = delete;

    // Throws UserError when the user's clients have too much to read.
    void take(int64_t bytes, const Principal& user) {
        constexpr int64_t kNotedBytes = 64 << 10;
        constexpr int64_t kUsersPart = 4;  // fraction of the memory that the process may take
        if (bytes < kNotedBytes) return;
        const bool isBounded = !user.powers().everything && !user.isNode();
        sessions_.holdAnswer(sessionId_, bytes, isBounded ? memory::limitBytes() / kUsersPart : 0);
        isNoted_ = true;
    }

private:
    SessionRegistry& sessions_;
    const int64_t sessionId_;
    bool isNoted_ = false;
};

}  // namespace pelorus
