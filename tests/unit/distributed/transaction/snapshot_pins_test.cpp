#include "distributed/transaction/snapshot_pins.h"

#include <catch2/catch.hpp>

#include "storage/commit/commit_path.h"
#include "tests/support/cluster_nodes.h"

using namespace pelorus;

TEST_CASE("a query keeps the snapshot of its first pin until it is closed") {
    testing::EtcdFixture etcd;
    const TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    SnapshotPins& pins = a.participant->pins();
    const std::string name = a.cluster->incarnation() + "/1";
    const uint64_t revision = a.participant->map().currentRevision();
    pins.beginHold(name);
    const uint64_t first = pins.open(1, name, revision, false);
    a.storage->commits().append({chunk("/1", {1})});
    CHECK(pins.open(1, name, revision, false) == first);
    CHECK(pins.find(1) == first);
    CHECK(pins.snapshot(1) == first);
    pins.close(1);
    CHECK_FALSE(pins.find(1));
    CHECK_THROWS_WITH(pins.snapshot(1), Catch::Contains("has ended on this node"));
    pins.close(1);  // a second one is no error
}

TEST_CASE("of the names that another node asks about, those are held that have begun and not ended") {
    testing::EtcdFixture etcd;
    const TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    SnapshotPins& pins = a.participant->pins();
    pins.beginHold("a/1");
    pins.beginHold("a/2");
    pins.endHold("a/2");
    pins.endHold("a/never");
    CHECK(pins.stillHeld({"a/0", "a/1", "a/2"}) == std::vector<std::string>{"a/1"});
    CHECK(pins.stillHeld({}).empty());
}

TEST_CASE("a snapshot of copies at a revision to which the node does not come is refused") {
    testing::EtcdFixture etcd;
    const TemporaryFolder folder;
    BareNode a(etcd, "a", folder.path());
    const uint64_t revision = a.participant->map().currentRevision();
    CHECK_THROWS_AS(a.participant->pins().open(1, a.cluster->incarnation() + "/1", revision + 1000, true), SystemError);
    CHECK_FALSE(a.participant->pins().find(1));
}
