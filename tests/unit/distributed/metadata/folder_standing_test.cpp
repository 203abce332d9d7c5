#include "distributed/metadata/folder_standing.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/log/stamp.h"

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
