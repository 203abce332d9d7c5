#include "apps/node/end_signals.h"

#include <signal.h>

namespace pelorus {

static constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP};

EndSignals::EndSignals() {
    ::signal(SIGPIPE, SIG_IGN);
    sigemptyset(&signals_);
    for (const int signal : kSignals) {
        struct sigaction action {};
        ::sigaction(signal, nullptr, &action);
        if (signal != SIGHUP || action.sa_handler != SIG_IGN) sigaddset(&signals_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

int EndSignals::wait() const {
    int signal = 0;
    sigwait(&signals_, &signal);
    return signal;
}

bool EndSignals::areBlocked() const {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    for (const int signal : kSignals) {
        if (sigismember(&signals_, signal) == 1 && sigismember(&blocked, signal) == 0) return false;
    }
    return true;
}

}  // namespace pelorus
