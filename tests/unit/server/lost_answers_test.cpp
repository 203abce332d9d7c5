// Fate of an append to another node when the real connection between the two breaks under it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

#include "common/error.h"
#include "database/service/node_identity.h"
#include "distributed/builtins/distributed_builtins.h"
#include "runtime/registry/registry.h"
#include "server/access/access_control.h"
#include "server/connection/server.h"
#include "server/session/engine_host.h"
#include "server/session/session_registry.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/prepared_commits.h"
#include "storage/commit/write_batch.h"
#include "storage/version/metadata_embedded.h"
#include "tests/support/cluster_nodes.h"
#include "tests/support/tcp_relay.h"

using namespace pelorus;
using testing::TcpRelay;

namespace {

// Its server is reached over the relay.
class ServedNode {
public:
    ServedNode(testing::EtcdFixture& etcd, const std::string& alias, const std::string& folder, TcpRelay& relay)
        : node(etcd, alias, folder, relay.port()), relay_(relay) {
        access_.setClusterKey("key");
        start();
    }
    ~ServedNode() { stop(); }

    void start() {
        services_ = Services();
        services_.add(std::shared_ptr<Participant>(std::shared_ptr<void>(), node.participant.get()));
        server_ = std::make_unique<Server>("127.0.0.1", 0, identity_, ServerParts{host_, sessions_, access_, policy_});
        server_->start();
        relay_.forwardTo(server_->port());
    }
    void stop() {
        relay_.forwardTo(0);
        server_.reset();
    }
    BareNode node;

private:
    TcpRelay& relay_;
    Services services_;
    EngineHost host_{services_};
    SessionRegistry sessions_;
    std::unique_ptr<MetaStore> store_ = memoryMetaStore();
    ClientPolicy policy_;
    AccessControl access_{*store_, *store_, policy_};
    NodeIdentity identity_;
    std::unique_ptr<Server> server_;
};

struct TwoNodes {
    TwoNodes() {
        static const bool registered = [] {
            registerNodeBuiltins(FunctionRegistry::instance());
            return true;
        }();
        REQUIRE(registered);
        REQUIRE(
            eventually([&] { return a.cluster->isAlive("b") && a.participant->map().config()->find("b") != nullptr; }));
    }
    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    TcpRelay relay;
    BareNode a{etcd, "a", folder.path()};
    ServedNode served{etcd, "b", folder.path(), relay};
    BareNode& b = served.node;
    SyncStates syncStates{*a.cluster, *a.participant};
    Coordinator coordinator{*a.cluster, *a.participant, syncStates};
    const TableEntry table = makeTable(*a.store);

    // Places a partition on these replicas, and adds rows for it to the batch.
    void place(PlacedBatch& batch, ChunkRows rows, std::vector<std::string> replicas) {
        const std::string key = placeKey("dfs://X", rows.path);
        if (!a.store->get(key)) {
            const PlacedChunk place{rows.path, rows.index, std::move(replicas), {}, {}, {}, 0, {}};
            const uint64_t revision = a.store->transact({}, {{key, encodePlace(place), 0}}).revision;
            for (BareNode* node : {&a, &b}) node->participant->map().await(revision, std::chrono::seconds(5));
        }
        batch.places.push_back(*a.participant->map().chunk("dfs://X", rows.path));
        batch.chunks.push_back(std::move(rows));
        batch.tables[table.id] = isUnchanged(table);
    }
    bool store(const PlacedBatch& batch) { return coordinator.append(batch) == CommitResult::Done; }
};

}  // namespace

TEST_CASE("rows on two nodes are all there once or not at all when an answer is lost") {
    TwoNodes two;
    PlacedBatch batch;
    two.place(batch, chunk("/1", {1}), {"a"});
    two.place(batch, chunk("/2", {2}), {"b"});
    const auto storeOnBoth = [&] { return two.store(batch); };
    const auto open = [](const BareNode& node) { return node.storage->prepared().openTransactions().size(); };
    const auto isSettled = [&] { return open(two.a) == 0 && open(two.b) == 0; };
    size_t prepared = 0;
    SECTION("that of a prepare") {
        two.relay.lose(TcpRelay::Loss::Answer, "nodePrepare", 1, [&] { prepared = open(two.b); });
    }
    SECTION("the prepare itself") {
        two.relay.lose(TcpRelay::Loss::Request, "nodePrepare", 1);
    }
    CHECK_THROWS_WITH(storeOnBoth(), Catch::Contains("Nothing was written"));
    CHECK(two.relay.lost() == 1);
    CHECK(eventually(isSettled));
    CHECK(two.a.rowCount() + two.b.rowCount() == 0);
    CHECK(storeOnBoth());
    CHECK(eventually(isSettled));
    CHECK(two.a.rowCount() == 1);
    CHECK(two.b.rowCount() == 1);
}

TEST_CASE("a replica whose answer is lost is written out, and the transaction goes on without it") {
    TwoNodes two;
    const auto store = [&](int value) {
        PlacedBatch batch;
        two.place(batch, chunk("/1", {value}), {"a", "b"});
        return two.store(batch);
    };
    REQUIRE(store(1));
    CHECK(eventually([&] { return two.a.rowCount() == 1 && two.b.rowCount() == 1; }));
    // One that has only just found the store batch nobody out.
    REQUIRE(eventually([&] { return two.a.participant->map().hasContact(std::chrono::seconds(2)); }));
    two.relay.lose(TcpRelay::Loss::Answer, "nodePrepare", 1);
    REQUIRE(store(2));
    CHECK(two.relay.lost() == 1);
    CHECK_FALSE(two.a.participant->map().config()->isIn("b"));
    CHECK(eventually([&] { return two.a.rowCount() == 2; }));
    // It is not asked any more.
    REQUIRE(store(3));
    CHECK(eventually([&] { return two.a.rowCount() == 3; }));
}
