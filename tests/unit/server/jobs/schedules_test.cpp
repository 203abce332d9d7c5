// When schedules fire, on one node and on two that share a store.
#include "server/jobs/schedules.h"

#include <fmt/format.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "common/error.h"
#include "common/time/calendar.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "server/access/access_control.h"
#include "server/jobs/job_queue.h"
#include "storage/version/metadata_embedded.h"

using namespace pelorus;

namespace {

constexpr int64_t kDay = 1440;
constexpr int64_t kMinute = 60'000;

int64_t day(int year, int month, int d) {
    return calendar::daysFromCivil(year, month, d);
}

// Counts the jobs that run; the user "gone" does not exist.
struct CountingHost final : ScriptHost {
    struct Session final : ScriptSession {
        explicit Session(std::atomic<int>& count) : count(count) {}
        Value run(Request&, std::string_view) override { return Value(); }
        Value call(Request&, std::string_view, std::vector<Value>) override { return Value(); }
        Value apply(Request&, const Function&, std::vector<Value>) override {
            ++count;
            return Value();
        }
        void setVariable(const std::string&, Value) override {}
        void clear() override {}
        std::atomic<int>& count;
    };
    std::unique_ptr<ScriptSession> newSession() override { return std::make_unique<Session>(count); }
    std::shared_ptr<const Principal> principalOf(const std::string& user) override {
        if (user == "gone") throw UserError("The user gone does not exist.");
        return Principal::owner();
    }
    std::atomic<int> count{0};
};

Ref<Function> noArguments() {
    static const bool isRegistered = [] {
        const FunctionFamily family(FunctionRegistry::instance(), Facet::Public, Effect::Pure);
        FunctionRegistry::instance().add("scheduledNothing()", [](Context&, Arguments) { return Value(); },
                                         {.summary = "Nothing."});
        return true;
    }();
    (void)isRegistered;
    return Ref<Function>(const_cast<BuiltinFunction*>(FunctionRegistry::instance().find("scheduledNothing")));
}

template <class Condition>
bool eventually(Condition condition) {
    for (int i = 0; i < 2000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

Schedule hourly(const std::string& owner = "admin") {
    Schedule schedule;
    schedule.id = "s";
    schedule.owner = owner;
    schedule.rule = {{600, 660}, day(2026, 1, 1), day(2026, 12, 31), 'D', {}};
    return schedule;
}

struct TestNode {
    TestNode(MetaStore& store, std::atomic<int64_t>& clock, const std::string& name)
        : schedules(store, queue, {.node = name, .localMillis = [&clock] { return clock.load(); }}) {
        schedules.start();
    }
    CountingHost host;
    JobQueue queue{host, {.workers = 1}};
    Schedules schedules;
};

std::string lastOf(MetaStore& store) {
    const auto entry = store.get("schedule-last/s");
    return entry ? entry->value : "";
}

// Makes the threads look at a clock that was set.
void wake(MetaStore& store) {
    store.transact({}, {{"schedule-wake", "x"}});
}

}  // namespace

TEST_CASE("a rule has the days of its frequency and the times of its day") {
    const int64_t monday = day(2026, 3, 30);
    ScheduleRule weekly{{60, 600}, monday, monday + 13, 'W', {0, 1}};
    weekly.require();
    CHECK(weekly.next(monday * kDay) == monday * kDay + 60);
    CHECK(weekly.next(monday * kDay + 60) == monday * kDay + 600);
    CHECK(weekly.next(monday * kDay + 600) == (monday + 6) * kDay + 60);  // Sunday
    CHECK(weekly.next((monday + 13) * kDay + 600) == std::nullopt);
    ScheduleRule monthly{{0}, day(2026, 1, 1), day(2026, 12, 31), 'M', {31}};
    monthly.require();
    CHECK(monthly.next(day(2026, 1, 31) * kDay) == day(2026, 3, 31) * kDay);
    CHECK(weekly.between(monday * kDay, (monday + 7) * kDay + 60, 3) ==
          std::vector<int64_t>{(monday + 6) * kDay + 60, (monday + 6) * kDay + 600, (monday + 7) * kDay + 60});
    ScheduleRule leap{{0}, day(2096, 3, 1), day(2104, 12, 31), 'M', {29}};
    CHECK(leap.next(day(2096, 3, 1) * kDay) == day(2096, 3, 29) * kDay);
}

TEST_CASE("a rule whose times are too close, also over midnight, is refused") {
    CHECK_THROWS_WITH((ScheduleRule{{60, 64}, 0, 1, 'D', {}}.require()), Catch::Contains("5 minutes"));
    CHECK_THROWS_WITH((ScheduleRule{{1, 1438}, 0, 1, 'D', {}}.require()), Catch::Contains("5 minutes"));
    CHECK_THROWS_WITH((ScheduleRule{{60}, 1, 0, 'D', {}}.require()), Catch::Contains("endDate"));
    CHECK_THROWS_WITH((ScheduleRule{{60}, 0, 1, 'W', {7}}.require()), Catch::Contains("0 to 6"));
    CHECK_THROWS_WITH((ScheduleRule{{60}, 0, 1, 'M', {}}.require()), Catch::Contains("days"));
}

TEST_CASE("of two nodes that share a store one fires, once") {
    const auto store = memoryMetaStore();
    std::atomic<int64_t> clock{day(2026, 4, 1) * kDay * kMinute};
    TestNode first(*store, clock, "a"), second(*store, clock, "b");
    first.schedules.add(hourly(), noArguments(), {});
    clock = (day(2026, 4, 1) * kDay + 600) * kMinute + 10;
    wake(*store);
    REQUIRE(eventually([&] { return first.host.count + second.host.count == 1; }));
    REQUIRE(eventually([&] { return lastOf(*store).ends_with(" done"); }));
    for (int i = 0; i < 5; ++i) wake(*store);
    clock = (day(2026, 4, 1) * kDay + 660) * kMinute + 10;
    wake(*store);
    REQUIRE(eventually([&] { return first.host.count + second.host.count == 2; }));
}

TEST_CASE("a time that passed without a node, or under one that died, is missed and not made up") {
    const auto store = memoryMetaStore();
    std::atomic<int64_t> clock{day(2026, 4, 1) * kDay * kMinute};
    {
        TestNode node(*store, clock, "a");
        node.schedules.add(hourly(), noArguments(), {});
    }
    clock = (day(2026, 4, 1) * kDay + 630) * kMinute;
    {
        const TestNode node(*store, clock, "a");
        REQUIRE(eventually([&] { return lastOf(*store).ends_with(" a missed"); }));
        CHECK(node.host.count == 0);
    }
    store->transact({}, {{"schedule-last/s", fmt::format("{} a claimed", day(2026, 4, 1) * kDay + 660)}});
    clock = (day(2026, 4, 1) * kDay + 660) * kMinute + 1000;
    const TestNode node(*store, clock, "a");
    REQUIRE(eventually([&] { return lastOf(*store).ends_with(" a missed"); }));
    CHECK(node.host.count == 0);
}

TEST_CASE("the schedule of a deleted user does not run, and one that was deleted leaves nothing") {
    const auto store = memoryMetaStore();
    std::atomic<int64_t> clock{day(2026, 4, 1) * kDay * kMinute};
    TestNode node(*store, clock, "a");
    node.schedules.add(hourly("gone"), noArguments(), {});
    clock = (day(2026, 4, 1) * kDay + 600) * kMinute;
    wake(*store);
    REQUIRE(eventually([&] { return lastOf(*store).ends_with(" done"); }));
    CHECK(node.host.count == 0);
    node.schedules.remove("s");
    CHECK(node.schedules.all().empty());
    CHECK(lastOf(*store).empty());
    CHECK_THROWS_WITH(node.schedules.remove("s"), Catch::Contains("no schedule"));
}
