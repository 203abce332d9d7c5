#include "distributed/metadata/cluster_map.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/clocked_store.h"

using namespace pelorus;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLong(5000);

}  // namespace

TEST_CASE("what was written before is installed first, and what comes later in order") {
    testing::ClockedStore store;
    store.put("txn/a/1/1", "commit 0 a");
    const uint64_t founded = store.put("user/x", "v");
    Mutex mutex;
    std::vector<uint64_t> moments;
    ClusterMap map(store, [&](const ClusterMoment& moment) {
        const MutexLock lock(mutex);
        moments.push_back(moment.revision);
    });
    CHECK(map.installed() == founded);
    CHECK(map.entry("user/x")->value == "v");
    CHECK(map.records().size() == 1);
    const uint64_t second = store.put("user/y", "w"), third = store.put("user/x", "u");
    map.await(third, kLong);
    CHECK(map.entry("user/x")->value == "u");
    CHECK(map.entries("user/", 0).entries.size() == 2);
    CHECK(map.view().revision == third);
    CHECK(map.currentRevision() == third);
    const MutexLock lock(mutex);
    CHECK(moments == std::vector<uint64_t>{founded - 1, founded, second, third});
}

TEST_CASE("what cannot be installed yet is tried again, while the state is known already") {
    testing::ClockedStore store;
    std::atomic<bool> isDiskFull{false};
    std::atomic<int> tries{0};
    ClusterMap map(store, [&](const ClusterMoment&) {
        ++tries;
        if (isDiskFull.exchange(false)) throw SystemError("The disk is full.");
    });
    isDiskFull = true;
    const int before = tries;
    const uint64_t revision = store.put("user/x", "v");
    map.awaitState(revision, kLong);
    map.await(revision, kLong);
    CHECK(tries == before + 2);
}

TEST_CASE("who waits for a revision that does not come is told to try again") {
    testing::ClockedStore store;
    ClusterMap map(store, [](const ClusterMoment&) {});
    for (const bool isState : {false, true}) {
        try {
            isState ? map.awaitState(99, milliseconds(5)) : map.await(99, milliseconds(5));
            FAIL("it came");
        } catch (const SystemError& error) {
            CHECK(std::string(error.what()) == "This node has not heard of the newest changes of the cluster yet.");
            CHECK(error.hint() == "Try again.");
            CHECK(error.retryable());
        }
    }
}

TEST_CASE("a store that does not answer has no newest revision, and one failure is no loss of contact") {
    testing::ClockedStore store;
    const uint64_t revision = store.put("user/x", "v");
    ClusterMap map(store, [](const ClusterMoment&) {});
    CHECK(map.revisionToRead() == revision);
    CHECK(map.hasContact());
    CHECK(!map.hasContact(kLong));
    store.isAway = true;
    CHECK_THROWS_WITH(map.currentRevision(), "The store is away.");
    // Nothing old is read unless that was allowed.
    CHECK_THROWS_AS(map.revisionToRead(), SystemError);
    CHECK(map.staleness() == milliseconds(0));
    CHECK(map.hasContact());
    store.isAway = false;
    CHECK(map.currentRevision() == revision);
}

TEST_CASE("with leave to read old states a query reads at the last one while the store is away") {
    testing::ClockedStore store;
    const uint64_t revision = store.put("user/x", "v");
    ClusterMap map(
        store, [](const ClusterMoment&) {}, milliseconds(60'000));
    store.isAway = true;
    CHECK(map.revisionToRead() == revision);
    CHECK_THROWS_AS(map.currentRevision(), SystemError);
}
