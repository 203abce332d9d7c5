// EndSignals blocks the signals that end a node, and waits for them.
#pragma once

#include <csignal>

namespace pelorus {

// The signals that end the process in order: SIGTERM, SIGINT, and SIGHUP unless it was started to outlive its terminal
// (nohup). Owned by the command, whose thread waits for them.
class EndSignals {
public:
    // Blocks the signals in this thread and in those that it starts later, so that they stay for `wait`. Ignores
    // SIGPIPE: a client that left is an error of the write to it.
    EndSignals();

    // Waits for one of the signals and returns its number.
    int wait() const;
    // Returns whether this thread blocks them.
    bool areBlocked() const;

private:
    sigset_t signals_;
};

}  // namespace pelorus
