#include <catch2/catch.hpp>

#include "apps/library/library_session.h"
#include "common/error.h"

namespace pelorus {

// A node that answers is connected to by tests/clients/python_package_test.py.
TEST_CASE("an address that is none is refused at once, a node that is not there by the first session") {
    CHECK_THROWS_AS(nodeLibraryDatabase({.address = "nowhere"}), UserError);
    const auto database = nodeLibraryDatabase({.address = "127.0.0.1:1"});
    CHECK_THROWS_AS(database->startSession(), SystemError);
}

}  // namespace pelorus
