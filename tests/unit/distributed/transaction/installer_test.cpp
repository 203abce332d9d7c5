#include "distributed/transaction/installer.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "distributed/metadata/cluster_state.h"
#include "distributed/transaction/attempt.h"
#include "storage/commit/commit_path.h"
#include "storage/log/stamp.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

constexpr uint64_t kBase = stamp::kFirstBase;

ClusterConfig configOf(NodeState state, uint64_t since) {
    ClusterConfig config;
    NodeConfig& node = config.started("a", "a/1");
    node.state = state;
    node.since = since;
    return config;
}

struct Fixture {
    void prepare(const std::string& transaction, int64_t firstId) {
        files.storage->prepared().prepare(transaction, {"a"}, {idRows(1, "/1", 0, firstId, 2)});
    }
    bool isPrepared(const std::string& transaction) const { return files.storage->prepared().isPrepared(transaction); }
    int64_t rowCount() const {
        const VersionSet& versions = files.storage->versions();
        const uint64_t id = versions.find(1, "/1");
        return id == 0 ? 0 : versions.version(id, files.storage->versions().visible())->rowCount;
    }

    StorageFixture files;
    Installer installer{*files.storage, "a/1"};
};

}  // namespace

TEST_CASE("who may prepare is in sync as its sender knows it, or is asked for its own chunks alone") {
    const StorageFixture files;
    const Installer installer(*files.storage, "a/1");
    CHECK(installer.mayPrepare(configOf(NodeState::In, 5), 5, false) == CommitResult::Done);
    CHECK(installer.mayPrepare(configOf(NodeState::In, 5), 4, false) == CommitResult::OldConfig);
    CHECK(installer.mayPrepare(configOf(NodeState::Out, 5), 5, false) == CommitResult::NotInSync);
    CHECK(installer.mayPrepare(configOf(NodeState::Out, 5), 5, true) == CommitResult::Done);
    CHECK(installer.mayPrepare(configOf(NodeState::Joining, 5), 6, false) == CommitResult::Done);
    CHECK(installer.mayPrepare(ClusterConfig(), 5, true) == CommitResult::NotInSync);
    // A later process of the node has taken over.
    ClusterConfig renewed = configOf(NodeState::In, 5);
    renewed.started("a", "a/2");
    CHECK(installer.mayPrepare(renewed, 5, false) == CommitResult::NotInSync);
}

TEST_CASE("a commit is installed at the stamp of its revision, an abort leaves nothing, and others are not ours") {
    Fixture node;
    node.prepare("b/1/1", 0);
    node.installer.install({10, kBase, {{"c/1/9", true, 0, {"c"}, 10}, {"b/1/1", true, 1, {"a"}, 10}}});
    CHECK(!node.isPrepared("b/1/1"));
    CHECK(node.rowCount() == 2);
    CHECK(node.files.storage->versions().visible() >= stamp::ofDecision(10, kBase, 1));
    node.prepare("b/1/2", 5);
    node.installer.install({11, kBase, {{"b/1/2", false, 0, {"a"}, 11}}});
    CHECK(!node.isPrepared("b/1/2"));
    CHECK(node.rowCount() == 2);
    // Own commits come behind what was decided.
    node.files.storage->commits().append({idRows(1, "/1", 0, 9, 1)});
    CHECK(node.files.storage->versions().visible() >= stamp::firstOwnAfter(11, kBase));
    CHECK(node.rowCount() == 3);
}

TEST_CASE("what is installed is confirmed when it is on the disk, and a lost folder confirms nothing") {
    Fixture node;
    const ClusterConfig config = configOf(NodeState::In, 1);
    CHECK(node.installer.confirmedRevision(config) == 0);
    node.prepare("b/1/1", 0);
    node.installer.install({10, kBase, {{"b/1/1", true, 0, {"a"}, 10}}});
    node.installer.install({12, kBase, {}});
    CHECK(node.installer.confirmedRevision(config) == 0);
    node.installer.confirm();
    CHECK(node.installer.confirmedRevision(config) == 12);
    ClusterConfig lost = config;
    ClusterConfig::lose(lost.nodes[0]);
    CHECK(node.installer.confirmedRevision(lost) == 0);
}

TEST_CASE("a transaction without an end is doubted after a while, and one whose abort had passed is forgotten") {
    Fixture node;
    node.prepare("b/1/1", 0);
    const Installer::Time begin{};
    CHECK(node.installer.doubts(begin, {}).empty());
    CHECK(node.installer.doubts(begin + std::chrono::seconds(1), {}).empty());
    const auto doubts = node.installer.doubts(begin + std::chrono::seconds(3), {});
    REQUIRE(doubts.size() == 1);
    CHECK(doubts[0].name == "b/1/1");
    const TransactionRecord abort = Installer::abortOf(doubts[0]);
    CHECK(!abort.commit);
    CHECK(abort.participants == std::vector<std::string>{"a"});

    CHECK(node.installer.doubts(begin + std::chrono::seconds(4), {{"b/1/1", {"b/1/1", true, 0, {"a"}, 9}}}).empty());
    CHECK(node.isPrepared("b/1/1"));
    CHECK(node.installer.doubts(begin + std::chrono::seconds(5), {{"b/1/1", abort}}).empty());
    CHECK(!node.isPrepared("b/1/1"));
}

TEST_CASE("records go when all participants have confirmed them and their coordinator is this node, now or before") {
    Fixture node;
    ClusterConfig config = configOf(NodeState::In, 1);
    config.started("b", "b/1");
    const std::map<std::string, TransactionRecord> records = {
        {"a/0/1", {"a/0/1", true, 0, {"a"}, 5}},  {"a/1/1", {"a/1/1", true, 0, {"a", "b"}, 5}},
        {"a/1/2", {"a/1/2", true, 0, {"a"}, 9}},  {"a/1/3", {"a/1/3", true, 0, {"a"}, 5}},
        {"a/1/4", {"a/1/4", false, 0, {"c"}, 5}}, {"b/1/1", {"b/1/1", true, 0, {"a"}, 5}},
    };
    const std::map<std::string, uint64_t> confirmed = {{"a", 8}, {"b", 5}};
    CHECK(node.installer.toPurge(records, config, confirmed, {"a/1/3"}, 10) ==
          std::vector<std::string>{"a/0/1", "a/1/1"});
    CHECK(node.installer.toPurge(records, config, confirmed, {}, 1) == std::vector<std::string>{"a/0/1"});
    CHECK(node.installer.toPurge(records, config, {}, {}, 10).empty());
}

TEST_CASE("a reader at a revision sees what was decided by then, and not before the folder was this one") {
    Fixture node;
    node.prepare("b/1/1", 0);
    node.installer.install({10, kBase, {{"b/1/1", true, 0, {"a"}, 10}}});
    const auto pin = node.installer.pinAt(10, kBase);
    CHECK(pin->number() <= stamp::lastSeenAt(10, kBase));
    node.installer.keepFrom(11);
    CHECK_THROWS_WITH(node.installer.pinAt(10, kBase), "The revision 10 of the cluster is no longer kept.");
}
