// Tests transactions over two nodes, each with a separate storage in this process, decided in a real etcd.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/table/cluster_database_service.h"
#include "distributed/transaction/prepared_transactions.h"
#include "distributed/transaction/snapshot_pins.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/prepared_commits.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/maintenance.h"
#include "storage/log/stamp.h"
#include "storage/version/version_set.h"
#include "tests/support/cluster_nodes.h"
#include "tests/support/faulty_file_system.h"

using namespace pelorus;

namespace {

std::set<std::string> openOn(const BareNode& node) {
    std::set<std::string> names;
    for (const auto& open : node.storage->prepared().openTransactions()) names.insert(open.name);
    return names;
}

ClusterConfig configOf(std::vector<NodeConfig> nodes) {
    ClusterConfig config;
    config.revision = 9;
    config.nodes = std::move(nodes);
    return config;
}

}  // namespace

// The record decides; an abandoned transaction is ended by those who look for it.
TEST_CASE("a transaction whose coordinator died before it decided is aborted on all nodes") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path()), b(etcd, "b", folder.path());
    std::string transaction;
    {
        BareNode coordinator(etcd, "c", folder.path());
        transaction = coordinator.cluster->incarnation() + "/1";
        a.storage->prepared().prepare(transaction, {"a", "b"}, {chunk("/1", {1, 2})});
        b.storage->prepared().prepare(transaction, {"a", "b"}, {chunk("/2", {3})});
        REQUIRE(openOn(a).count(transaction) == 1);
        CHECK(a.storage->prepared().openTransactions()[0].chunks == 1);
        // Others append to its chunks meanwhile.
        a.storage->commits().append({chunk("/1", {8})});
        CHECK(a.rowCount() == 1);
    }
    CHECK(eventually([&] { return openOn(a).empty() && openOn(b).empty(); }));
    CHECK(a.rowCount() == 1);
    CHECK(b.rowCount() == 0);
    a.storage->commits().append({chunk("/1", {7})});
    CHECK(a.rowCount() == 2);
}

TEST_CASE("a transaction that was decided while a node was away is there when it comes back, at its revision") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    std::string transaction;
    uint64_t revision = 0;
    {
        BareNode b(etcd, "b", folder.path());
        BareNode coordinator(etcd, "c", folder.path());
        transaction = coordinator.cluster->incarnation() + "/1";
        b.storage->prepared().prepare(transaction, {"b"}, {chunk("/2", {3, 4, 5})});
        b.participant.reset();
        const TransactionRecord record{transaction, true, 0, {"b"}, 0};
        const auto store = etcd.open();
        const MetaOutcome decided =
            store->transact({{decisionKey(transaction), 0}}, {{decisionKey(transaction), record.encode(), 0}});
        REQUIRE(decided.done);
        revision = decided.revision;
        CHECK(openOn(b).count(transaction) == 1);
    }
    BareNode b(etcd, "b", folder.path());
    CHECK(openOn(b).empty());
    CHECK(b.rowCount() == 3);
    VersionSet& versions = b.storage->versions();
    const VersionSet::Pin pin(versions, 0);
    const uint64_t id = versions.find(1, "/2");
    CHECK(versions.version(id, pin.number())->since == stamp::ofDecision(revision, stamp::kFirstBase, 0));
}

TEST_CASE("rows for one node alone are its own commit, and a query from then on sees them") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    SyncStates syncStates(*a.cluster, *a.participant);
    Coordinator coordinator(*a.cluster, *a.participant, syncStates);
    Placement placement(*a.cluster, *a.store, a.participant->map(), 1);
    const TableEntry table = makeTable(*a.store);
    const PlacedBatch first = batchOf(placement, table, {chunk("/1", {1}), chunk("/2", {2})});
    const uint64_t before = a.participant->map().currentRevision();
    REQUIRE(coordinator.append(first) == CommitResult::Done);
    CHECK(a.rowCount() == 2);
    CHECK(a.participant->map().currentRevision() == before);
    ClusterQuery query(*a.cluster, *a.participant);
    CHECK(query.here() == a.storage->versions().visible());
    // A later commit has a larger number, though the store's revision is the same.
    REQUIRE(coordinator.append(batchOf(placement, table, {chunk("/1", {3})})) == CommitResult::Done);
    CHECK(a.storage->versions().visible() > query.here());
    CHECK(a.storage->versions().visible() <= stamp::lastSeenAt(before, stamp::kFirstBase));
}

TEST_CASE("a query's snapshot stays what it is while others commit and rows move to the disk") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    a.storage->commits().append({chunk("/1", {1})});
    const ClusterQuery query(*a.cluster, *a.participant);
    a.storage->commits().append({chunk("/1", {2})});
    a.storage->maintenance().flush();
    const VersionSet& versions = a.storage->versions();
    CHECK(versions.version(versions.find(1, "/1"), query.here())->rowCount == 1);
    CHECK(a.participant->pins().snapshot(query.number()) == query.here());
    CHECK_THROWS_AS(a.participant->pins().snapshot(query.number() + 1), SystemError);
}

TEST_CASE("all replicas that are not out prepare a transaction, one in sync at least") {
    const ClusterConfig config = configOf({{"a", 1, "a/1", NodeState::In, 2, {}},
                                           {"b", 2, "b/1", NodeState::Out, 5, 5},
                                           {"c", 3, "c/1", NodeState::Joining, 6, 4}});
    CHECK(nodesToPrepare({{"a", "b"}}, {}, config) == std::set<std::string>{"a"});
    CHECK(nodesToPrepare({{"c", "a"}}, {}, config) == std::set<std::string>{"a", "c"});
    // Nobody else could have changed a chunk that one node alone keeps.
    CHECK(nodesToPrepare({{"b"}}, {}, config) == std::set<std::string>{"b"});
    CHECK_THROWS_AS(nodesToPrepare({{"b", "c"}}, {}, config), SystemError);
    // Nodes that join as new replicas prepare, too, unless they are out.
    CHECK(nodesToPrepare({{"a"}}, {"b", "c"}, config) == std::set<std::string>{"a", "c"});
}

// Returns the next step of an attempt over these replicas, at a later configuration, when these nodes have prepared.
static Attempt::Kind nextAt(const ClusterConfig& now, const Replicas& replicas, const std::set<std::string>& prepared,
                            const ClusterConfig& before) {
    Attempt attempt("a/1/000000000001", replicas, {}, std::make_shared<const ClusterConfig>(before), "a/1");
    for (const std::string& alias : prepared) attempt.answered(alias, CommitResult::Done);
    return attempt.next(std::make_shared<const ClusterConfig>(now)).kind;
}

TEST_CASE("what was prepared is decided later only by nodes whose states are the same") {
    const ClusterConfig before =
        configOf({{"a", 1, "a/1", NodeState::In, 2, {}}, {"b", 2, "b/1", NodeState::In, 2, {}}});
    const Replicas replicas{{"a", "b"}};
    ClusterConfig left = before, returned = before, joins = before, fenced = before;
    left.nodes[1] = {"b", 2, "b/1", NodeState::Out, 7, 7};
    returned.nodes[1] = {"b", 2, "b/1", NodeState::In, 8, 7};
    joins.nodes.push_back({"c", 3, "c/1", NodeState::Joining, 8, 3});
    fenced.nodes[0].incarnation = "a/2";
    using Kind = Attempt::Kind;
    CHECK(nextAt(before, replicas, {"a", "b"}, before) == Kind::Decide);
    CHECK(nextAt(before, replicas, {"a"}, before) == Kind::Wait);
    CHECK(nextAt(left, replicas, {"a"}, before) == Kind::Decide);
    CHECK(nextAt(left, replicas, {"b"}, before) == Kind::Wait);
    CHECK(nextAt(returned, replicas, {"a", "b"}, before) == Kind::End);
    CHECK(nextAt(joins, replicas, {"a", "b"}, before) == Kind::Decide);
    CHECK(nextAt(fenced, replicas, {"a", "b"}, before) == Kind::End);
    // A replica that was out and joins now must prepare, too.
    ClusterConfig out = before;
    out.nodes.push_back({"c", 3, "c/1", NodeState::Out, 3, 3});
    CHECK(nextAt(joins, {{"a", "c"}}, {"a"}, out) == Kind::End);
}

TEST_CASE("an attempt batch out who is lost where others have prepared, and is refused where none can have") {
    const auto config = std::make_shared<const ClusterConfig>(
        configOf({{"a", 1, "a/1", NodeState::In, 2, {}}, {"b", 2, "b/1", NodeState::In, 2, {}}}));
    Attempt shared("a/1/000000000001", {{"a", "b"}}, {}, config, "a/1");
    shared.lost("b", "silent");
    CHECK(shared.next(config).kind == Attempt::Kind::Wait);  // until a has prepared
    shared.answered("a", CommitResult::Done);
    const Attempt::Step step = shared.next(config);
    CHECK(step.kind == Attempt::Kind::WriteOut);
    CHECK(step.alias == "b");
    shared.wroteOut("b", false);
    shared.lost("b", "silent");
    CHECK(shared.next(config).kind == Attempt::Kind::End);
    CHECK(shared.result() == CommitResult::Refused);
    Attempt alone("a/1/000000000002", {{"a"}, {"b"}}, {}, config, "a/1");
    alone.answered("a", CommitResult::Done);
    alone.lost("b", "silent");
    CHECK(alone.next(config).kind == Attempt::Kind::End);
    CHECK(alone.result() == CommitResult::Refused);
}

TEST_CASE("once it was sent for decision only the record ends an attempt") {
    const ClusterConfig before =
        configOf({{"a", 1, "a/1", NodeState::In, 2, {}}, {"b", 2, "b/1", NodeState::In, 2, {}}});
    const auto config = std::make_shared<const ClusterConfig>(before);
    Attempt attempt("a/1/000000000001", {{"a", "b"}}, {}, config, "a/1");
    attempt.answered("a", CommitResult::Done);
    attempt.answered("b", CommitResult::Done);
    REQUIRE(attempt.next(config).kind == Attempt::Kind::Decide);
    attempt.decided(Decision::Refused);
    CHECK(attempt.next(config).kind == Attempt::Kind::Wait);  // that configuration is known to be old
    ClusterConfig returned = before;
    returned.revision = 12;
    returned.nodes[1].since = 11;
    CHECK(attempt.next(std::make_shared<const ClusterConfig>(returned)).kind == Attempt::Kind::Abort);
    attempt.decided(Decision::Committed);  // the decision had come first
    CHECK(attempt.result() == CommitResult::Done);
    Attempt unknown("a/1/000000000002", {{"a", "b"}}, {}, config, "a/1");
    for (const char* alias : {"a", "b"}) unknown.answered(alias, CommitResult::Done);
    REQUIRE(unknown.next(config).kind == Attempt::Kind::Decide);
    unknown.giveUp();
    CHECK(unknown.result() == CommitResult::Unknown);
}

TEST_CASE("a state's revision is that of the write that entered it") {
    testing::EtcdFixture etcd;
    const auto store = etcd.open();
    ClusterConfig config = ClusterConfig::read(*store);
    config.started("a", "a/1");
    REQUIRE(config.write(*store));
    CHECK_FALSE(config.write(*store));  // it was made from an older one
    config = ClusterConfig::read(*store);
    CHECK(config.isIn("a"));
    CHECK(config.nodes[0].since == config.revision);
    CHECK_FALSE(config.nodes[0].left.has_value());
    ClusterConfig::enter(config.nodes[0], NodeState::Out);
    REQUIRE(config.write(*store));
    config = ClusterConfig::read(*store);
    CHECK(config.nodes[0].left == config.revision);
    config.started("b", "b/1");
    REQUIRE(config.write(*store));
    const uint64_t left = *config.nodes[0].left;
    config = ClusterConfig::read(*store);
    CHECK(config.nodes[0].left == left);
    CHECK(config.nodes[1].number == 2);
}

TEST_CASE("chunks are placed in balance, together with their siblings, and agreed on by all nodes") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path()), b(etcd, "b", folder.path());
    REQUIRE(eventually([&] { return a.cluster->isAlive("b") && b.cluster->isAlive("a"); }));
    Placement onA(*a.cluster, *a.store, a.participant->map(), 1), onB(*b.cluster, *b.store, b.participant->map(), 1);
    onA.refresh();
    onB.refresh();
    const TableEntry first = makeTable(*a.store, "first"), second = makeTable(*a.store, "second");
    onB.refresh();
    std::vector<ChunkRows> chunks;
    for (int i = 0; i < 10; ++i) {
        chunks.push_back(chunk("/" + std::to_string(i), {}));
        chunks.back().index = {9 - i};
    }
    const auto replicasOf = [&](Placement& placement, const TableEntry& table) {
        Replicas replicas;
        const auto places = placement.placesOf(table, chunks).value();
        for (const PlacedChunk& place : places) replicas.push_back(place.replicas);
        return replicas;
    };
    Replicas nodesA, nodesB;
    std::thread other([&] { nodesB = replicasOf(onB, first); });
    nodesA = replicasOf(onA, first);
    other.join();
    CHECK(nodesA == nodesB);
    CHECK(std::count(nodesA.begin(), nodesA.end(), std::vector<std::string>{"a"}) == 5);
    CHECK(replicasOf(onB, second) == nodesA);

    const auto listed = [&] { return b.participant->map().chunks("dfs://X"); };
    const PlacedChunks list = listed();
    REQUIRE(list->size() == 10);
    CHECK((*list)[0].path == "/9");  // in the order of the scheme
    CHECK(listed() == list);         // unchanged: not made again
    // A table that was dropped gets no places, and with its database they go.
    Catalog catalog(*a.store, placesOf);
    catalog.dropTable("dfs://X", "first");
    onB.refresh();
    chunks.push_back(chunk("/new", {}));
    CHECK_FALSE(onB.placesOf(first, chunks));
    catalog.dropDatabase("dfs://X");
    onB.refresh();
    CHECK(listed()->empty());
}

TEST_CASE("two copies of a partition lie on two nodes, and on all where there are fewer") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    const TableEntry table = makeTable(*a.store);
    const std::vector<ChunkRows> first{chunk("/1", {})}, second{chunk("/2", {}), chunk("/3", {})};
    {
        Placement alone(*a.cluster, *a.store, a.participant->map(), 2);
        CHECK(alone.placesOf(table, first).value()[0].replicas == std::vector<std::string>{"a"});
    }
    BareNode b(etcd, "b", folder.path());
    REQUIRE(eventually([&] { return a.cluster->isAlive("b"); }));
    Placement both(*a.cluster, *a.store, a.participant->map(), 2);
    both.refresh();
    const auto places = both.placesOf(table, second).value();
    for (const PlacedChunk& place : places) CHECK(place.replicas.size() == 2);
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

TEST_CASE("a node whose disk refuses leaves, when another one has its chunks") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode b(etcd, "b", folder.path());
    FaultyFileSystem files;
    StorageOptions options;
    options.maintenance = false;
    const auto storage = LocalStorage::open("a", files, options);
    const auto store = etcd.open();
    Cluster cluster(*store, ClusterMember{"a", "127.0.0.1", 1}, "key");
    Participant a(storage, cluster);
    const auto stateOfA = [&] { return ClusterConfig::read(*store).find("a")->state; };
    const bool isShared = GENERATE(true, false);
    const TableEntry table = makeTable(*store);
    PlacedChunk place{"/1", {0}, {"a"}, {}, {}, {}, 0, {}};
    if (isShared) place.replicas.push_back("b");
    const MetaOutcome placed = store->transact({}, {{placeKey("dfs://X", "/1"), encodePlace(place), 0}});
    a.map().await(placed.revision, std::chrono::seconds(5));
    PlacedBatch first;
    first.chunks = {chunk("/1", {1})};
    first.tables[table.id] = isUnchanged(table);
    const std::string name = cluster.incarnation() + "/1";
    CHECK(a.transactions().prepare(name, {"a", "b"}, a.map().config()->revision, first, false) == CommitResult::Done);
    a.transactions().forget(name);
    CHECK(stateOfA() == NodeState::In);
    files.failSyncs(true);
    CHECK_THROWS_AS(a.transactions().prepare(name, {"a", "b"}, a.map().config()->revision, first, false), SystemError);
    CHECK(stateOfA() == (isShared ? NodeState::Out : NodeState::In));
}

TEST_CASE("a node that does not wait for its disk is out of sync after its machine was restarted") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    const auto store = etcd.open();
    StorageOptions options;
    options.dataSync = GENERATE(true, false);
    for (const bool isRestarted : {false, true}) {
        const auto storage = LocalStorage::open(folder.path() + "/a", FileSystem::posix(), options);
        if (isRestarted) std::ofstream(folder.path() + "/a/BOOT") << "another\n";
        Cluster cluster(*store, ClusterMember{"a", "127.0.0.1", 1}, "key");
        const Participant a(storage, cluster);
        const NodeState expected = isRestarted && !options.dataSync ? NodeState::Out : NodeState::In;
        CHECK(ClusterConfig::read(*store).find("a")->state == expected);
    }
}
