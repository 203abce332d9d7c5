#include "distributed/metadata/cluster_config.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/version/metadata_embedded.h"

using namespace pelorus;

namespace {

ClusterConfig decoded(const std::string& value, uint64_t revision = 9) {
    return ClusterConfig::decode({kConfigKey, value, revision});
}

}  // namespace

TEST_CASE("a new node begins in sync with the next number, and one that is known keeps its state") {
    ClusterConfig config;
    CHECK(config.started("a", "a/1").number == 1);
    CHECK(config.started("b", "b/1").number == 2);
    ClusterConfig::enter(*config.find("a"), NodeState::Out);
    const NodeConfig& again = config.started("a", "a/2");
    CHECK(again.number == 1);
    CHECK(again.incarnation == "a/2");
    CHECK(again.state == NodeState::Out);
    CHECK(config.nodes.size() == 2);
    CHECK(config.isIn("b"));
    CHECK(!config.isIn("a"));
    CHECK(!config.isIn("c"));
    CHECK(config.find("c") == nullptr);
    // Numbers of removed nodes are not given again while a later one is there.
    config.nodes.erase(config.nodes.begin());
    CHECK(config.started("c", "c/1").number == 3);
}

TEST_CASE("a state that is entered has the revision of the write that says so") {
    ClusterConfig config;
    config.started("a", "a/1");
    config.started("b", "b/1");
    config = decoded(config.encode(), 5);
    CHECK(config.find("a")->since == 5);
    CHECK(!config.find("a")->left);
    CHECK(config.isInSince("a", 5));
    CHECK(!config.isInSince("a", 4));

    ClusterConfig::lose(*config.find("a"));
    config = decoded(config.encode(), 7);
    CHECK(config.find("a")->left == 7u);
    CHECK(config.find("a")->isLost);
    CHECK(config.find("b")->since == 5);
    CHECK(!config.isInSince("a", 9));

    // When it joins it has left before, and when it is in sync nothing is missing any more.
    ClusterConfig::enter(*config.find("a"), NodeState::Joining);
    config = decoded(config.encode(), 8);
    CHECK(config.find("a")->left == 7u);
    CHECK(config.find("a")->isLost);
    ClusterConfig::enter(*config.find("a"), NodeState::In);
    config = decoded(config.encode(), 9);
    CHECK(config.find("a")->since == 9);
    CHECK(config.find("a")->left == 7u);
    CHECK(!config.find("a")->isLost);
    CHECK(config.find("a")->incarnation == "a/1");
}

TEST_CASE("a list that does not read says that versions may differ") {
    const char* const bad[] = {
        "",
        "{}",
        R"({"nodes":[{"alias":"a"}]})",
        R"({"nodes":[{"alias":"a","number":1,"incarnation":"a/1","state":"asleep","since":1}]})",
        R"({"nodes":[{"alias":"a","number":"x","incarnation":"a/1","state":"in","since":1}]})",
    };
    for (const char* value : bad) {
        INFO(value);
        try {
            decoded(value);
            FAIL("it was read");
        } catch (const SystemError& error) {
            CHECK(std::string(error.what()).starts_with("The metadata store's list of nodes does not read: "));
            CHECK(error.hint() == "Another version of Pelorus may have written it; all nodes must have the same.");
        }
    }
    CHECK(decoded(R"({"nodes":[]})").nodes.empty());
}

TEST_CASE("of two changes of one list the second is refused, with all that goes with it") {
    const auto store = memoryMetaStore();
    ClusterConfig config = ClusterConfig::read(*store);
    CHECK(config.revision == 0);
    config.started("a", "a/1");
    REQUIRE(config.write(*store));
    CHECK(!config.write(*store));

    ClusterConfig first = ClusterConfig::read(*store), second = first;
    CHECK(first.revision != 0);
    ClusterConfig::enter(first.nodes[0], NodeState::Out);
    second.started("b", "b/1");
    CHECK(first.write(*store, {{"with/first", "x", 0}}));
    CHECK(!second.write(*store, {{"with/second", "x", 0}}));
    CHECK(store->get("with/first"));
    CHECK(!store->get("with/second"));
    CHECK(ClusterConfig::read(*store).find("b") == nullptr);
}
