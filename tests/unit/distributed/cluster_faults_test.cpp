// Guarantees of a cluster's nodes when tables change, answers are lost, holders vanish and threads run out.
#include <algorithm>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <optional>

#include "common/error.h"
#include "common/thread/thread_start.h"
#include "database/service/folder_identity.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/metadata/chunk_keys.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/guarded_store.h"
#include "distributed/table/cluster_query.h"
#include "distributed/transaction/installer.h"
#include "distributed/transaction/node_maintenance.h"
#include "distributed/transaction/prepared_transactions.h"
#include "distributed/transaction/snapshot_pins.h"
#include "net/http_client.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/maintenance.h"
#include "storage/folder/quarantine.h"
#include "storage/version/version_set.h"
#include "tests/support/address_limit.h"
#include "tests/support/cluster_nodes.h"

using namespace pelorus;

TEST_CASE("rows that are bound by a table's older entry are refused, and stored by its newest") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    Placement placement(*a.cluster, *a.store, a.participant->map(), 1);
    Catalog catalog(*a.store);
    const PlacedBatch old = batchOf(placement, makeTable(*a.store), {chunk("/1", {1, 2})});
    const uint64_t config = a.participant->map().config()->revision;
    REQUIRE(a.participant->transactions().commit(old) == CommitResult::Done);
    SECTION("when the table has changed") {
        TableEntry changed = catalog.table("dfs://X", "t");
        changed.comment = "changed";
        catalog.updateTable(changed);
        changed = catalog.table("dfs://X", "t");
        placement.refresh();
        CHECK(a.participant->transactions().commit(old) == CommitResult::TableChanged);
        CHECK(a.participant->transactions().prepare("t/1", {"a"}, config, old, false) == CommitResult::TableChanged);
        CHECK(a.participant->transactions().commit(batchOf(placement, changed, old.chunks)) == CommitResult::Done);
        CHECK(a.rowCount() == 4);
    }
    SECTION("when the table was dropped, whose rows go") {
        catalog.dropTable("dfs://X", "t");
        placement.refresh();
        CHECK(a.participant->transactions().commit(old) == CommitResult::TableChanged);
        CHECK(eventually([&] { return a.rowCount() == 0; }));
        CHECK(eventually([&] { return catalog.tombstones().empty(); }));
    }
}

TEST_CASE("rows of a table that was dropped while a node was away go when it is back, not before") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    Catalog catalog(*a.store);
    const TableEntry table = makeTable(*a.store);
    {
        BareNode b(etcd, "b", folder.path());
        b.storage->commits().append({chunk("/1", {1, 2, 3})});
    }
    catalog.dropDatabase("dfs://X");
    CHECK_FALSE(eventually([&] { return catalog.tombstones().empty(); }, 100));
    BareNode b(etcd, "b", folder.path());
    CHECK(eventually([&] { return b.rowCount() == 0; }));
    // Each has said so to the other.
    const auto tell = [&] {
        a.participant->maintenance().noteConfirmed("b", b.participant->maintenance().confirmedRevision());
        return catalog.tombstones().empty();
    };
    CHECK(eventually(tell));
}

TEST_CASE("a node whose disk was lost confirms nothing until it is in sync, and serves nothing from before that") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    Participant& participant = *a.participant;
    CHECK(eventually([&] { return participant.maintenance().confirmedRevision() > 0; }));
    const auto change = [&](void (*how)(NodeConfig&)) {
        ClusterConfig config = ClusterConfig::read(*a.store);
        how(config.nodes[0]);
        REQUIRE(config.write(*a.store));
        return participant.map().currentRevision();
    };
    const uint64_t lost = change([](NodeConfig& node) { ClusterConfig::lose(node); });
    CHECK(eventually([&] { return participant.maintenance().confirmedRevision() == 0; }));
    const uint64_t back = change([](NodeConfig& node) { ClusterConfig::enter(node, NodeState::In); });
    CHECK(eventually([&] { return participant.maintenance().confirmedRevision() >= back; }));
    CHECK_THROWS_AS(participant.pins().open(1, a.cluster->incarnation() + "/1", lost, true), SystemError);
    participant.pins().open(2, a.cluster->incarnation() + "/2", back, true);
    Installer installer(*a.storage, a.cluster->incarnation());
    installer.keepFrom(back);
    CHECK_THROWS_AS(installer.pinAt(lost, participant.map().view().base), SystemError);
    CHECK(installer.pinAt(back, participant.map().view().base) != nullptr);
}

TEST_CASE("a node refuses to prepare at a configuration older than its own state, and what it may not have") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    Placement placement(*a.cluster, *a.store, a.participant->map(), 1);
    const PlacedBatch batch = batchOf(placement, makeTable(*a.store), {chunk("/1", {1, 2})});
    const uint64_t config = a.participant->map().config()->revision;
    CHECK(a.participant->transactions().prepare("x/1", {"a"}, config, batch, false) == CommitResult::Done);
    CHECK(a.participant->transactions().prepare("x/2", {"a"}, config - 1, batch, false) == CommitResult::OldConfig);
    a.participant->transactions().forget("x/1");
    CHECK(a.rowCount() == 0);
    // Another process has taken the node: what this one holds is nobody's.
    ClusterConfig taken = *a.participant->map().config();
    taken.started("a", "a/other");
    REQUIRE(taken.write(*a.store));
    placement.refresh();
    const uint64_t now = a.participant->map().config()->revision;
    CHECK(a.participant->transactions().prepare("x/3", {"a"}, now, batch, false) == CommitResult::NotInSync);
}

TEST_CASE("a pin that its query no longer holds ends, and one that is held stays") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    const uint64_t now = a.participant->map().currentRevision();
    const std::string held = a.cluster->incarnation() + "/1", forgotten = a.cluster->incarnation() + "/2";
    a.participant->pins().beginHold(held);
    a.participant->pins().open(1, held, now, false);
    a.participant->pins().open(2, forgotten, now, false);
    a.storage->commits().append({chunk("/1", {1})});
    CHECK(a.participant->pins().open(1, held, now, false) == a.participant->pins().snapshot(1));
    CHECK(eventually([&] {
        try {
            a.participant->pins().snapshot(2);
            return false;
        } catch (const SystemError&) {
            return true;
        }
    }));
    CHECK_NOTHROW(a.participant->pins().snapshot(1));
    a.participant->pins().close(1);
    CHECK_THROWS_AS(a.participant->pins().snapshot(1), SystemError);
}

TEST_CASE("a query asks only the nodes that it reads, and says which one does not answer") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path()), b(etcd, "b", folder.path());
    REQUIRE(eventually([&] { return a.cluster->isAlive("b"); }));
    ClusterQuery query(*a.cluster, *a.participant);
    const PlacedChunk here{"/1", {0}, {"a"}, {}, {}, {}, 1, {}}, there{"/2", {1}, {"b"}, {}, {}, {}, 1, {}},
        both{"/3", {2}, {"b", "a"}, {}, {}, {}, 1, {}};
    CHECK(query.nodesOf(1, {&here})[0].node.empty());
    // Nobody listens for b.
    CHECK_THROWS_WITH(query.nodesOf(1, {&here, &there}), Catch::Contains("/2") && Catch::Contains("b"));
    for (const auto& served : query.nodesOf(1, {&both, &here})) CHECK(served.node.empty());
}

TEST_CASE("an append that makes many partitions fits the transactions of an etcd as it comes") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    Placement placement(*a.cluster, *a.store, a.participant->map(), 1);
    std::vector<ChunkRows> chunks;
    for (int i = 0; i < 3000; ++i) {
        chunks.push_back(chunk("/" + std::to_string(i), {i}));
        chunks.back().index = {i};
    }
    const TableEntry table = makeTable(*a.store);
    CHECK(a.participant->transactions().commit(batchOf(placement, table, chunks)) == CommitResult::Done);
    CHECK(a.participant->map().chunks("dfs://X")->size() == 3000);
    Catalog(*a.store, placesOf).dropDatabase("dfs://X");
    placement.refresh();
    CHECK(a.participant->map().chunks("dfs://X")->empty());
}

TEST_CASE("a database of many tables is dropped whole") {
    testing::EtcdFixture etcd;
    const auto store = etcd.open();
    Catalog catalog(*store);
    DatabaseEntry database;
    database.path = "dfs://many";
    database.scheme = PartitionScheme(
        {PartitionLevel(PartitionKind::Value, Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2})))});
    catalog.createDatabase(database);
    for (int i = 0; i < 90; ++i) {
        TableEntry table;
        table.database = "dfs://many";
        table.name = "t" + std::to_string(i);
        table.schema = {{"n", Type::Int}};
        table.partitionColumns = {"n"};
        catalog.createTable(table);
    }
    CHECK(catalog.dropDatabase("dfs://many").size() == 90);
    CHECK(catalog.tombstones().size() == 90);
    CHECK_FALSE(catalog.findDatabase("dfs://many").has_value());
    CHECK(catalog.allTables().empty());
}

TEST_CASE("a member of etcd that hangs is left after a second for the next one") {
    testing::EtcdFixture etcd;
    Acceptor silent("127.0.0.1", 0);
    const auto store =
        openEtcdMetaStore({"127.0.0.1:" + std::to_string(silent.port()), etcd.endpoint()}, "pelorus/test/");
    const auto secondsOf = [](const auto& f) {
        const auto start = std::chrono::steady_clock::now();
        f();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    CHECK(secondsOf([&] { store->get("a"); }) < 2.5);
    CHECK(secondsOf([&] { store->get("a"); }) < 0.5);
    CHECK(store->transact({}, {{"a", "1", 0}}).done);
    // A watch leaves it too.
    const auto fresh =
        openEtcdMetaStore({"127.0.0.1:" + std::to_string(silent.port()), etcd.endpoint()}, "pelorus/test/");
    std::atomic<int> told{0};
    const auto watch =
        fresh->watch("dir/", etcd.open()->range("dir/").revision,
                     [&](const std::vector<MetaChange>& changes) { told += static_cast<int>(changes.size()); });
    store->transact({}, {{"dir/1", "one", 0}});
    CHECK(eventually([&] { return told == 1; }));
}

TEST_CASE("a watch that missed what was compacted tells what there is now, and what has gone") {
    testing::EtcdFixture etcd;
    const auto store = etcd.open();
    store->transact({}, {{"dir/stays", "1", 0}, {"dir/goes", "1", 0}, {"dir/changes", "1", 0}});
    std::mutex mutex;
    std::map<std::string, std::optional<std::string>> told;
    const auto watch = store->watch("dir/", store->range("dir/").revision, [&](const std::vector<MetaChange>& changes) {
        const std::lock_guard guard(mutex);
        for (const MetaChange& change : changes) told[change.key] = change.value;
    });
    etcd.stop();
    int elsewhere = 0;
    elsewhere = Acceptor("127.0.0.1", 0).port();
    etcd.startAt(elsewhere);
    {
        const auto unseen = openEtcdMetaStore({"127.0.0.1:" + std::to_string(elsewhere)}, "pelorus/test/");
        unseen->transact({}, {{"dir/goes", std::nullopt, 0}, {"dir/changes", "2", 0}});
        uint64_t last = unseen->transact({}, {{"dir/comes", "1", 0}}).revision;
        for (int i = 0; i < 3; ++i) last = unseen->transact({}, {{"else", "1", 0}}).revision;
        const std::string compact = "{\"revision\":\"" + std::to_string(last) + "\"}";
        REQUIRE(HttpClient("127.0.0.1", elsewhere, 3000).post("/v3/kv/compaction", compact).status == 200);
    }
    etcd.stop();
    etcd.start();
    CHECK(eventually([&] {
        const std::lock_guard guard(mutex);
        return told.size() == 3;
    }));
    const std::lock_guard guard(mutex);
    CHECK(told["dir/changes"] == "2");
    CHECK(told["dir/comes"] == "1");
    REQUIRE(told.count("dir/goes") == 1);
    CHECK_FALSE(told["dir/goes"].has_value());
}

TEST_CASE("when there is no thread to be had, calls of other nodes end with an error") {
    // Stacks need room: without any, no thread begins. Those of threads that ended before are used up first.
    std::mutex mutex;
    std::condition_variable go;
    bool done = false;
    std::vector<std::thread> held;
    std::optional<testing::AddressLimit> limit(std::in_place);
    bool refused = false;
    std::string string;
    try {
        for (int i = 0; i < 1000; ++i) {
            held.push_back(startThread([&] {
                std::unique_lock lock(mutex);
                go.wait(lock, [&] { return done; });
            }));
        }
    } catch (const SystemError&) {
        refused = true;
    }
    std::atomic<int> called{0};
    try {
        callInParallel(4, [&](size_t, const std::atomic<bool>&) { ++called; });
    } catch (const SystemError& error) {
        string = error.what();
    }
    limit.reset();
    {
        const std::lock_guard guard(mutex);
        done = true;
    }
    go.notify_all();
    for (std::thread& thread : held) thread.join();
    CHECK(refused);
    CHECK_THAT(string, Catch::Contains("no thread"));
    CHECK(called < 4);
    callInParallel(4, [&](size_t, const std::atomic<bool>&) { ++called; });
    CHECK(called >= 4);
}

// The store is as the version before wrote it: the partitions of each table are placed by separate keys.
TEST_CASE("keys of the version before become places, wherever a node that turns them is killed") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    const auto store = etcd.open();
    constexpr int kPartitions = 100;
    const TableEntry first = makeTable(*store, "first"), second = makeTable(*store, "second");
    store->transact({}, {{kClusterIdKey, "0123", 0}});
    std::map<std::string, uint64_t> routes;
    for (int i = 0; i < kPartitions; ++i) {
        const std::string path = "/" + std::to_string(i), record = "a,b\n" + std::to_string(i);
        store->transact({}, {{placeKey("dfs://X", path), "a,b", 0}});
        for (const TableEntry* table : {&first, &second}) {
            const std::string key = "chunk/" + std::to_string(table->id) + '/' + path;
            routes[key] =
                store->transact({}, {{key, record, 0}, {"chunks/" + std::to_string(table->id), "a", 0}}).revision;
        }
    }
    store->transact({}, {{"chunk/77//1", "a\n1", 0}});  // of a table that was dropped
    // Fails at the n-th write, as if the process had been killed.
    struct CutStore final : MetaStore {
        CutStore(MetaStore& store, int left) : store(store), left(left) {}
        std::optional<MetaEntry> get(const std::string& key, uint64_t revision) override {
            return store.get(key, revision);
        }
        MetaRead range(const std::string& prefix, uint64_t revision, size_t limit) override {
            return store.range(prefix, revision, limit);
        }
        MetaOutcome transact(const std::vector<MetaCondition>& conditions,
                             const std::vector<MetaWrite>& writes) override {
            if (left-- == 0) throw SystemError("killed");
            return store.transact(conditions, writes);
        }
        std::unique_ptr<Watch> watch(const std::string&, uint64_t, OnChange, std::function<void()>) override {
            return nullptr;
        }
        uint64_t grantLease(int64_t) override { return 0; }
        bool keepAlive(uint64_t) override { return false; }
        void revokeLease(uint64_t) override {}
        MetaStore& store;
        int left;
    };
    int kills = 0;
    for (;; ++kills) {
        CutStore cut(*store, kills % 3);  // some get further than others
        try {
            turnChunkKeys(cut);
            break;
        } catch (const SystemError&) {
            CHECK(ClusterFormat::decode(store->get(kClusterIdKey)->value).id == "0123");
        }
    }
    CHECK(kills >= 3);
    CHECK(ClusterFormat::decode(store->get(kClusterIdKey)->value).version == kClusterVersion);
    CHECK(store->range("chunk/").entries.empty());
    CHECK(store->range("chunks/").entries.empty());
    const auto places = store->range(placesOf("dfs://X")).entries;
    REQUIRE(places.size() == kPartitions);
    for (const MetaEntry& entry : places) {
        const std::string path = entry.key.substr(entry.key.find('\n') + 1);
        const PlacedChunk place = decodePlace(path, entry.value, entry.revision);
        CHECK(place.replicas == std::vector<std::string>{"a", "b"});
        CHECK(place.index == std::vector<int>{std::stoi(path.substr(1))});
        for (const TableEntry* table : {&first, &second})
            CHECK(place.routes.at(table->id) == routes.at("chunk/" + std::to_string(table->id) + '/' + path));
    }
    // Another version's node stays out.
    store->transact({}, {{kClusterIdKey, "0123 3", 0}});
    CHECK_THROWS_WITH(turnChunkKeys(*store), Catch::Contains("newer version"));
}

TEST_CASE("rows stay where the store is empty, another one, or set back, and the node does not start") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    const std::string data = folder.path() + "/a";
    const auto open = [&] { return LocalStorage::open(data); };
    const auto rowsIn = [](const LocalStorage& storage) {
        int64_t rows = 0;
        for (const uint64_t table : storage.versions().tables()) {
            const auto chunks = storage.versions().chunks(table);
            for (const auto& one : *chunks) rows += storage.versions().newest(one->id)->rowCount;
        }
        return rows;
    };
    const auto store = etcd.open();
    DatabaseEntry database;
    database.path = "dfs://X";
    database.scheme = PartitionScheme(
        {PartitionLevel(PartitionKind::Value, Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2})))});
    TableEntry table;
    table.database = "dfs://X";
    table.name = "t";
    table.schema = {{"n", Type::Int}};
    table.partitionColumns = {"n"};
    {
        const auto storage = open();
        CHECK_FALSE(joinCluster(*storage, *store, "etcd", "a").empty());
        Catalog(*store).createDatabase(database);
        const TableEntry made = Catalog(*store).createTable(table);
        table.id = made.id;
        REQUIRE(table.id == 1);
        Cluster cluster(*store, ClusterMember{"a", "127.0.0.1", 1}, "key");
        Participant participant(storage, cluster);
        Placement placement(cluster, *store, participant.map(), 1);
        const PlacedBatch writes = batchOf(placement, made, {chunk("/1", {1, 1, 1}), chunk("/2", {2})});
        REQUIRE(participant.transactions().commit(writes) == CommitResult::Done);
    }
    const auto refuses = [&](MetaStore& wrong, const std::string& why) {
        const auto storage = open();
        const size_t keys = wrong.range("").entries.size();
        CHECK_THROWS_WITH(joinCluster(*storage, wrong, "etcd", "a"), Catch::Contains(why));
        CHECK(rowsIn(*storage) == 4);
        CHECK(wrong.range("").entries.size() == keys);
    };
    {
        const auto storage = open();
        CHECK_FALSE(joinCluster(*storage, *store, "etcd", "a").empty());
        CHECK(rowsIn(*storage) == 4);
    }
    SECTION("empty: another clusterName") {
        const auto wrong = openEtcdMetaStore({etcd.endpoint()}, "pelorus/other/");
        refuses(*wrong, "is empty");
    }
    SECTION("another cluster's") {
        const auto wrong = openEtcdMetaStore({etcd.endpoint()}, "pelorus/other/");
        {
            const auto fresh = LocalStorage::open(folder.path() + "/fresh");
            joinCluster(*fresh, *wrong, "etcd", "fresh");
        }
        refuses(*wrong, "is that of the cluster");
        const auto storage = open();
        CHECK_THAT(adoptFolder(*storage, *wrong, "a", "etcd"), Catch::Contains("2 partitions"));
        CHECK(rowsIn(*storage) == 0);
        const auto kept = quarantined(*storage, FileSystem::posix());
        REQUIRE(kept.size() == 2);
        CHECK(kept[0].rows + kept[1].rows == 4);
        CHECK_FALSE(joinCluster(*storage, *wrong, "etcd", "a").empty());
    }
    SECTION("wiped, also under a running node") {
        GuardedStore guarded(etcd.open(), "etcd");
        CHECK(guarded.transact({}, {{"x", "1", 0}}).done);
        etcd.wipe();
        const auto wiped = etcd.open();
        CHECK_THROWS_WITH(guarded.range("table/"), Catch::Contains("no longer that of"));
        CHECK_THROWS_WITH(guarded.transact({}, {{"x", "2", 0}}), Catch::Contains("no longer that of"));
        CHECK_FALSE(wiped->get("x").has_value());
        const auto storage = open();
        CHECK_THROWS_WITH(joinCluster(*storage, *wiped, "etcd", "a"), Catch::Contains("is empty"));
        CHECK(rowsIn(*storage) == 4);
    }
    SECTION("set back to an older state") {
        const std::string id = store->get(kClusterIdKey)->value;
        etcd.wipe();
        const auto older = etcd.open();
        older->transact({}, {{kClusterIdKey, id, 0}});
        const auto storage = open();
        CHECK_THROWS_WITH(joinCluster(*storage, *older, "etcd", "a"), Catch::Contains("went back in time"));
        CHECK(rowsIn(*storage) == 4);
    }
    SECTION("the folder of a node by itself") {
        const std::string own = folder.path() + "/own";
        {
            const auto storage = LocalStorage::open(own);
            storage->catalog().createDatabase(database);
            TableEntry mine = table;
            mine.id = storage->catalog().createTable(mine).id;
            storage->commits().append({chunk("/1", {1, 1})});
            CHECK_THROWS_WITH(joinCluster(*storage, *store, "etcd", "a"), Catch::Contains("by itself"));
            CHECK(rowsIn(*storage) == 2);
            // This cluster has databases; into an empty one they are moved.
            CHECK_THROWS_WITH(adoptFolder(*storage, *store, "a", "etcd"), Catch::Contains("Both"));
            const auto empty = openEtcdMetaStore({etcd.endpoint()}, "pelorus/other/");
            CHECK_THAT(adoptFolder(*storage, *empty, "a", "etcd"), Catch::Contains("1 tables"));
            CHECK(Catalog(*empty).findTable("dfs://X", "t").has_value());
            CHECK_FALSE(joinCluster(*storage, *empty, "etcd", "a").empty());
            CHECK(rowsIn(*storage) == 2);
            Cluster cluster(*empty, ClusterMember{"a", "127.0.0.1", 1}, "key");
            const ClusterMap map(*empty, [](const ClusterMoment&) {});
            CHECK(map.chunks("dfs://X")->size() == 1);
        }
        CHECK_THROWS_WITH(refuseFolderOfCluster(own), Catch::Contains("belongs to the cluster"));
    }
    SECTION("a table that was dropped while the node was away goes, one that nobody knows is kept aside") {
        {
            const auto storage = open();
            storage->commits().append({[&] {
                ChunkRows other = chunk("/1", {7, 7});
                other.table = 99;
                return other;
            }()});
        }
        Catalog(*store).dropTable("dfs://X", "t");
        const auto storage = open();
        CHECK_FALSE(joinCluster(*storage, *store, "etcd", "a").empty());
        CHECK(rowsIn(*storage) == 0);
        const auto kept = quarantined(*storage, FileSystem::posix());
        REQUIRE(kept.size() == 1);
        CHECK(kept[0].table == 99);
        CHECK(kept[0].rows == 2);
    }
}
