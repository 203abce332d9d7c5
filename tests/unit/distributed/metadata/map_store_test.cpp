#include "distributed/metadata/map_store.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "distributed/metadata/cluster_map.h"
#include "tests/support/clocked_store.h"

using namespace pelorus;

namespace {

struct Fixture {
    testing::ClockedStore store;
    ClusterMap map{store, [](const ClusterMoment&) {}};
    MapStore seen{store, map};
};

}  // namespace

TEST_CASE("a read shows what anybody wrote before, and asks the store for the clock alone") {
    Fixture fixture;
    for (int i = 0; i < 20; ++i) {
        fixture.store.put("user/" + std::to_string(i % 3), std::to_string(i));
        const auto read = fixture.seen.get("user/" + std::to_string(i % 3));
        REQUIRE(read);
        REQUIRE(read->value == std::to_string(i));
    }
    const int ranges = fixture.store.ranges;
    CHECK(fixture.seen.range("user/").entries.size() == 3);
    CHECK(fixture.seen.range("user/", 0, 2).entries.size() == 2);
    CHECK(fixture.store.ranges == ranges);
    fixture.store.remove("user/1");
    CHECK(!fixture.seen.get("user/1"));
}

TEST_CASE("within one moment the store is asked once, and own writes are seen nevertheless") {
    Fixture fixture;
    fixture.store.put("user/x", "1");
    {
        const MetaMoment moment;
        CHECK(fixture.seen.get("user/x")->value == "1");
        fixture.store.isAway = true;
        CHECK(fixture.seen.get("user/x")->value == "1");
        CHECK(fixture.seen.range("user/").entries.size() == 1);
        fixture.store.isAway = false;
        REQUIRE(fixture.seen.transact({}, {{"user/x", "2", 0}}).done);
        fixture.store.isAway = true;
        CHECK(fixture.seen.get("user/x")->value == "2");
    }
    CHECK_THROWS_AS(fixture.seen.get("user/x"), SystemError);
}

TEST_CASE("old revisions, places and records of transactions are read from the store itself") {
    Fixture fixture;
    const uint64_t first = fixture.store.put("user/x", "1");
    fixture.store.put("user/x", "2");
    fixture.store.put("place/dfs://X\n/1", "a\n0");
    CHECK(fixture.seen.get("user/x", first)->value == "1");
    CHECK(fixture.seen.range("user/", first).entries.at(0).value == "1");
    CHECK(fixture.seen.range("place/").entries.size() == 1);
    CHECK(fixture.seen.get("place/dfs://X\n/1"));
}

TEST_CASE("a write that is refused leaves the map as new as the store, so that the caller reads why") {
    Fixture fixture;
    fixture.store.put("user/x", "1");
    CHECK(!fixture.seen.transact({{"user/x", 0}}, {{"user/x", "2", 0}}).done);
    CHECK(fixture.map.entry("user/x")->value == "1");
}
