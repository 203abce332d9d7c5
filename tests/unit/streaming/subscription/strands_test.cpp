#include "streaming/subscription/strands.h"

#include <atomic>
#include <catch2/catch.hpp>

namespace pelorus {

namespace {

struct Task final : StrandTask {
    explicit Task(std::function<void()> work) : work(std::move(work)) {}
    void run(int) override { work(); }
    std::function<void()> work;
};

void waitFor(const std::atomic<int>& count, int wanted) {
    for (int i = 0; i < 2000 && count < wanted; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    REQUIRE(count == wanted);
}

}  // namespace

TEST_CASE("tasks of a strand run in order and one at a time") {
    Strands strands(4);
    const auto strand = std::make_shared<Strand>();
    std::atomic<int> done{0}, running{0};
    std::vector<int> order;
    bool overlapped = false;
    for (int i = 0; i < 100; ++i) {
        strands.post(strand, std::make_shared<Task>([&, i] {
                         overlapped |= running.fetch_add(1) > 0;
                         order.push_back(i);
                         --running;
                         ++done;
                     }));
    }
    waitFor(done, 100);
    REQUIRE_FALSE(overlapped);
    REQUIRE(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("a task that waits stops no other strand") {
    Strands strands(1);
    std::atomic<int> done{0};
    std::atomic<bool> released{false};
    strands.post(std::make_shared<Strand>(), std::make_shared<Task>([&] {
                     while (!released) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                     ++done;
                 }));
    strands.post(std::make_shared<Strand>(), std::make_shared<Task>([&] { ++done; }));
    waitFor(done, 1);
    released = true;
    waitFor(done, 2);
}

TEST_CASE("tasks that wait stop no strand that came while threads were free") {
    Strands strands(2);
    std::atomic<int> done{0};
    std::atomic<bool> released{false};
    const auto wait = [&] {
        while (!released) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++done;
    };
    for (int round = 0; round < 20; ++round) {
        // Both threads are free when all of these come.
        for (int i = 0; i < 2; ++i) strands.post(std::make_shared<Strand>(), std::make_shared<Task>([&] { ++done; }));
        waitFor(done, 2);
        for (int i = 0; i < 2; ++i) strands.post(std::make_shared<Strand>(), std::make_shared<Task>(wait));
        for (int i = 0; i < 3; ++i) strands.post(std::make_shared<Strand>(), std::make_shared<Task>([&] { ++done; }));
        waitFor(done, 5);
        released = true;
        waitFor(done, 7);
        done = 0;
        released = false;
    }
}

TEST_CASE("a timed task runs unless its owner is gone") {
    Strands strands(1);
    const auto strand = std::make_shared<Strand>();
    std::atomic<int> done{0};
    const auto kept = std::make_shared<Task>([&] { ++done; });
    strands.postAt(Strands::Clock::now(), strand, std::make_shared<Task>([&] { done += 100; }));
    strands.postAt(Strands::Clock::now() + std::chrono::milliseconds(5), strand, kept);
    waitFor(done, 1);
}

}  // namespace pelorus
