#include "apps/node/end_signals.h"

#include <pthread.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using namespace pelorus;

TEST_CASE("signals that end a node wait for the thread that asks for them") {
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, nullptr, &before);
    {
        const EndSignals signals;
        CHECK(signals.areBlocked());
        bool isBlockedInThread = false;
        std::thread([&] { isBlockedInThread = signals.areBlocked(); }).join();
        CHECK(isBlockedInThread);
        pthread_kill(pthread_self(), SIGTERM);
        CHECK(signals.wait() == SIGTERM);
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        CHECK_FALSE(signals.areBlocked());
    }
}

TEST_CASE("a process that outlives its terminal is not ended by its hangup") {
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, nullptr, &before);
    const auto handler = ::signal(SIGHUP, SIG_IGN);
    {
        const EndSignals signals;
        sigset_t blocked;
        pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        CHECK(sigismember(&blocked, SIGHUP) == 0);
        CHECK(sigismember(&blocked, SIGINT) == 1);
        CHECK(signals.areBlocked());
    }
    ::signal(SIGHUP, handler);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("a signal that reaches a thread of a library is handed to the thread that waits") {
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, nullptr, &before);
    std::atomic<bool> isOver{false};
    std::thread library([&] {
        while (!isOver) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    {
        const EndSignals signals;
        pthread_kill(library.native_handle(), SIGTERM);
        CHECK(signals.wait() == SIGTERM);
        pthread_kill(library.native_handle(), SIGINT);
        CHECK(signals.wait() == SIGINT);
    }
    isOver = true;
    library.join();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}
