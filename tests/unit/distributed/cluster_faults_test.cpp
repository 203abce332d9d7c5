// Guarantees of a cluster's nodes when routes are stale, answers are lost, holders vanish and threads run out.
#include <algorithm>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <optional>

#include "common/error.h"
#include "common/thread/thread_start.h"
#include "database/service/folder_identity.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/guarded_store.h"
#include "distributed/table/cluster_query.h"
#include "net/http_client.h"
#include "storage/version/quarantine.h"
#include "tests/support/address_limit.h"
#include "tests/support/cluster_nodes.h"

using namespace pelorus;

namespace {

TableEntry tableOne() {
    TableEntry table;
    table.id = 1;
    table.database = "dfs://X";
    return table;
}

}  // namespace

TEST_CASE("A02: an append by a stale route is refused, and stored by the fresh one") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    Placement onA(*a.cluster, *a.store, a.participant->map(), 1);
    const TableEntry table = tableOne();
    std::vector<ChunkRows> batch{chunk("/1", {1, 2})};
    const auto appendFresh = [&] {
        onA.replicasOf(table, batch);
        return a.participant->append(batch);
    };
    REQUIRE(appendFresh());
    const std::vector<ChunkRows> stale = batch;
    const uint64_t removed = onA.forget(1, {"/1"});
    const uint64_t config = a.participant->map().config()->revision;
    SECTION("when the node has removed the partition") {
        a.participant->removeChunks(1, {"/1"}, removed);
        CHECK(a.rowCount() == 0);
        CHECK_FALSE(a.participant->append(stale));
        CHECK(a.participant->prepare("t/1", {"a"}, config, stale) == PrepareAnswer::StaleRoute);
        CHECK(a.rowCount() == 0);
        CHECK(appendFresh());
        CHECK(a.rowCount() == 2);
        CHECK(a.participant->map().view(1).chunks->size() == 1);
    }
    SECTION("when the node hears of the removal only after the next append") {
        REQUIRE(appendFresh());
        a.participant->removeChunks(1, {"/1"}, removed);
        CHECK(a.rowCount() == 2);
        // By the old route nothing comes in any more.
        CHECK_FALSE(a.participant->append(stale));
        CHECK(a.rowCount() == 2);
    }
    SECTION("also after a restart of the node") {
        a.participant->removeChunks(1, {"/1"}, removed);
        REQUIRE(appendFresh());
        a.storage->checkpoint();
        a.participant.reset();
        a.storage.reset();
        a.storage = LocalStorage::open(folder.path() + "/a");
        a.participant = std::make_unique<Participant>(a.storage, *a.cluster);
        CHECK_FALSE(a.participant->append(stale));
        CHECK(a.participant->append(batch));
        CHECK(a.rowCount() == 4);
    }
}

TEST_CASE("a node refuses to prepare at a configuration older than its own state, and what it may not have") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    Placement placement(*a.cluster, *a.store, a.participant->map(), 1);
    std::vector<ChunkRows> batch{chunk("/1", {1, 2})};
    placement.replicasOf(tableOne(), batch);
    const uint64_t config = a.participant->map().config()->revision;
    CHECK(a.participant->prepare("x/1", {"a"}, config, batch) == PrepareAnswer::Done);
    CHECK(a.participant->prepare("x/2", {"a"}, config - 1, batch) == PrepareAnswer::OldConfig);
    a.participant->forget("x/1");
    CHECK(a.rowCount() == 0);
    // Another process has taken the node: what this one holds is nobody's.
    ClusterConfig taken = *a.participant->map().config();
    taken.started("a", "a/other");
    REQUIRE(taken.write(*a.store));
    placement.refresh();
    const uint64_t now = a.participant->map().config()->revision;
    CHECK(a.participant->prepare("x/3", {"a"}, now, batch) == PrepareAnswer::NotInSync);
}

TEST_CASE("A09: a pin that its query no longer holds ends, and one that is held stays") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    const uint64_t now = a.participant->map().currentRevision();
    const std::string held = a.cluster->incarnation() + "/1", forgotten = a.cluster->incarnation() + "/2";
    a.participant->beginHold(held);
    a.participant->open(1, held, now, false);
    a.participant->open(2, forgotten, now, false);
    a.storage->append({chunk("/1", {1})});
    CHECK(a.participant->open(1, held, now, false) == a.participant->opened(1));
    CHECK(eventually([&] {
        try {
            a.participant->opened(2);
            return false;
        } catch (const SystemError&) {
            return true;
        }
    }));
    CHECK_NOTHROW(a.participant->opened(1));
    a.participant->close(1);
    CHECK_THROWS_AS(a.participant->opened(1), SystemError);
}

TEST_CASE("H08: a query asks only the nodes that it reads, and says which one does not answer") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path()), b(etcd, "b", folder.path());
    REQUIRE(eventually([&] { return a.cluster->isAlive("b"); }));
    ClusterQuery query(*a.cluster, *a.participant);
    const PlacedChunk here{"/1", {0}, {"a"}, 1}, there{"/2", {1}, {"b"}, 1}, both{"/3", {2}, {"b", "a"}, 1};
    CHECK(query.nodesOf({&here}) == std::vector<std::string>{""});
    // Nobody listens for b.
    CHECK_THROWS_WITH(query.nodesOf({&here, &there}), Catch::Contains("/2") && Catch::Contains("b"));
    CHECK(query.nodesOf({&both, &here}) == std::vector<std::string>{"", ""});
}

TEST_CASE("A11: an append that makes many partitions fits the transactions of an etcd as it comes") {
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    Placement placement(*a.cluster, *a.store, a.participant->map(), 1);
    std::vector<ChunkRows> chunks;
    for (int i = 0; i < 3000; ++i) {
        chunks.push_back(chunk("/" + std::to_string(i), {i}));
        chunks.back().index = {i};
    }
    CHECK(placement.replicasOf(tableOne(), chunks).size() == 3000);
    CHECK(a.participant->append(chunks));
    CHECK(a.participant->map().view(1).chunks->size() == 3000);
    placement.forget(1, {});
    CHECK(a.participant->map().view(1).chunks->empty());
}

TEST_CASE("A11: a database of many tables is dropped whole") {
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

TEST_CASE("A12: a member of etcd that hangs is left after a second for the next one") {
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

TEST_CASE("A12: a watch that missed what was compacted tells what there is now, and what has gone") {
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

TEST_CASE("A13: when there is no thread to be had, calls of other nodes end with an error") {
    // Stacks need room: without any, no thread begins. Those of threads that ended before are used up first.
    std::mutex mutex;
    std::condition_variable go;
    bool done = false;
    std::vector<std::thread> held;
    std::optional<testing::AddressLimit> limit(std::in_place);
    bool refused = false;
    std::string text;
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
        text = error.what();
    }
    limit.reset();
    {
        const std::lock_guard guard(mutex);
        done = true;
    }
    go.notify_all();
    for (std::thread& thread : held) thread.join();
    CHECK(refused);
    CHECK_THAT(text, Catch::Contains("no thread"));
    CHECK(called < 4);
    callInParallel(4, [&](size_t, const std::atomic<bool>&) { ++called; });
    CHECK(called >= 4);
}

// The five ways in which a folder and a store do not belong together, and the rows that stay.
TEST_CASE("A01: rows stay where the store is empty, another one, or set back, and the node does not start") {
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
    TableEntry table = tableOne();
    table.name = "t";
    table.schema = {{"n", Type::Int}};
    table.partitionColumns = {"n"};
    {
        const auto storage = open();
        CHECK_FALSE(joinCluster(*storage, *store, "etcd").empty());
        Catalog(*store).createDatabase(database);
        table.id = Catalog(*store).createTable(table).id;
        REQUIRE(table.id == 1);
        Cluster cluster(*store, ClusterMember{"a", "127.0.0.1", 1}, "key");
        Participant participant(storage, cluster);
        Placement placement(cluster, *store, participant.map(), 1);
        std::vector<ChunkRows> chunks{chunk("/1", {1, 1, 1}), chunk("/2", {2})};
        placement.replicasOf(table, chunks);
        REQUIRE(participant.append(chunks));
    }
    const auto refuses = [&](MetaStore& wrong, const std::string& why) {
        const auto storage = open();
        const size_t keys = wrong.range("").entries.size();
        CHECK_THROWS_WITH(joinCluster(*storage, wrong, "etcd"), Catch::Contains(why));
        CHECK(rowsIn(*storage) == 4);
        CHECK(wrong.range("").entries.size() == keys);
    };
    {
        const auto storage = open();
        CHECK_FALSE(joinCluster(*storage, *store, "etcd").empty());
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
            joinCluster(*fresh, *wrong, "etcd");
        }
        refuses(*wrong, "is that of the cluster");
        const auto storage = open();
        CHECK_THAT(adoptFolder(*storage, *wrong, "a", "etcd"), Catch::Contains("2 partitions"));
        CHECK(rowsIn(*storage) == 0);
        const auto kept = quarantined(*storage, FileSystem::posix());
        REQUIRE(kept.size() == 2);
        CHECK(kept[0].rows + kept[1].rows == 4);
        CHECK_FALSE(joinCluster(*storage, *wrong, "etcd").empty());
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
        CHECK_THROWS_WITH(joinCluster(*storage, *wiped, "etcd"), Catch::Contains("is empty"));
        CHECK(rowsIn(*storage) == 4);
    }
    SECTION("set back to an older state") {
        const std::string id = store->get(kClusterIdKey)->value;
        etcd.wipe();
        const auto older = etcd.open();
        older->transact({}, {{kClusterIdKey, id, 0}});
        const auto storage = open();
        CHECK_THROWS_WITH(joinCluster(*storage, *older, "etcd"), Catch::Contains("went back in time"));
        CHECK(rowsIn(*storage) == 4);
    }
    SECTION("the folder of a node by itself") {
        const std::string own = folder.path() + "/own";
        {
            const auto storage = LocalStorage::open(own);
            storage->catalog().createDatabase(database);
            TableEntry mine = table;
            mine.id = storage->catalog().createTable(mine).id;
            storage->append({chunk("/1", {1, 1})});
            CHECK_THROWS_WITH(joinCluster(*storage, *store, "etcd"), Catch::Contains("by itself"));
            CHECK(rowsIn(*storage) == 2);
            // This cluster has databases; into an empty one they are moved.
            CHECK_THROWS_WITH(adoptFolder(*storage, *store, "a", "etcd"), Catch::Contains("Both"));
            const auto empty = openEtcdMetaStore({etcd.endpoint()}, "pelorus/other/");
            CHECK_THAT(adoptFolder(*storage, *empty, "a", "etcd"), Catch::Contains("1 tables"));
            CHECK(Catalog(*empty).findTable("dfs://X", "t").has_value());
            CHECK_FALSE(joinCluster(*storage, *empty, "etcd").empty());
            CHECK(rowsIn(*storage) == 2);
            Cluster cluster(*empty, ClusterMember{"a", "127.0.0.1", 1}, "key");
            const ClusterMap map(*empty, [](const ClusterMoment&) {});
            CHECK(map.view(mine.id).chunks->size() == 1);
        }
        CHECK_THROWS_WITH(refuseFolderOfCluster(own), Catch::Contains("belongs to the cluster"));
    }
    SECTION("a table that was dropped while the node was away goes, one that nobody knows is kept aside") {
        {
            const auto storage = open();
            storage->append({[&] {
                ChunkRows other = chunk("/1", {7, 7});
                other.table = 99;
                return other;
            }()});
        }
        Catalog(*store).dropTable("dfs://X", "t");
        const auto storage = open();
        CHECK_FALSE(joinCluster(*storage, *store, "etcd").empty());
        CHECK(rowsIn(*storage) == 0);
        const auto kept = quarantined(*storage, FileSystem::posix());
        REQUIRE(kept.size() == 1);
        CHECK(kept[0].table == 99);
        CHECK(kept[0].rows == 2);
    }
}
