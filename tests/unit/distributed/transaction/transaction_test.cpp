// Transactions over two nodes, each a storage of its own in this process, decided in a real etcd.
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/table/cluster_database_service.h"
#include "tests/support/cluster_nodes.h"

using namespace pelorus;

// TXN-02, TXN-09: the commit record decides; an abandoned transaction is resolved by those who look for it.
TEST_CASE("a transaction whose coordinator died before it decided is aborted on all nodes") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path()), b(etcd, "b", folder.path());
    std::string transaction;
    {
        BareNode coordinator(etcd, "c", folder.path());
        transaction = coordinator.cluster->incarnation() + "/1";
        REQUIRE(eventually([&] { return a.cluster->lives(coordinator.cluster->incarnation()); }));
        a.storage->prepare(transaction, {chunk("/1", {1, 2})});
        b.storage->prepare(transaction, {chunk("/2", {3})});
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        // It lives, so nobody decides for it.
        CHECK(a.storage->undecided().size() == 1);
        REQUIRE(a.storage->openTransactions().size() == 1);
        CHECK(a.storage->openTransactions()[0].second == 1);
    }
    CHECK(eventually([&] { return a.storage->undecided().empty() && b.storage->undecided().empty(); }));
    CHECK(a.rowCount() == 0);
    CHECK(b.rowCount() == 0);
    CHECK(a.store->get(decisionKey(transaction))->value == kAbortRecord);
    // Its chunks take rows again.
    a.storage->append({chunk("/1", {7})});
    CHECK(a.rowCount() == 1);
}

TEST_CASE("a transaction whose coordinator died after it decided is committed on all nodes, also after a crash") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    std::string transaction;
    uint64_t at = 0;
    {
        // b prepares and goes away before it hears of the decision.
        BareNode b(etcd, "b", folder.path());
        {
            BareNode coordinator(etcd, "c", folder.path());
            transaction = coordinator.cluster->incarnation() + "/1";
            at = b.storage->prepare(transaction, {chunk("/2", {3, 4, 5})});
            REQUIRE(
                coordinator.store
                    ->transact({{decisionKey(transaction), 0}}, {{decisionKey(transaction), commitRecord(at + 10), 0}})
                    .done);
            b.participant.reset();
        }
        CHECK(b.storage->undecided().size() == 1);
    }
    BareNode b(etcd, "b", folder.path());
    CHECK(eventually([&] { return b.storage->undecided().empty(); }));
    CHECK(b.rowCount() == 3);
    // Visible from the number that all nodes agreed on, and not before.
    VersionSet& versions = b.storage->versions();
    const VersionSet::Pin pin(versions, 0);
    CHECK(pin.number() >= at + 10);
}

TEST_CASE("a snapshot waits for what is prepared below its number and sees all of it or nothing") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path()), b(etcd, "b", folder.path());
    const std::string transaction = a.cluster->incarnation() + "/1";
    const VersionSet::Pin early(a.storage->versions(), 0);
    for (int i = 0; i < 5; ++i) b.storage->append({chunk("/9", {i})});  // b's numbers run ahead
    const VersionSet::Pin earlyB(b.storage->versions(), 0);
    uint64_t at = a.storage->prepare(transaction, {chunk("/1", {1})});
    at = std::max(at, b.storage->prepare(transaction, {chunk("/2", {2})}));

    std::atomic<bool> served{false};
    std::thread reader([&] {
        a.storage->serve(at);
        served = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK_FALSE(served);
    a.storage->decide(transaction, true, at);
    reader.join();

    const auto seen = [](BareNode& node, const std::string& path, uint64_t number) {
        const VersionSet& versions = node.storage->versions();
        const ChunkVersionRef version = versions.version(versions.find(1, path), number);
        return version ? version->rowCount : 0;
    };
    for (int i = 0; i < 5; ++i) b.storage->append({chunk("/9", {i})});
    b.storage->decide(transaction, true, at);
    // b decided later, with other records in between: the number is the same.
    CHECK(seen(a, "/1", at) == 1);
    CHECK(seen(b, "/2", at) == 1);
    CHECK(seen(b, "/2", at - 1) == 0);
    CHECK(seen(a, "/1", at - 1) == 0);
}

TEST_CASE("a coordinator that finds its transaction aborted by another does not commit it") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    Coordinator coordinator(*a.cluster, *a.participant);
    // Someone is quicker with the record of the transaction that comes next.
    const std::string next = a.cluster->incarnation() + "/1";
    REQUIRE(a.store->transact({}, {{decisionKey(next), kAbortRecord, 0}}).done);
    // Two parts make it a transaction over nodes; the other node cannot even be reached.
    CHECK_THROWS_AS(coordinator.store({chunk("/1", {1}), chunk("/2", {2})}, {"a", "unknown"}), UserError);
    CHECK(a.rowCount() == 0);
    CHECK(a.storage->undecided().empty());
    // What lies on one node needs no decision.
    coordinator.store({chunk("/1", {1}), chunk("/2", {2})}, {"a", "a"});
    CHECK(a.rowCount() == 2);
}

// PAR-14
TEST_CASE("chunks are placed in balance, together with their siblings, and agreed on by all nodes") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path()), b(etcd, "b", folder.path());
    REQUIRE(eventually([&] { return a.cluster->isAlive("b") && b.cluster->isAlive("a"); }));
    Placement onA(*a.cluster, *a.store), onB(*b.cluster, *b.store);
    TableEntry first, second;
    first.id = 1;
    second.id = 2;
    first.database = second.database = "dfs://X";
    std::vector<ChunkRows> chunks;
    for (int i = 0; i < 10; ++i) {
        chunks.push_back(chunk("/" + std::to_string(i), {}));
        chunks.back().index = {9 - i};
    }
    std::vector<std::string> nodesA, nodesB;
    std::vector<ChunkRows> same = chunks;  // routes are noted in them
    std::thread other([&] { nodesB = onB.nodesOf(first, same); });
    nodesA = onA.nodesOf(first, chunks);
    other.join();
    CHECK(nodesA == nodesB);
    CHECK(std::count(nodesA.begin(), nodesA.end(), "a") == 5);
    CHECK(onB.nodesOf(second, chunks) == nodesA);

    const PlacedChunks list = onB.chunks(1);
    REQUIRE(list->size() == 10);
    CHECK((*list)[0].path == "/9");  // in the order of the scheme
    CHECK(onB.chunks(1) == list);    // unchanged: not read again
    onA.forget(1, {"/3"});
    CHECK(onB.chunks(1)->size() == 9);
    onA.forget(1, {});
    CHECK(onB.chunks(1)->empty());
}

TEST_CASE("a node that leaves is no longer alive, and its alias cannot be taken while it lives") {
    testing::EtcdFixture etcd;
    const auto store = etcd.open();
    Cluster a(*store, {"a", "127.0.0.1", 1}, "key");
    {
        Cluster b(*store, {"b", "127.0.0.1", 2}, "key");
        CHECK(eventually([&] { return a.isAlive("b"); }));
        CHECK(eventually([&] { return a.members().size() == 2; }));
        CHECK_THROWS_WITH(Cluster(*store, {"b", "127.0.0.1", 3}, "key"), Catch::Contains("alias b"));
    }
    CHECK(eventually([&] { return !a.isAlive("b"); }));
    CHECK(a.members().size() == 2);
}
