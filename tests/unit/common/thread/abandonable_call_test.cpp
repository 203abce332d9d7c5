#include "common/thread/abandonable_call.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "common/error.h"
#include "common/thread/cancellation.h"

using namespace pelorus;

namespace {

struct Gate {
    std::atomic<bool> isOpen{false};
    std::atomic<int> begun{0}, ended{0};

    std::function<void()> work(const std::shared_ptr<Gate>& self) {
        return [self] {
            ++self->begun;
            while (!self->isOpen) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            ++self->ended;
        };
    }
};

// What libraries do when a process ends: in the child below it tells that they did. Registered before any call begins.
bool isEndReported = false;
const int isEndHandled = std::atexit([] {
    if (isEndReported) ::_exit(99);
});

// The status of a process that ends by exit(7), while a call runs if `isCalling`.
int statusOfProcess(bool isCalling) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        isEndReported = true;
        const auto gate = std::make_shared<Gate>();
        CancellationFlag cancelled{false};
        gate->isOpen = !isCalling;
        std::thread waiting([&] {
            const CancellationScope scope(&cancelled);
            try {
                callAbandonable(gate->work(gate));
            } catch (const UserError&) {
            }
        });
        while (gate->begun == 0) std::this_thread::yield();
        cancelled = isCalling;
        waiting.join();
        std::exit(7);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("a process ends with its status and without the ends of libraries while an abandoned call runs") {
    CHECK(isEndHandled == 0);
    CHECK(statusOfProcess(false) == 99);
    CHECK(statusOfProcess(true) == 7);
}

TEST_CASE("an abandonable call returns when its work has ended") {
    int result = 0;
    callAbandonable([&] { result = 7; });
    CHECK(result == 7);
}

TEST_CASE("a cancelled request leaves an abandonable call, whose work goes on") {
    const auto gate = std::make_shared<Gate>();
    CancellationFlag cancelled{false};
    std::thread waiting([&] {
        const CancellationScope scope(&cancelled);
        CHECK_THROWS_AS(callAbandonable(gate->work(gate)), UserError);
    });
    while (gate->begun == 0) std::this_thread::yield();
    cancelled = true;
    waiting.join();
    CHECK(gate->ended == 0);
    gate->isOpen = true;
    while (gate->ended == 0) std::this_thread::yield();
}

TEST_CASE("no more abandonable calls run at once than are allowed, and those that wait can be cancelled") {
    const auto gate = std::make_shared<Gate>();
    CancellationFlag cancelled{false};
    std::vector<std::thread> threads;
    std::atomic<int> refused{0};
    for (int i = 0; i < kMaxAbandonableCalls + 3; ++i) {
        threads.emplace_back([&] {
            const CancellationScope scope(&cancelled);
            try {
                callAbandonable(gate->work(gate));
            } catch (const UserError&) {
                ++refused;
            }
        });
    }
    while (gate->begun < kMaxAbandonableCalls) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(gate->begun == kMaxAbandonableCalls);
    cancelled = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(refused == kMaxAbandonableCalls + 3);
    gate->isOpen = true;
    while (gate->ended < kMaxAbandonableCalls) std::this_thread::yield();
    CHECK(gate->begun == kMaxAbandonableCalls);
}
