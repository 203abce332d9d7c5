#include "distributed/metadata/cluster_keys.h"

#include <catch2/catch.hpp>

#include "storage/log/stamp.h"
#include "storage/version/metadata_embedded.h"

using namespace pelorus;

TEST_CASE("a place is written and read with all it has") {
    PlacedChunk place;
    place.path = "/20240102/Key3";
    place.index = {4, 3};
    place.replicas = {"a", "b"};
    place.learners = {{"c", false, ""}, {"d", true, "a"}};
    place.left = {"e", "f"};
    place.routes = {{5, 123}, {6, 130}};
    CHECK(encodePlace(place) == "a,b\n4,3\nlearner c named \nlearner d joining a\nleft e,f\nroutes 5:123,6:130");

    const PlacedChunk read = decodePlace(place.path, encodePlace(place), 17);
    CHECK(read.path == place.path);
    CHECK(read.index == place.index);
    CHECK(read.replicas == place.replicas);
    CHECK(read.left == place.left);
    CHECK(read.routes == place.routes);
    CHECK(read.revision == 17);
    REQUIRE(read.learners.size() == 2);
    CHECK(!read.prepares("c"));
    CHECK(read.learner("c")->replaces.empty());
    CHECK(read.prepares("d"));
    CHECK(read.learner("d")->replaces == "a");
    CHECK(!read.isReplica("d"));
}

TEST_CASE("a partition of a dimension table has no index, and records of old versions lack its line") {
    PlacedChunk dimension;
    dimension.replicas = {"a"};
    CHECK(encodePlace(dimension) == "a\n");
    CHECK(decodePlace("/", "a\n", 1).index.empty());
    const PlacedChunk old = decodePlace("/1", "a,b", 1);
    CHECK(old.index.empty());
    CHECK(old.replicas == std::vector<std::string>{"a", "b"});
    // What a later version may add is passed over.
    CHECK(decodePlace("/1", "a\n7\nweight 3", 1).index == std::vector<int>{7});
}

TEST_CASE("the end of a transaction is written and read, and what is no such record is nothing") {
    const TransactionRecord record{"a/12/3", true, 2, {"a", "b"}, 0};
    CHECK(record.encode() == "commit 2 a,b");
    const auto read = TransactionRecord::decode("a/12/3", record.encode(), 40);
    REQUIRE(read);
    CHECK(read->commit);
    CHECK(read->place == 2);
    CHECK(read->participants == record.participants);
    CHECK(read->revision == 40);
    CHECK(!TransactionRecord::decode("a/1", "abort 0 a", 1)->commit);
    for (const char* value : {"", "commit", "commit x a", "perhaps 0 a", "commit 0"}) {
        INFO(value);
        CHECK(!TransactionRecord::decode("a/1", value, 1));
    }
}

TEST_CASE("names lead from a transaction to its process and to its node") {
    CHECK(incarnationOf("a/12/3") == "a/12");
    CHECK(aliasOf("a/12") == "a");
    CHECK(aliasOf(incarnationOf("node/7/1")) == "node");
    CHECK(decisionKey("a/12/3") == "txn/a/12/3");
}

TEST_CASE("the partitions of a node are found in all databases, and of a database in no other with its beginning") {
    const auto store = memoryMetaStore();
    CHECK(placesOfNode(*store, "a").empty());
    CHECK(baseOf(*store) == stamp::kFirstBase);
    store->transact({}, {{placeKey("dfs://X", "/1"), "a,b\n0", 0},
                         {placeKey("dfs://X", "/2"), "b\n1", 0},
                         {placeKey("dfs://XY", "/1"), "c,a\n0", 0},
                         {kBaseKey, "77", 0}});
    std::vector<std::string> paths;
    for (const PlacedChunk& place : placesOfNode(*store, "a")) paths.push_back(place.path);
    CHECK(paths == std::vector<std::string>{"dfs://X/1", "dfs://XY/1"});
    CHECK(store->range(placesOf("dfs://X")).entries.size() == 2);
    CHECK(baseOf(*store) == 77);
}
