#include "distributed/transaction/node_maintenance.h"

#include <catch2/catch.hpp>

#include "storage/commit/commit_path.h"
#include "tests/support/cluster_nodes.h"

using namespace pelorus;

TEST_CASE("rows of a dropped table go, and the node confirms the drop only then") {
    testing::EtcdFixture etcd;
    const TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    Catalog catalog(*a.store);
    makeTable(*a.store);
    a.storage->commits().append({chunk("/1", {1, 2, 3})});
    catalog.dropDatabase("dfs://X");
    const uint64_t dropped = a.participant->map().currentRevision();
    const NodeMaintenance& maintenance = a.participant->maintenance();
    REQUIRE(eventually([&] { return maintenance.confirmedRevision() >= dropped; }));
    CHECK(a.rowCount() == 0);
    // The only node has confirmed it: nobody can have rows of the table any more.
    CHECK(eventually([&] { return catalog.tombstones().empty(); }));
}

TEST_CASE("the record of a decision goes when all nodes have installed it, and stays while one has not") {
    testing::EtcdFixture etcd;
    const TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    auto b = std::make_unique<BareNode>(etcd, "b", folder.path());
    const std::string name = b->cluster->incarnation() + "/1";
    const TransactionRecord record{name, true, 0, {"a"}, 0};
    const MetaOutcome decided = a.store->transact({}, {{decisionKey(name), record.encode(), 0}});
    REQUIRE(eventually([&] { return a.participant->maintenance().confirmedRevision() >= decided.revision; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(600));  // more than two rounds
    CHECK(a.store->get(decisionKey(name)).has_value());
    for (BareNode* node : {&a, b.get()}) {
        node->participant->maintenance().noteConfirmed("a", decided.revision);
        node->participant->maintenance().noteConfirmed("b", decided.revision);
    }
    CHECK(eventually([&] { return !a.store->get(decisionKey(name)); }));
}
