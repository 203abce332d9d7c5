#include "apps/node/end_signals.h"

#include <pthread.h>

#include <cerrno>

#include "common/check.h"

namespace pelorus {

// The thread that waits. Written before the handler is installed.
static pthread_t waitingThread;

// Runs in a thread that does not block the signal. OpenBLAS starts such threads before main.
static void handOver(int signal) {
    const int error = errno;
    pthread_kill(waitingThread, signal);
    errno = error;
}

EndSignals::EndSignals() {
    ::signal(SIGPIPE, SIG_IGN);
    sigemptyset(&signals_);
    for (size_t i = 0; i < kSignals.size(); ++i) {
        ::sigaction(kSignals[i], nullptr, &formerActions_[i]);
        if (kSignals[i] != SIGHUP || formerActions_[i].sa_handler != SIG_IGN) sigaddset(&signals_, kSignals[i]);
    }
    // Order matters: this thread blocks the signals before one can be handed to it.
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    waitingThread = pthread_self();
    struct sigaction action {};
    action.sa_handler = handOver;
    action.sa_flags = SA_RESTART;
    for (const int signal : kSignals) {
        if (sigismember(&signals_, signal) == 1) ::sigaction(signal, &action, nullptr);
    }
}

EndSignals::~EndSignals() {
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &formerActions_[i], nullptr);
}

int EndSignals::wait() const {
    CHECK(pthread_equal(waitingThread, pthread_self()) != 0) << "the signals are handed to the thread that waits";
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
