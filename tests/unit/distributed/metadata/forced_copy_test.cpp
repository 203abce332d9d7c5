#include "distributed/metadata/forced_copy.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "common/error.h"
#include "tests/support/stopped_node.h"

using namespace pelorus;

TEST_CASE("what a lost folder had alone keeps its node from starting, and nothing changes, until people decide") {
    const StoppedNode cluster(true);
    std::filesystem::remove_all(cluster.data);
    const uint64_t before = ClusterConfig::read(*cluster.store).revision;
    CHECK_THROWS_WITH(cluster.join(), Catch::Contains("No other node keeps") && Catch::Contains("dfs://X/2"));
    CHECK(ClusterConfig::read(*cluster.store).revision == before);
    {
        const auto storage = LocalStorage::open(cluster.data);
        CHECK_THAT(forceFolder(*storage, *cluster.store, "a"), Catch::Contains("is lost"));
    }
    cluster.join();
    CHECK_FALSE(cluster.node("a").isLost);
    CHECK(cluster.node("a").state == NodeState::Out);  // of what it shares b has the rows
}

TEST_CASE("people may say that the copy of a node counts that left before another one") {
    const StoppedNode cluster(false);
    const auto force = [&] {
        const auto storage = LocalStorage::open(cluster.data);
        return forceFolder(*storage, *cluster.store, "a");
    };
    CHECK_THROWS_WITH(force(), Catch::Contains("Nothing is to be decided"));
    cluster.setOut("a");
    CHECK_THROWS_WITH(force(), Catch::Contains("Nothing is to be decided"));
    cluster.setOut("b");
    CHECK_THAT(force(), Catch::Contains("the copy that counts") && Catch::Contains("b"));
    CHECK(cluster.node("a").left > cluster.node("b").left);
    CHECK_THROWS_WITH(force(), Catch::Contains("Nothing is to be decided"));
}

TEST_CASE("a copy is forced in a cluster that knows the node only, and of a store that is not older") {
    const StoppedNode cluster(false);
    cluster.setOut("a");
    cluster.setOut("b");
    const auto force = [&](const std::string& folder, const std::string& alias) {
        const auto storage = LocalStorage::open(folder);
        return forceFolder(*storage, *cluster.store, alias);
    };
    CHECK_THROWS_WITH(force(cluster.data, "nobody"), Catch::Contains("has no node nobody"));
    const uint64_t before = ClusterConfig::read(*cluster.store).revision;
    const auto id = cluster.store->get(kClusterIdKey);
    REQUIRE(id);
    cluster.store->transact({}, {{kClusterIdKey, std::nullopt, 0}});
    CHECK_THROWS_WITH(force(cluster.data, "a"), Catch::Contains("not of one cluster"));
    cluster.store->transact({}, {{kClusterIdKey, id->value, 0}});
    CHECK(ClusterConfig::read(*cluster.store).revision == before);
    CHECK_THAT(force(cluster.data, "a"), Catch::Contains("the copy that counts"));
}
