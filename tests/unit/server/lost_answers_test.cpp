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
        : node(etcd, alias, folder, relay.port()), folder_(folder + "/" + alias), relay_(relay) {
        access_.setClusterKey("key");
        start();
    }
    ~ServedNode() { stop(); }

    void start(bool takesPart = true) {
        services_ = Services();
        if (takesPart) services_.add(std::shared_ptr<Participant>(std::shared_ptr<void>(), node.participant.get()));
        server_ = std::make_unique<Server>("127.0.0.1", 0, identity_, ServerParts{host_, sessions_, access_, policy_});
        server_->start();
        relay_.forwardTo(server_->port());
    }
    void stop() {
        relay_.forwardTo(0);
        server_.reset();
    }
    // Restarts like a process that ends and begins again, all but the lease.
    void restart() {
        stop();
        node.participant.reset();
        node.storage.reset();
        node.storage = LocalStorage::open(folder_);
        node.participant = std::make_unique<Participant>(node.storage, *node.cluster);
        start();
    }

    BareNode node;

private:
    const std::string folder_;
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
        REQUIRE(eventually([&] { return a.cluster->isAlive("b"); }));
    }
    bool store(const std::vector<ChunkRows>& chunks, const std::string& node) {
        return coordinator.store(chunks, std::vector<std::string>(chunks.size(), node));
    }
    // Puts a's view into the state after the end of b's lease; b itself goes on.
    void endLeaseOfB() { a.store->transact({}, {{"alive/b", std::nullopt, 0}}); }

    testing::EtcdFixture etcd;
    TemporaryFolder folder;
    TcpRelay relay;
    BareNode a{etcd, "a", folder.path()};
    ServedNode served{etcd, "b", folder.path(), relay};
    BareNode& b = served.node;
    Coordinator coordinator{*a.cluster, *a.participant};
};

}  // namespace

TEST_CASE("A07: an append whose answer is lost on the way is sent again, and its rows are there once") {
    TwoNodes two;
    REQUIRE(two.store({chunk("/1", {1, 2})}, "b"));  // over a connection that is used again
    int64_t storedWhenLost = 0;
    const auto look = [&] { storedWhenLost = two.b.rowCount(); };
    SECTION("once") {
        two.relay.lose(TcpRelay::Loss::Answer, "nodeAppend", 1, look);
        CHECK(two.store({chunk("/1", {3, 4, 5})}, "b"));
        CHECK(two.relay.lost() == 1);
        CHECK(storedWhenLost == 5);
    }
    SECTION("again and again") {
        two.relay.lose(TcpRelay::Loss::Answer, "nodeAppend", 4, look);
        CHECK(two.store({chunk("/1", {3, 4, 5})}, "b"));
        CHECK(two.relay.lost() == 4);
        CHECK(storedWhenLost == 5);
    }
    SECTION("and the node is another process when it comes again") {
        two.relay.lose(TcpRelay::Loss::Answer, "nodeAppend", 1, [&] {
            look();
            two.served.restart();
        });
        CHECK(two.store({chunk("/1", {3, 4, 5})}, "b"));
        CHECK(two.relay.lost() == 1);
        CHECK(storedWhenLost == 5);
    }
    SECTION("or the request itself was lost") {
        two.relay.lose(TcpRelay::Loss::Request, "nodeAppend", 2, look);
        CHECK(two.store({chunk("/1", {3, 4, 5})}, "b"));
        CHECK(two.relay.lost() == 2);
        CHECK(storedWhenLost == 2);
    }
    SECTION("and the node answers with errors for a while") {
        std::thread later;
        two.relay.lose(TcpRelay::Loss::Answer, "nodeAppend", 1, [&] {
            look();
            two.served.stop();
            two.served.start(false);
            later = std::thread([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(700));
                two.served.stop();
                two.served.start();
            });
        });
        CHECK(two.store({chunk("/1", {3, 4, 5})}, "b"));
        REQUIRE(later.joinable());
        later.join();
        CHECK(storedWhenLost == 5);
    }
    CHECK(two.b.rowCount() == 5);
    // A new append is stored, whatever rows it has.
    CHECK(two.store({chunk("/1", {3, 4, 5})}, "b"));
    CHECK(two.b.rowCount() == 8);
}

TEST_CASE("A07: a partition that is dropped before the append comes again does not double the rows of the others") {
    TwoNodes two;
    TableEntry table;
    table.id = 1;
    table.database = "dfs://X";
    Placement placement(*two.a.cluster, *two.a.store);
    std::vector<ChunkRows> chunks{chunk("/1", {1, 1}), chunk("/2", {2, 2}), chunk("/3", {3, 3}), chunk("/4", {4, 4})};
    const std::vector<std::string> nodes = placement.nodesOf(table, chunks);
    std::vector<ChunkRows> onB;
    for (size_t i = 0; i < chunks.size(); ++i) {
        if (nodes[i] == "b") onB.push_back(chunks[i]);
    }
    REQUIRE(onB.size() == 2);
    two.relay.lose(TcpRelay::Loss::Answer, "nodeAppend", 1, [&] {
        const uint64_t removed = placement.forget(1, {onB[0].path});
        two.b.participant->removeChunks(1, {onB[0].path}, removed);
    });
    // Were it false, the table would ask for new routes and store all chunks once more.
    CHECK(two.store(onB, "b"));
    CHECK(two.relay.lost() == 1);
    CHECK(two.b.rowCount() == 2);
    // The route is stale now.
    CHECK_FALSE(two.store(onB, "b"));
    CHECK(two.b.rowCount() == 2);
}

TEST_CASE("A07: when the node goes before its answer, the error says that the rows may be there") {
    TwoNodes two;
    std::string hint;
    const auto failing = [&] {
        try {
            two.store({chunk("/1", {1})}, "b");
        } catch (const SystemError& error) {
            hint = error.hint();
            throw;
        }
    };
    SECTION("while the append is under way") {
        two.relay.lose(TcpRelay::Loss::AnswerHeld, "nodeAppend", 1, [&] { two.endLeaseOfB(); });
        CHECK_THROWS_WITH(failing(), Catch::Contains("b (127.0.0.1"));
        CHECK_THAT(hint, Catch::Contains("unknown"));
        CHECK(two.b.rowCount() == 1);
    }
    SECTION("while it is sent again") {
        two.relay.lose(TcpRelay::Loss::Answer, "nodeAppend", 1, [&] {
            two.relay.forwardTo(0);
            two.endLeaseOfB();
        });
        CHECK_THROWS_WITH(failing(), Catch::Contains("b (127.0.0.1"));
        CHECK_THAT(hint, Catch::Contains("unknown"));
        CHECK(two.b.rowCount() == 1);
    }
    SECTION("but not when it was never asked") {
        two.relay.forwardTo(0);
        two.endLeaseOfB();
        CHECK_THROWS_AS(failing(), NodeNotReached);
        CHECK_THAT(hint, !Catch::Contains("unknown"));
        CHECK(two.b.rowCount() == 0);
    }
}

TEST_CASE("A07: rows on two nodes are all there once or not at all when an answer is lost") {
    TwoNodes two;
    const auto storeOnBoth = [&] { return two.coordinator.store({chunk("/1", {1}), chunk("/2", {2})}, {"a", "b"}); };
    const auto isSettled = [&] { return two.a.storage->undecided().empty() && two.b.storage->undecided().empty(); };
    SECTION("that of a prepare: none, and they can be written again") {
        size_t prepared = 0;
        two.relay.lose(TcpRelay::Loss::Answer, "nodePrepare", 1, [&] { prepared = two.b.storage->undecided().size(); });
        CHECK_THROWS_AS(storeOnBoth(), SystemError);
        CHECK(prepared == 1);
        CHECK(eventually(isSettled));
        CHECK(two.a.rowCount() + two.b.rowCount() == 0);
        CHECK(storeOnBoth());
    }
    SECTION("that of the decision: all") {
        two.relay.lose(TcpRelay::Loss::Answer, "nodeDecide", 1);
        CHECK(storeOnBoth());
    }
    SECTION("the decision itself: all, as soon as the node looks for it") {
        two.relay.lose(TcpRelay::Loss::Request, "nodeDecide", 1);
        CHECK(storeOnBoth());
    }
    CHECK(two.relay.lost() == 1);
    CHECK(eventually(isSettled));
    CHECK(two.a.rowCount() == 1);
    CHECK(two.b.rowCount() == 1);
}
