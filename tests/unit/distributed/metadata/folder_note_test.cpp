#include "distributed/metadata/folder_note.h"

#include <catch2/catch.hpp>

#include "tests/support/stopped_node.h"

using namespace pelorus;

TEST_CASE("a folder is noted when it has more than its note says, and not otherwise") {
    const StoppedNode cluster(false);
    const auto storage = LocalStorage::open(cluster.data);
    noteFolder(*storage, *cluster.store, "a");
    const auto first = cluster.store->get(keptKey("a"));
    REQUIRE(first);
    noteFolder(*storage, *cluster.store, "a");
    CHECK(cluster.store->get(keptKey("a"))->revision == first->revision);
    storage->append({chunk("/1", {3})});
    storage->sync();
    noteFolder(*storage, *cluster.store, "a");
    const auto second = cluster.store->get(keptKey("a"));
    CHECK(second->revision > first->revision);
    CHECK(KeptFolder::decode(second->value).number > KeptFolder::decode(first->value).number);
    CHECK(readIdentity(cluster.data)->noted == second->revision);
}

TEST_CASE("the standing of a folder is read from the note of its node, not from one whose name begins so") {
    const StoppedNode cluster(false);
    const auto storage = LocalStorage::open(cluster.data);
    noteFolder(*storage, *cluster.store, "a");
    cluster.store->transact({}, {{keptKey("ab"), KeptFolder{"another", UINT64_MAX}.encode(), 0}});
    const FolderProof proof = proofOf(*storage, readIdentity(cluster.data));
    CHECK(standingIn(proof, *cluster.store, "a") == Standing::Whole);
    CHECK(standingIn(proof, *cluster.store, "ab") == Standing::Lost);
    FolderProof older = proof;
    older.number = 0;
    CHECK(standingIn(older, *cluster.store, "a") == Standing::Lost);
    FolderProof newer = proof;
    newer.seen = UINT64_MAX;
    CHECK(standingIn(newer, *cluster.store, "a") == Standing::StoreIsOlder);
}

TEST_CASE("a revision that a folder has seen is noted once, and never an older one") {
    const StoppedNode cluster(false);
    const auto storage = LocalStorage::open(cluster.data);
    const uint64_t seen = readIdentity(cluster.data)->revision;
    noteStoreRevision(*storage, seen + 5);
    CHECK(readIdentity(cluster.data)->revision == seen + 5);
    noteStoreRevision(*storage, seen + 1);
    CHECK(readIdentity(cluster.data)->revision == seen + 5);
}
