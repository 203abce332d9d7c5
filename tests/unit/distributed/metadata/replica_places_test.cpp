#include "distributed/metadata/replica_places.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "distributed/metadata/cluster_map.h"
#include "storage/catalog/catalog.h"
#include "tests/support/clocked_store.h"

using namespace pelorus;

namespace {

// A cluster of a and b, in sync, and c, which is out.
struct Places {
    Places() {
        ClusterConfig config;
        for (const std::string alias : {"a", "b", "c"}) config.started(alias, alias + "/1");
        ClusterConfig::enter(*config.find("c"), NodeState::Out);
        config.write(store);
        store.put(placeKey("dfs://X", "/1"), "a,c\n0");
        store.put(placeKey("dfs://X", "/2"), "a,b\n1");
        map.await(map.currentRevision(), std::chrono::seconds(5));
    }
    PlacedChunk place(const std::string& path) { return map.chunk("dfs://X", path).value(); }

    testing::ClockedStore store;
    ClusterMap map{store, [](const ClusterMoment&) {}};
};

}  // namespace

TEST_CASE("a learner that is promoted takes the place of the replica that it replaces") {
    PlacedChunk place;
    place.replicas = {"a", "b"};
    place.learners = {{"c", true, "a"}, {"d", true, ""}, {"e", true, "x"}};
    promote(place, "c");
    CHECK(place.replicas == std::vector<std::string>{"b", "c"});
    CHECK(place.left == std::vector<std::string>{"a"});
    promote(place, "d");
    // A replica that went meanwhile is not told to go again.
    promote(place, "e");
    CHECK(place.replicas == std::vector<std::string>{"b", "c", "d", "e"});
    CHECK(place.left == std::vector<std::string>{"a"});
    CHECK(place.learners.empty());
}

TEST_CASE("a learner is named in the place as it was read, or not at all") {
    Places places;
    const PlacedChunk before = places.place("/2");
    REQUIRE(nameLearner(places.store, places.map, "dfs://X", {before}, "c", "b"));
    const PlacedChunk named = places.place("/2");
    REQUIRE(named.learner("c"));
    CHECK(!named.learner("c")->isJoining);
    CHECK(named.learner("c")->replaces == "b");
    // What is prepared by the older place is not decided: `config` is another one, too.
    CHECK(places.map.config()->revision == named.revision);
    CHECK(!nameLearner(places.store, places.map, "dfs://X", {before}, "d", ""));
    CHECK(!places.place("/2").learner("d"));
}

TEST_CASE("a replica goes where another one in sync stays, and the last one never") {
    Places places;
    REQUIRE(removeReplica(places.store, places.map, "dfs://X", {places.place("/2")}, "a"));
    CHECK(places.place("/2").replicas == std::vector<std::string>{"b"});
    CHECK(places.place("/2").left == std::vector<std::string>{"a"});
    try {
        removeReplica(places.store, places.map, "dfs://X", {places.place("/2"), places.place("/1")}, "a");
        FAIL("the last copy in sync is gone");
    } catch (const UserError& error) {
        CHECK(std::string(error.what()) ==
              "No node that is in sync would keep a copy of the partition /1 of dfs://X any more.");
        CHECK(error.hint() == "Add one on another node first, with copyReplicas.");
    }
    CHECK(places.place("/1").replicas == std::vector<std::string>{"a", "c"});
}

TEST_CASE("more places than one transaction takes are changed all") {
    Places places;
    std::vector<PlacedChunk> many;
    for (int i = 0; i < 130; ++i) {
        PlacedChunk& place = many.emplace_back();
        place.path = "/new" + std::to_string(i);
        place.index = {10 + i};
        place.replicas = {"b"};
    }
    CHECK(changePlaces(places.store, places.map, "dfs://X", many, *places.map.config()));
    CHECK(places.map.chunks("dfs://X")->size() == 132);
    // By now they have another revision than 0, that of places that are not there.
    CHECK(!changePlaces(places.store, places.map, "dfs://X", many, *places.map.config()));
}

TEST_CASE("a dimension table has the partition without a position, and no other") {
    TableEntry table, dimension;
    table.partitionColumns = {"date"};
    PlacedChunk placed, whole;
    placed.index = {3};
    CHECK(isPartitionOf(table, placed));
    CHECK(!isPartitionOf(table, whole));
    CHECK(isPartitionOf(dimension, whole));
    CHECK(!isPartitionOf(dimension, placed));
}
