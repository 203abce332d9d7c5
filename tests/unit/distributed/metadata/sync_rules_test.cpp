#include "distributed/metadata/sync_rules.h"

#include <catch2/catch.hpp>

#include "storage/log/stamp.h"

using namespace pelorus;

namespace {

NodeConfig node(const std::string& alias, NodeState state, std::optional<uint64_t> left, bool isLost = false) {
    return {alias, 1, alias + "/1", state, 1, left, isLost};
}

}  // namespace

TEST_CASE("who lacks rows copies from a node in sync, and the one that left last has them unless its folder was lost") {
    struct Case {
        NodeConfig own, other;
        Recovery expected;
    };
    const Case cases[] = {
        {node("a", NodeState::Out, 5), node("b", NodeState::In, std::nullopt), Recovery::Copy},
        {node("a", NodeState::Out, 5, true), node("b", NodeState::In, 3), Recovery::Copy},
        {node("a", NodeState::Out, 5), node("b", NodeState::Out, 3), Recovery::None},
        {node("a", NodeState::Out, 5), node("b", NodeState::Out, 5), Recovery::None},
        {node("a", NodeState::Out, 5), node("b", NodeState::Joining, 7), Recovery::Await},
        // Its rows are gone, but nobody else has them.
        {node("a", NodeState::Out, 5), node("b", NodeState::Out, 7, true), Recovery::Await},
        {node("a", NodeState::Out, 7, true), node("b", NodeState::Out, 5), Recovery::Await},
        {node("a", NodeState::Out, 7, true), node("b", NodeState::Out, 5, true), Recovery::Await},
    };
    for (const Case& one : cases) {
        ClusterConfig config;
        config.nodes = {one.own, one.other};
        INFO(config.encode());
        CHECK(recoveryOf(config, "a", {"a", "b"}) == one.expected);
    }
    ClusterConfig alone;
    alone.nodes = {node("a", NodeState::Out, 7, true)};
    CHECK(recoveryOf(alone, "a", {"a"}) == Recovery::Await);
}

TEST_CASE("a copy replaces nothing that is newer than the source's last change, or than the source's being complete") {
    const uint64_t base = stamp::kFirstBase;
    const auto decided = [&](uint64_t revision) { return stamp::ofDecision(revision, base, 0); };
    CHECK(mayReplace(0, 0, 1, base));
    CHECK(mayReplace(decided(10), decided(10), 1, base));
    CHECK(mayReplace(decided(10), decided(12), 1, base));
    CHECK(mayReplace(decided(10), 0, 10, base));
    CHECK_FALSE(mayReplace(decided(10), 0, 9, base));
    CHECK_FALSE(mayReplace(decided(10), decided(9), 9, base));
    // Own commits behind a revision count as of the next.
    CHECK(mayReplace(stamp::firstOwnAfter(10, base) + 3, stamp::firstOwnAfter(10, base), 1, base));
}

TEST_CASE("a lost folder stays with its node in the store until it is in sync") {
    ClusterConfig config;
    config.nodes = {node("a", NodeState::In, std::nullopt)};
    ClusterConfig::lose(config.nodes[0]);
    ClusterConfig read = ClusterConfig::decode({kConfigKey, config.encode(), 40});
    CHECK(read.nodes[0].state == NodeState::Out);
    CHECK(read.nodes[0].isLost);
    CHECK(read.nodes[0].left == 40u);
    read.started("a", "a/2");
    ClusterConfig::enter(read.nodes[0], NodeState::Joining);
    CHECK(read.nodes[0].isLost);
    ClusterConfig::enter(read.nodes[0], NodeState::In);
    CHECK_FALSE(ClusterConfig::decode({kConfigKey, read.encode(), 50}).nodes[0].isLost);
}
