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

TEST_CASE("who hears more than half of the living nodes in sync writes others out, and of two halves one") {
    struct Case {
        const char* what;
        size_t nodes;
        std::string self, missed;
        std::set<std::string> living, refused, heard;
        bool expected;
    };
    const Case cases[] = {
        {"one of three is missed", 3, "a", "b", {"a", "b", "c"}, {}, {"c"}, true},
        {"it hears nobody of three", 3, "a", "b", {"a", "b", "c"}, {}, {}, false},
        {"the missed one does not count as heard", 3, "a", "b", {"a", "b", "c"}, {}, {"b"}, false},
        {"the larger side of five", 5, "a", "d", {"a", "b", "c", "d", "e"}, {}, {"b", "c"}, true},
        {"the smaller side of five", 5, "d", "a", {"a", "b", "c", "d", "e"}, {}, {"e"}, false},
        {"the half of four with the first node", 4, "b", "c", {"a", "b", "c", "d"}, {}, {"a"}, true},
        {"the half of four without it", 4, "c", "a", {"a", "b", "c", "d"}, {}, {"d"}, false},
        {"dead nodes do not count", 4, "c", "d", {"c", "d", "b"}, {}, {"b"}, true},
        {"the first of two", 2, "a", "b", {"a", "b"}, {}, {}, true},
        {"the second of two, cut off", 2, "b", "a", {"a", "b"}, {}, {}, false},
        {"the second of two, whose other process has ended", 2, "b", "a", {"a", "b"}, {"a"}, {}, true},
        {"... or is dead", 2, "b", "a", {"b"}, {}, {}, true},
        {"a refusal is no proof among three: a cut may refuse, too",
         3,
         "c",
         "a",
         {"a", "b", "c"},
         {"a", "b"},
         {},
         false},
    };
    for (const Case& one : cases) {
        ClusterConfig config;
        for (size_t i = 0; i < one.nodes; ++i) {
            NodeConfig added = node(std::string(1, static_cast<char>('a' + i)), NodeState::In, std::nullopt);
            added.number = i + 1;
            config.nodes.push_back(added);
        }
        INFO(one.what);
        CHECK(mayWriteOut(config, one.self, one.missed, one.living, one.refused, one.heard) == one.expected);
        for (NodeConfig& known : config.nodes) {
            if (known.alias == one.self) ClusterConfig::enter(known, NodeState::Out);
        }
        CHECK_FALSE(mayWriteOut(config, one.self, one.missed, one.living, one.refused, one.heard));
    }
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

TEST_CASE("a node serves revisions since its return, not those from before it") {
    ClusterConfig config;
    config.nodes = {node("a", NodeState::Joining, 20)};
    ClusterConfig::enter(config.nodes[0], NodeState::In);
    const ClusterConfig read = ClusterConfig::decode({kConfigKey, config.encode(), 40});
    CHECK_FALSE(read.isInSince("a", 19));
    CHECK_FALSE(read.isInSince("a", 39));
    CHECK(read.isInSince("a", 40));
    CHECK_FALSE(read.isInSince("b", 40));
    config.nodes[0].state = NodeState::Out;
    CHECK_FALSE(config.isInSince("a", 50));
}
