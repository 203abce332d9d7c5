#include <cstring>

#include "tests/unit/apps/library/c_handles.h"

namespace pelorus {

using namespace testing;

TEST_CASE("errors of a script have a kind, a place and a caret") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    const OwnedError syntax = failureOf(session, "a = 1\nb = (2");
    CHECK(pelorus_error_kind_of(syntax.get()) == PELORUS_SYNTAX_ERROR);
    CHECK(pelorus_error_line(syntax.get()) == 2);
    const OwnedError user = failureOf(session, "a = 1\nthrow 'not this way'");
    CHECK(pelorus_error_kind_of(user.get()) == PELORUS_USER_ERROR);
    CHECK(pelorus_error_line(user.get()) == 2);
    CHECK(std::strstr(pelorus_error_message(user.get()), "not this way") != nullptr);
    CHECK(std::strstr(pelorus_error_text(user.get()), "^") != nullptr);
}

TEST_CASE("a place that is a file, and not a folder, is the system's error") {
    pelorus_database* database = nullptr;
    const OwnedError error(pelorus_open("/dev/null/folder", nullptr, &database));
    REQUIRE(error);
    CHECK(pelorus_error_kind_of(error.get()) == PELORUS_SYSTEM_ERROR);
    pelorus_error_free(nullptr);
}

}  // namespace pelorus
