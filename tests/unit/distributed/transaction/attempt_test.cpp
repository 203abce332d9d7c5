#include "distributed/transaction/attempt.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

namespace {

using Kind = Attempt::Kind;
using ConfigRef = std::shared_ptr<const ClusterConfig>;

// Nodes a, b and c, in sync but for those listed.
ConfigRef configOf(uint64_t revision, const std::set<std::string>& out = {}) {
    ClusterConfig config;
    config.revision = revision;
    for (const std::string alias : {"a", "b", "c"}) {
        NodeConfig& node = config.started(alias, alias + "/1");
        node.since = 1;
        if (out.count(alias) == 0) continue;
        node.state = NodeState::Out;
        node.since = revision;
    }
    return std::make_shared<const ClusterConfig>(std::move(config));
}

// Coordinated by c, which keeps none of the chunks.
Attempt attemptOf(Replicas replicas, const ConfigRef& config) {
    return Attempt("c/1/7", std::move(replicas), {}, config, "c/1");
}

}  // namespace

TEST_CASE("the only replica of a chunk prepares in any state, and one of several unless it is out") {
    CHECK(nodesToPrepare({{"a"}}, {}, *configOf(5, {"a"})) == std::set<std::string>{"a"});
    CHECK(nodesToPrepare({{"a", "b"}}, {}, *configOf(5, {"a"})) == std::set<std::string>{"b"});
    CHECK(nodesToPrepare({{"a", "b"}}, {"c"}, *configOf(5)) == std::set<std::string>{"a", "b", "c"});
    CHECK(nodesToPrepare({{"a", "b"}}, {"c", "gone"}, *configOf(5, {"c"})) == std::set<std::string>{"a", "b"});
    try {
        nodesToPrepare({{"c"}, {"a", "b"}}, {}, *configOf(5, {"a", "b"}));
        FAIL("nobody is in sync");
    } catch (const SystemError& error) {
        CHECK(std::string(error.what()) ==
              "No node that keeps a partition of these rows is in sync: a and b are not. Nothing was written.");
        CHECK(error.retryable());
    }
}

TEST_CASE("it is decided when all have prepared, and what the store says is how it ended") {
    const ConfigRef config = configOf(5);
    Attempt attempt = attemptOf({{"a", "b"}}, config);
    CHECK(attempt.next(config).kind == Kind::Wait);
    attempt.answered("a", CommitResult::Done);
    CHECK(attempt.next(config).kind == Kind::Wait);
    CHECK(attempt.mayForget());
    attempt.answered("b", CommitResult::Done);
    CHECK(attempt.next(config).kind == Kind::Decide);
    CHECK(!attempt.mayForget());
    CHECK(attempt.record(true).participants == std::vector<std::string>{"a", "b"});
    attempt.decided(Decision::Committed);
    CHECK(attempt.result() == CommitResult::Done);
    // The first end counts.
    attempt.decided(Decision::Aborted);
    CHECK(attempt.result() == CommitResult::Done);
    CHECK(attempt.next(config).kind == Kind::End);
}

TEST_CASE("a node that is lost is written out when another one has prepared its chunks") {
    const ConfigRef config = configOf(5);
    Attempt attempt = attemptOf({{"a", "b"}}, config);
    attempt.lost("a", "The node a does not answer.");
    CHECK(attempt.next(config).kind == Kind::Wait);  // b may still answer
    attempt.answered("b", CommitResult::Done);
    const Attempt::Step step = attempt.next(config);
    CHECK(step.kind == Kind::WriteOut);
    CHECK(step.alias == "a");
    attempt.wroteOut("a", true);
    CHECK(attempt.next(configOf(6, {"a"})).kind == Kind::Decide);
    CHECK(attempt.config().revision == 6);

    Attempt refused = attemptOf({{"a", "b"}}, config);
    refused.lost("a", "The node a does not answer.");
    refused.answered("b", CommitResult::Done);
    refused.wroteOut("a", false);
    CHECK(refused.next(config).kind == Kind::End);
    CHECK(refused.result() == CommitResult::Refused);
    CHECK(refused.whyLost() == "The node a does not answer.");
}

TEST_CASE("a node that alone keeps a chunk is missed by nobody") {
    const ConfigRef config = configOf(5);
    Attempt attempt = attemptOf({{"a"}, {"b"}}, config);
    attempt.answered("b", CommitResult::Done);
    attempt.answered("a", CommitResult::CutOff);
    CHECK(attempt.next(config).kind == Kind::End);
    CHECK(attempt.result() == CommitResult::Refused);
    CHECK(attempt.whyLost() == "The node a does not reach the metadata store.");
    CHECK(attempt.mayForget());
}

TEST_CASE("each refusal of a node ends the attempt in its way, unless it was sent") {
    const std::pair<CommitResult, CommitResult> cases[] = {
        {CommitResult::TableChanged, CommitResult::TableChanged},
        {CommitResult::RowsChanged, CommitResult::RowsChanged},
        {CommitResult::RowsMoved, CommitResult::RowsMoved},
        {CommitResult::Busy, CommitResult::Busy},
        {CommitResult::OldConfig, CommitResult::TryAgain},
        {CommitResult::NotInSync, CommitResult::TryAgain},
    };
    for (const auto& [answer, outcome] : cases) {
        INFO(static_cast<int>(answer));
        Attempt attempt = attemptOf({{"a", "b"}}, configOf(5));
        attempt.answered("a", answer);
        CHECK(attempt.isRefused());
        CHECK(attempt.next(configOf(5)).kind == Kind::End);
        CHECK(attempt.result() == outcome);
    }
}

TEST_CASE("what was sent for decision is aborted by a record, and unknown when nobody waits or it is fenced") {
    const auto sent = [] {
        Attempt attempt = attemptOf({{"a"}}, configOf(5));
        attempt.answered("a", CommitResult::Done);
        REQUIRE(attempt.next(configOf(5)).kind == Kind::Decide);
        attempt.decided(Decision::Refused);
        CHECK(attempt.next(configOf(5)).kind == Kind::Wait);  // the store knows a newer one
        return attempt;
    };
    Attempt moved = sent();
    CHECK(moved.next(configOf(6), false).kind == Kind::Abort);
    Attempt again = sent();
    CHECK(again.next(configOf(6)).kind == Kind::Decide);
    Attempt left = sent();
    left.giveUp();
    CHECK(left.result() == CommitResult::Unknown);
    Attempt fenced = sent();
    auto renewed = std::make_shared<ClusterConfig>(*configOf(6));
    renewed->started("c", "c/2");
    CHECK(fenced.next(renewed).kind == Kind::End);
    CHECK(fenced.result() == CommitResult::Unknown);

    Attempt unsent = attemptOf({{"a"}}, configOf(5));
    CHECK(unsent.next(renewed).kind == Kind::End);
    CHECK(unsent.result() == CommitResult::Fenced);
}
