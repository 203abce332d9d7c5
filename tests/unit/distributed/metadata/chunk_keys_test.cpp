#include "distributed/metadata/chunk_keys.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/cluster_keys.h"
#include "storage/version/metadata_embedded.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

void put(MetaStore& store, const std::string& key, const std::string& value) {
    store.transact({}, {{key, value, 0}});
}

TableEntry tradesIn(MetaStore& store, const std::string& name) {
    Catalog catalog(store);
    if (!catalog.findDatabase("dfs://trades")) catalog.createDatabase(tradeDatabase());
    return catalog.createTable(tradeTable(name));
}

}  // namespace

TEST_CASE("the version of the first stores is not written") {
    CHECK(ClusterFormat::decode("abc").version == 1);
    CHECK(ClusterFormat::decode("abc 2").version == 2);
    CHECK(ClusterFormat::decode("abc 2").id == "abc");
    CHECK(ClusterFormat{"abc", 1}.encode() == "abc");
    CHECK(ClusterFormat{"abc", 2}.encode() == "abc 2");
}

TEST_CASE("chunks of several tables become places of their partitions, and those of dropped tables nothing") {
    const auto store = memoryMetaStore();
    put(*store, kClusterIdKey, "abc");
    const TableEntry first = tradesIn(*store, "first"), second = tradesIn(*store, "second");
    const auto keyOf = [](const TableEntry& table, const std::string& path) {
        return "chunk/" + std::to_string(table.id) + "/" + path;
    };
    const std::string dropped = "chunk/" + std::to_string(second.id + 7) + "/1/A";
    put(*store, keyOf(first, "1/A"), "a,b\n0,0");
    put(*store, keyOf(second, "1/A"), "a,b\n0,0");
    put(*store, keyOf(second, "2/A"), "b\n1,0");
    put(*store, dropped, "c\n0,0");
    put(*store, "chunks/" + std::to_string(first.id), "");
    const uint64_t routeOfFirst = store->get(keyOf(first, "1/A"))->revision;
    const uint64_t routeOfSecond = store->get(keyOf(second, "1/A"))->revision;

    turnChunkKeys(*store);
    CHECK(store->range("chunk").entries.empty());
    CHECK(store->get(kClusterIdKey)->value == "abc 2");
    CHECK(store->range(kPlacePrefix).entries.size() == 2);
    const auto entry = store->get(placeKey("dfs://trades", "1/A"));
    REQUIRE(entry);
    const PlacedChunk place = decodePlace("1/A", entry->value, entry->revision);
    CHECK(place.replicas == std::vector<std::string>{"a", "b"});
    CHECK(place.index == std::vector<int>{0, 0});
    CHECK(place.routes == std::map<uint64_t, uint64_t>{{first.id, routeOfFirst}, {second.id, routeOfSecond}});
}

TEST_CASE("more chunks than one transaction takes are all turned, and a second time nothing happens") {
    const auto store = memoryMetaStore();
    put(*store, kClusterIdKey, "abc");
    const TableEntry table = tradesIn(*store, "trades");
    for (int i = 0; i < 100; ++i) {
        put(*store, "chunk/" + std::to_string(table.id) + "/" + std::to_string(i), "a\n" + std::to_string(i));
        put(*store, "chunks/" + std::to_string(i), "");
    }
    turnChunkKeys(*store);
    CHECK(store->range("chunk").entries.empty());
    CHECK(store->range(kPlacePrefix).entries.size() == 100);
    const uint64_t revision = store->range("").revision;
    turnChunkKeys(*store);
    CHECK(store->range("").revision == revision);
}

TEST_CASE("a store of a newer version is left alone") {
    const auto store = memoryMetaStore();
    put(*store, kClusterIdKey, "abc 3");
    put(*store, "chunk/1/1", "a\n0");
    try {
        turnChunkKeys(*store);
        FAIL("it was changed");
    } catch (const SystemError& error) {
        CHECK(std::string(error.what()) == "The metadata store was written by a newer version of Pelorus.");
        CHECK(error.hint() == "Start this node with that version.");
    }
    CHECK(store->get("chunk/1/1"));
    CHECK(store->get(kClusterIdKey)->value == "abc 3");
}
