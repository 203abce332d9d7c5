// A node that has run and is down, for tests of what its folder and the metadata store know of each other.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/cluster_keys.h"
#include "storage/commit/commit_path.h"
#include "tests/support/cluster_nodes.h"

namespace pelorus {

// A cluster of a and b, of which a has run and is down: one partition on both, and with `isAlone` one on a alone.
struct StoppedNode {
    explicit StoppedNode(bool isAlone) : store(etcd.open()), data(folder.path() + "/a") {
        {
            const auto storage = LocalStorage::open(data);
            joinCluster(*storage, *store, "etcd", "a");
            makeTable(*store);
            Cluster cluster(*store, ClusterMember{"a", "127.0.0.1", 1}, "key");
            const Participant participant(storage, cluster);
            storage->commits().append({chunk("/1", {1, 2})});
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

}  // namespace pelorus
