#include "distributed/metadata/cluster_state.h"

#include <catch2/catch.hpp>

#include "storage/log/stamp.h"

using namespace pelorus;

namespace {

// One revision of the store: its keys, and the clock.
class Changes {
public:
    explicit Changes(uint64_t revision) : revision_(revision) {}
    Changes& put(const std::string& key, const std::string& value) {
        changes_.push_back({key, value, revision_});
        return *this;
    }
    Changes& remove(const std::string& key) {
        changes_.push_back({key, std::nullopt, revision_});
        return *this;
    }
    std::optional<ClusterMoment> applyTo(ClusterState& state) {
        put(kClockKey, "");
        return state.apply(changes_);
    }

private:
    const uint64_t revision_;
    std::vector<MetaChange> changes_;
};

std::vector<std::string> pathsOf(const PlacedChunks& chunks) {
    std::vector<std::string> paths;
    for (const PlacedChunk& chunk : *chunks) paths.push_back(chunk.path);
    return paths;
}

}  // namespace

TEST_CASE("partitions are listed by their positions, and a list that was handed out stays as it is") {
    ClusterState state;
    CHECK(state.chunks("dfs://X")->empty());
    Changes(5).put(placeKey("dfs://X", "/b"), "a\n2").put(placeKey("dfs://X", "/c"), "a\n0").applyTo(state);
    const PlacedChunks before = state.chunks("dfs://X");
    CHECK(pathsOf(before) == std::vector<std::string>{"/c", "/b"});
    CHECK(state.chunks("dfs://X") == before);
    Changes(6).put(placeKey("dfs://X", "/a"), "a\n1").remove(placeKey("dfs://X", "/c")).applyTo(state);
    CHECK(pathsOf(state.chunks("dfs://X")) == std::vector<std::string>{"/a", "/b"});
    CHECK(pathsOf(before) == std::vector<std::string>{"/c", "/b"});
    CHECK(!state.chunk("dfs://X", "/c"));
    CHECK(state.chunk("dfs://X", "/a")->revision == 6);
    CHECK(!state.chunk("dfs://Y", "/a"));
}

TEST_CASE("a replica that came later has nothing to show at older revisions") {
    ClusterState state;
    const std::string key = placeKey("dfs://X", "/1");
    Changes(5).put(key, "a\n0").applyTo(state);
    CHECK(state.unsettled().empty());
    Changes(7).put(key, "a\n0\nlearner b joining ").applyTo(state);
    REQUIRE(state.unsettled().size() == 1);
    CHECK(state.unsettled()[0].first == "dfs://X");
    Changes(9).put(key, "a,b\n0").applyTo(state);
    CHECK(state.unsettled().empty());
    CHECK(state.chunk("dfs://X", "/1")->since == std::map<std::string, uint64_t>{{"b", 9}});
    Changes(11).put(key, "a,b\n0\nleft c").applyTo(state);
    CHECK(state.chunk("dfs://X", "/1")->since == std::map<std::string, uint64_t>{{"b", 9}});
    CHECK(state.unsettled().size() == 1);
    Changes(12).remove(key).applyTo(state);
    CHECK(state.unsettled().empty());
}

TEST_CASE(
    "transactions that ended at one revision come in their order, and known revisions and ends of leases not at all") {
    ClusterState state;
    const auto moment = Changes(8).put("txn/a/1/2", "commit 1 a").put("txn/b/1/9", "abort 0 b").applyTo(state);
    REQUIRE(moment);
    CHECK(moment->revision == 8);
    CHECK(moment->base == stamp::kFirstBase);
    REQUIRE(moment->ended.size() == 2);
    CHECK(moment->ended[0].transaction == "b/1/9");
    CHECK(moment->ended[1].transaction == "a/1/2");
    CHECK(state.records().size() == 2);

    CHECK(!Changes(8).put("txn/a/1/3", "commit 0 a").applyTo(state));
    CHECK(state.records().size() == 2);
    CHECK(!state.apply({{"alive/a", std::nullopt, 9}}));
    CHECK(state.revision() == 8);
    Changes(10).remove("txn/a/1/2").put(kBaseKey, "40").applyTo(state);
    CHECK(state.records().count("a/1/2") == 0);
    CHECK(state.base() == 40);
}

TEST_CASE("a key that does not read changes nothing, and the others of its revision count") {
    ClusterState state;
    Changes(3).put(placeKey("dfs://X", "/1"), "a\n0").applyTo(state);
    const auto moment =
        Changes(4).put(placeKey("dfs://X", "/1"), "a\nzero").put(kConfigKey, "?").put("user/x", "y").applyTo(state);
    REQUIRE(moment);
    CHECK(state.chunk("dfs://X", "/1")->index == std::vector<int>{0});
    CHECK(state.config()->nodes.empty());
    CHECK(state.entry("user/x")->value == "y");
    CHECK(state.revision() == 4);
}

TEST_CASE("a state that is read anew has the moments of its records, and at last that of the clock") {
    ClusterState state;
    Changes(3).put(placeKey("dfs://X", "/gone"), "a\n0").put("old", "").applyTo(state);
    const auto moments = state.read({30,
                                     {{kClockKey, "", 20},
                                      {"kept", "v", 6},
                                      {"kept/2", "w", 7},
                                      {"txn/a/1/1", "commit 1 a", 12},
                                      {"txn/a/1/2", "commit 0 a", 12},
                                      {"txn/a/1/3", "abort 0 a", 9}}});
    REQUIRE(moments.size() == 3);
    CHECK(moments[0].revision == 9);
    CHECK(moments[1].ended[0].transaction == "a/1/2");
    CHECK(moments[1].ended[1].transaction == "a/1/1");
    CHECK(moments[2].revision == 20);
    CHECK(moments[2].ended.empty());
    CHECK(state.revision() == 20);
    CHECK(state.chunks("dfs://X")->empty());
    CHECK(!state.entry("old"));
    CHECK(state.entries("kept", 0).size() == 2);
    CHECK(state.entries("kept", 1).size() == 1);
    CHECK(!state.entry("txn/a/1/1"));
    CHECK(!ClusterState::keepsKeys("txn/a"));
    CHECK(!ClusterState::keepsKeys(""));
}

TEST_CASE("a node may be missed when each of its shared partitions has another replica in sync") {
    ClusterState state;
    ClusterConfig config;
    for (const std::string alias : {"a", "b", "c"}) config.started(alias, alias + "/1");
    Changes(2).put(kConfigKey, config.encode()).put(placeKey("dfs://X", "/1"), "a\n0").applyTo(state);
    CHECK(!state.othersHave("a"));  // it shares none
    Changes(3).put(placeKey("dfs://X", "/2"), "a,b\n1").put(placeKey("dfs://Y", "/1"), "c,a\n0").applyTo(state);
    CHECK(state.othersHave("a"));
    ClusterConfig::enter(*config.find("b"), NodeState::Out);
    Changes(4).put(kConfigKey, config.encode()).applyTo(state);
    CHECK(!state.othersHave("a"));
    CHECK(state.othersHave("b"));
}
