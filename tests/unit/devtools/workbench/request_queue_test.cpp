#include "devtools/workbench/request_queue.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <vector>

using namespace pelorus;

TEST_CASE("tasks run in their order, one at a time, in another thread") {
    std::vector<int> order;
    std::atomic<int> running{0};
    std::promise<std::thread::id> last;
    RequestQueue queue;
    for (int i = 0; i < 50; ++i) {
        REQUIRE(queue.add([&, i] {
            CHECK(++running == 1);
            order.push_back(i);
            --running;
        }));
    }
    queue.add([&] { last.set_value(std::this_thread::get_id()); });
    CHECK(last.get_future().get() != std::this_thread::get_id());
    REQUIRE(order.size() == 50);
    CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("a full queue takes no more, and takes again when there is room") {
    std::promise<void> begun, release;
    RequestQueue queue;
    queue.add([&] {
        begun.set_value();
        release.get_future().wait();
    });
    begun.get_future().wait();
    for (size_t i = 0; i < RequestQueue::kMaxWaiting; ++i) REQUIRE(queue.add([] {}));
    CHECK(!queue.add([] {}));
    release.set_value();
    std::promise<void> done;
    while (!queue.add([&] { done.set_value(); })) std::this_thread::yield();
    done.get_future().wait();
}

TEST_CASE("a queue that is closed drops what waits, and ends after what runs") {
    std::atomic<bool> hasEnded{false}, hasWaited{false};
    std::promise<void> begun, release;
    {
        RequestQueue queue;
        queue.add([&] {
            begun.set_value();
            release.get_future().wait();
            hasEnded = true;
        });
        begun.get_future().wait();
        queue.add([&] { hasWaited = true; });
        queue.close();
        CHECK(!queue.add([] {}));
        release.set_value();
    }
    CHECK(hasEnded);
    CHECK(!hasWaited);
}

TEST_CASE("between tasks something is done at an interval") {
    std::promise<void> thrice;
    int ticks = 0;
    RequestQueue queue(
        [&] {
            if (++ticks == 3) thrice.set_value();
        },
        std::chrono::milliseconds(1));
    CHECK(thrice.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready);
}
