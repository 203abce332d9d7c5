// Folders that lack what their node had: what others keep, too, is copied; what nobody else has keeps the node down.
#include "distributed/metadata/cluster_identity.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "common/error.h"
#include "distributed/metadata/cluster_keys.h"
#include "distributed/metadata/folder_standing.h"
#include "tests/support/cluster_nodes.h"

using namespace pelorus;

namespace {

// A cluster of a and b, of which a has run and is down: one partition on both, and with `isAlone` one on a alone.
struct StoppedNode {
    explicit StoppedNode(bool isAlone) : store(etcd.open()), data(folder.path() + "/a") {
        {
            const auto storage = LocalStorage::open(data);
            joinCluster(*storage, *store, "etcd", "a");
            makeTable(*store);
            Cluster cluster(*store, ClusterMember{"a", "127.0.0.1", 1}, "key");
            const Participant participant(storage, cluster);
            storage->append({chunk("/1", {1, 2})});
        }
        ClusterConfig config = ClusterConfig::read(*store);
        config.started("b", "b/1");
        REQUIRE(config.write(*store, {placeOf("/1", {"a", "b"})}));
        if (isAlone) store->transact({}, {placeOf("/2", {"a"})});
    }
    static MetaWrite placeOf(const std::string& path, std::vector<std::string> replicas) {
        return {placeKey("dfs://X", path), encodePlace({path, {0}, std::move(replicas), {}, {}, {}, 0, {}}), 0};
    }
    void join() const {
        const auto storage = LocalStorage::open(data);
        joinCluster(*storage, *store, "etcd", "a");
    }
    NodeConfig node(const std::string& alias) const { return *ClusterConfig::read(*store).find(alias); }
    void setOut(const std::string& alias) const {
        ClusterConfig config = ClusterConfig::read(*store);
        for (NodeConfig& known : config.nodes) {
            if (known.alias == alias) ClusterConfig::enter(known, NodeState::Out);
        }
        REQUIRE(config.write(*store));
    }

    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    std::unique_ptr<MetaStore> store;
    const std::string data;
};

}  // namespace

TEST_CASE("a node whose folder is new, lost its log, or is another one is out of sync, until the old one is back") {
    const StoppedNode cluster(false);
    std::filesystem::copy(cluster.data, cluster.data + ".kept", std::filesystem::copy_options::recursive);
    SECTION("new") {
        std::filesystem::remove_all(cluster.data);
    }
    SECTION("without its log") {
        std::filesystem::remove_all(cluster.data + "/wal");
        std::filesystem::remove(cluster.data + "/BEGUN");  // as the folders of older versions
    }
    SECTION("without its identity") {
        std::filesystem::remove(cluster.data + "/CLUSTER");
    }
    for (int start = 0; start < 2; ++start) {
        cluster.join();
        CHECK(cluster.node("a").state == NodeState::Out);
        CHECK(cluster.node("a").isLost);
    }
    std::filesystem::remove_all(cluster.data);
    std::filesystem::rename(cluster.data + ".kept", cluster.data);
    cluster.join();
    CHECK_FALSE(cluster.node("a").isLost);
}

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

TEST_CASE("the folder of another node is refused, not taken for one that was lost") {
    const StoppedNode cluster(false);
    const std::string other = cluster.folder.path() + "/b";
    {
        const auto storage = LocalStorage::open(other);
        joinCluster(*storage, *cluster.store, "etcd", "b");
        noteFolder(*storage, *cluster.store, "b");
    }
    const auto storage = LocalStorage::open(other);
    CHECK_THROWS_WITH(joinCluster(*storage, *cluster.store, "etcd", "a"), Catch::Contains("is that of the node b"));
}

TEST_CASE("a store that was set back and has gone on from there is older than the folder's note") {
    const StoppedNode cluster(false);
    cluster.join();
    const auto kept = cluster.store->get(keptKey("a"));
    REQUIRE(kept);
    // The note is gone, and the revision is larger than the folder has seen.
    cluster.store->transact({}, {{keptKey("a"), std::nullopt, 0}});
    for (int i = 0; i < 5; ++i) cluster.store->transact({}, {{"other", std::to_string(i), 0}});
    CHECK_THROWS_WITH(cluster.join(), Catch::Contains("went back in time"));
    cluster.store->transact({}, {{keptKey("a"), kept->value, 0}});
    cluster.join();
}
