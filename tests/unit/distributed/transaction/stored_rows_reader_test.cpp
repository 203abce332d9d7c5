#include "distributed/transaction/stored_rows_reader.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "distributed/metadata/replica_places.h"
#include "distributed/transaction/snapshot_pins.h"
#include "storage/commit/commit_path.h"
#include "tests/support/cluster_nodes.h"

using namespace pelorus;

TEST_CASE(
    "a partition that has left a node shows its rows at older revisions, and is refused, not empty, at newer ones") {
    testing::EtcdFixture etcd;
    const TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    BareNode b(etcd, "b", folder.path());
    ClusterMap& map = a.participant->map();
    Placement placement(*a.cluster, *a.store, map, 2);
    const TableEntry table = makeTable(*a.store);
    REQUIRE(placement.placesOf(table, {chunk("/1", {1})}));
    a.storage->commits().append({chunk("/1", {1, 2, 3})});
    const auto open = [&](uint64_t query) {
        const uint64_t revision = map.currentRevision();
        const std::string name = a.cluster->incarnation() + "/" + std::to_string(query);
        a.participant->pins().beginHold(name);
        a.participant->pins().open(query, name, revision, true);
        return revision;
    };
    const StoredRowsReader& reader = a.participant->reader();
    const uint64_t before = open(1);
    CHECK(reader.rowCounts(1, before, table.id, {"/1"}) == std::vector<int64_t>{3});

    const PlacedChunk place = map.chunk("dfs://X", "/1").value();
    REQUIRE(place.replicas.size() == 2);
    REQUIRE(removeReplica(*a.store, map, "dfs://X", {place}, "a"));
    REQUIRE(eventually([&] { return a.rowCount() == 0; }));
    CHECK(reader.rowCounts(1, before, table.id, {"/1"}) == std::vector<int64_t>{3});
    const uint64_t after = open(2);
    CHECK_THROWS_WITH(reader.rowCounts(2, after, table.id, {"/1"}), Catch::Contains("had left the node a"));
    CHECK(reader.rowCounts(2, after, table.id, {"/2"}) == std::vector<int64_t>{0});
    CHECK(reader.rowCounts(2, after, table.id + 1, {"/1"}) == std::vector<int64_t>{0});
}
