#include "distributed/transaction/prepared_transactions.h"

#include <catch2/catch.hpp>

#include "storage/commit/commit_path.h"
#include "storage/commit/prepared_commits.h"
#include "tests/support/cluster_nodes.h"

using namespace pelorus;

namespace {

// A node with a table whose partitions it keeps alone.
struct NodeWithTable {
    explicit NodeWithTable(testing::EtcdFixture& etcd)
        : node(etcd, "a", folder.path()), placement(*node.cluster, *node.store, node.participant->map(), 1) {
        table = makeTable(*node.store);
    }
    PlacedBatch batch(std::vector<int32_t> numbers) {
        return batchOf(placement, table, {chunk("/1", std::move(numbers))});
    }
    PreparedTransactions& transactions() { return node.participant->transactions(); }

    TemporaryFolder folder;
    BareNode node;
    Placement placement;
    TableEntry table;
};

}  // namespace

TEST_CASE("a batch for this node alone is committed at once") {
    testing::EtcdFixture etcd;
    NodeWithTable a(etcd);
    CHECK(a.transactions().commit(a.batch({1, 2})) == CommitResult::Done);
    CHECK(a.node.rowCount() == 2);
}

TEST_CASE("a batch that is bound by another entry of its table is neither committed nor prepared") {
    testing::EtcdFixture etcd;
    NodeWithTable a(etcd);
    PlacedBatch old = a.batch({1});
    for (auto& [table, entry] : old.tables) --entry.revision;
    CHECK(a.transactions().commit(old) == CommitResult::TableChanged);
    const uint64_t config = a.node.participant->map().config()->revision;
    CHECK(a.transactions().prepare("x/1", {"a"}, config, old, false) == CommitResult::TableChanged);
    old.tables.clear();
    CHECK(a.transactions().commit(old) == CommitResult::TableChanged);
    CHECK(a.node.rowCount() == 0);
    CHECK(a.node.storage->prepared().openTransactions().empty());
}

TEST_CASE("rows to be replaced that were seen by a query which is not open are read anew") {
    testing::EtcdFixture etcd;
    NodeWithTable a(etcd);
    PlacedBatch change = a.batch({1});
    change.chunks[0].replaces = ChunkRows::Replaces::Seen;
    change.query = 77;
    const uint64_t config = a.node.participant->map().config()->revision;
    CHECK(a.transactions().prepare("x/1", {"a"}, config, change, false) == CommitResult::RowsMoved);
    CHECK_THROWS_AS(a.transactions().commit(change), SystemError);
}

TEST_CASE("a transaction is open from its begin to its end, as long as the node reaches the store") {
    testing::EtcdFixture etcd;
    NodeWithTable a(etcd);
    a.transactions().begin("a/1");
    CHECK(a.transactions().isOpen("a/1"));
    CHECK_FALSE(a.transactions().isOpen("a/2"));
    CHECK(a.transactions().open() == std::set<std::string>{"a/1"});
    a.transactions().end("a/1");
    CHECK_FALSE(a.transactions().isOpen("a/1"));
}

TEST_CASE("what was prepared and forgotten leaves neither rows nor locks") {
    testing::EtcdFixture etcd;
    NodeWithTable a(etcd);
    const uint64_t config = a.node.participant->map().config()->revision;
    const std::string name = a.node.cluster->incarnation() + "/9";
    a.transactions().begin(name);
    REQUIRE(a.transactions().prepare(name, {"a", "b"}, config, a.batch({1, 2}), false) == CommitResult::Done);
    a.transactions().forget(name);
    CHECK(a.node.storage->prepared().openTransactions().empty());
    CHECK(a.transactions().commit(a.batch({3})) == CommitResult::Done);
    CHECK(a.node.rowCount() == 1);
}
