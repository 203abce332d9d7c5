// Folders that lack what their node had: what others keep, too, is copied; what nobody else has keeps the node down.
#include "distributed/metadata/cluster_identity.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "common/error.h"
#include "distributed/metadata/folder_standing.h"
#include "storage/folder/quarantine.h"
#include "storage/stream/stream_files.h"
#include "tests/support/stopped_node.h"

using namespace pelorus;

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

TEST_CASE("a node keeps its stream tables when it joins a cluster, starts again, or is given to one") {
    const StoppedNode cluster(false);
    const std::string data = cluster.folder.path() + "/streams";
    const TableSchema columns = {{"x", Type::Long}};
    const auto rows = [] {
        return makeRef<MemoryTable>(std::vector<std::string>{"x"},
                                    std::vector<Value>{Value::of(Vector::of(Type::Long, std::vector<int64_t>{1, 2}))});
    };
    {
        LocalStreamFolder folder(LocalStorage::open(data));
        folder.make("ticks", columns, "ann", 0)->append(rows(), {2}, StreamSync::AsSet);
        folder.setPosition("ticks/a", {1, "ann"});
    }
    const auto requireKept = [&](const std::shared_ptr<LocalStorage>& storage) {
        CHECK(quarantined(*storage, FileSystem::posix()).empty());
        const LocalStreamFolder folder(storage);
        CHECK(folder.find("ticks")->read(0, 10).rows->rowCount() == 2);
        CHECK(folder.position("ticks/a")->row == 1);
    };
    for (int start = 0; start < 2; ++start) {
        const auto storage = LocalStorage::open(data);
        joinCluster(*storage, *cluster.store, "etcd", "b");
        noteFolder(*storage, *cluster.store, "b");
        requireKept(storage);
    }
    const auto storage = LocalStorage::open(data);
    adoptFolder(*storage, *cluster.store, "b", "etcd");
    requireKept(storage);
}
