#include "apps/library/library_session.h"

#include <catch2/catch.hpp>

#include "common/error.h"

namespace pelorus {

TEST_CASE("two databases of one process know nothing of each other") {
    const auto first = openLibraryDatabase("", ""), second = openLibraryDatabase("", "");
    const auto one = first->startSession(), other = second->startSession();
    one->run("share table(1 2 as a) as ofFirst; db = database('dfs://first', VALUE, 1..2)", {});
    CHECK_THROWS_AS(other->run("ofFirst", {}), UserError);
    CHECK(other->run("existsDatabase('dfs://first')", {}).integer() == 0);
    CHECK(one->run("existsDatabase('dfs://first')", {}).integer() == 1);
}

TEST_CASE("a cancel between statements cancels neither") {
    const auto session = openLibraryDatabase("", "")->startSession();
    session->run("x = 1", {});
    session->cancel();
    CHECK(session->run("x + 1", {}).integer() == 2);
    CHECK(session->progress().work == nullptr);
}

TEST_CASE("settings come from a file, and a wrong one is named") {
    CHECK_THROWS_AS(openLibraryDatabase("", "/nowhere/pelorus.cfg"), Error);
}

}  // namespace pelorus
