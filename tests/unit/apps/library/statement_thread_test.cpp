#include "apps/library/statement_thread.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>

namespace pelorus {

TEST_CASE("tasks run on a thread of their own, one after another, and throw at the caller") {
    StatementThread thread;
    std::thread::id first, second;
    thread.run([&] { first = std::this_thread::get_id(); }, [] {});
    thread.run([&] { second = std::this_thread::get_id(); }, [] {});
    CHECK(first == second);
    CHECK(first != std::this_thread::get_id());
    CHECK_THROWS_WITH(thread.run([] { throw std::runtime_error("of the task"); }, [] {}), "of the task");
    thread.run([&] { second = {}; }, [] {});
    CHECK(second == std::thread::id());
}

TEST_CASE("the caller's thread is asked while a task runs") {
    StatementThread thread;
    std::atomic<bool> isAsked{false};
    std::thread::id asked;
    thread.run(
        [&] {
            while (!isAsked) std::this_thread::yield();
        },
        [&] {
            asked = std::this_thread::get_id();
            isAsked = true;
        });
    CHECK(asked == std::this_thread::get_id());
}

}  // namespace pelorus
