// EndSignals blocks the signals that end a node, and waits for them.
#pragma once

#include <signal.h>

#include <array>

namespace pelorus {

// The signals that end the process in order: SIGTERM, SIGINT, and SIGHUP unless it was started to outlive its terminal
// (nohup). Owned by the command, whose thread waits for them; one at a time in a process.
class EndSignals {
public:
    // Blocks the signals in this thread and in those that it starts later, so that they stay for `wait`. Threads that
    // libraries started before do not block them: one that gets such a signal hands it to this thread. Ignores SIGPIPE:
    // a client that left is an error of the write to it.
    EndSignals();
    // Gives the signals their former actions back; this thread goes on blocking them.
    ~EndSignals();
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;

    // Waits for one of the signals and returns its number. REQUIRES: the thread is that of the constructor.
    int wait() const;
    // Returns whether this thread blocks them.
    bool areBlocked() const;

private:
    static constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};

    sigset_t signals_;
    std::array<struct sigaction, kSignals.size()> formerActions_;
};

}  // namespace pelorus
