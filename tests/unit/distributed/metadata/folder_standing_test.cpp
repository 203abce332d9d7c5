#include "distributed/metadata/folder_standing.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/commit/commit_path.h"
#include "storage/log/stamp.h"
#include "storage/log/wal_writer.h"

#include "tests/support/stopped_node.h"

using namespace pelorus;

TEST_CASE("a folder stands for its node when it is the one that the store noted, and has what was noted") {
    const uint64_t base = stamp::kFirstBase, revision = 100;
    const uint64_t number = stamp::ofDecision(90, base, 0);
    const MetaEntry note{keptKey("a"), KeptFolder{"f", number}.encode(), 50};
    const FolderProof whole{true, "f", 80, 50, number};
    struct Case {
        const char* what;
        FolderProof proof;
        std::optional<MetaEntry> kept;
        Standing expected;
    };
    const Case cases[] = {
        {"it has what was noted", whole, note, Standing::Whole},
        {"it has more", {true, "f", 80, 50, number + 5}, note, Standing::Whole},
        {"its node died between the note and its own", {true, "f", 80, 40, number}, note, Standing::Whole},
        {"it has less", {true, "f", 80, 50, number - 1}, note, Standing::Lost},
        {"its log is gone", {true, "f", 80, 50, 0}, note, Standing::Lost},
        {"it is another one", {true, "g", 80, 0, number}, note, Standing::Lost},
        {"it is new", {false, "", 0, 0, 0}, note, Standing::Lost},
        {"it is new, and nothing was noted yet", {false, "", 0, 0, 0}, std::nullopt, Standing::Lost},
        {"it is of an older version, without a note", {true, "", 80, 0, number}, std::nullopt, Standing::Whole},
        {"it has seen a later revision", {true, "f", 101, 50, number}, note, Standing::StoreIsOlder},
        {"the store lost the note", {true, "f", 80, 50, number}, std::nullopt, Standing::StoreIsOlder},
        {"the store has an older note", {true, "f", 80, 51, number}, note, Standing::StoreIsOlder},
        {"its log has a later decision",
         {true, "f", 80, 50, stamp::ofDecision(102, base, 0)},
         note,
         Standing::StoreIsOlder},
        {"own commits behind the newest revision",
         {true, "f", 80, 50, stamp::firstOwnAfter(100, base) + 9},
         note,
         Standing::Whole},
    };
    for (const Case& one : cases) {
        INFO(one.what);
        CHECK(standingOf(one.proof, one.kept, revision, base) == one.expected);
    }
}

TEST_CASE("a note of a folder reads as it was written, and another value is refused") {
    const KeptFolder kept = KeptFolder::decode(KeptFolder{"0af3", UINT64_MAX}.encode());
    CHECK(kept.folder == "0af3");
    CHECK(kept.number == UINT64_MAX);
    for (const char* value : {"", "f", "f x"}) CHECK_THROWS_AS(KeptFolder::decode(value), SystemError);
}

TEST_CASE("a folder is noted when it has more than its note says, and not otherwise") {
    const StoppedNode cluster(false);
    const auto storage = LocalStorage::open(cluster.data);
    noteFolder(*storage, *cluster.store, "a");
    const auto first = cluster.store->get(keptKey("a"));
    REQUIRE(first);
    noteFolder(*storage, *cluster.store, "a");
    CHECK(cluster.store->get(keptKey("a"))->revision == first->revision);
    storage->commits().append({chunk("/1", {3})});
    storage->log().sync();
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
