#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("a script has no connection for rows, and ending what is not there is no error") {
    shown("share streamTable(10:0, `x, [INT]) as feed7");
    REQUIRE(fails("publishTable(`localhost, 0, `feed7, `a)", "library of a client"));
    REQUIRE(shown("stopPublishTable(`localhost, 0, `feed7, `a); activeClosePublishConnection(`a, `feed7); 1") == "1");
    REQUIRE(shown("size(getStreamingStat().pubTables)") == "0");
    shown("dropStreamTable(`feed7)");
}

TEST_CASE("an older client that listens on a port is told which one is needed") {
    REQUIRE(fails("share streamTable(1 as x) as heard79; publishTable(`localhost, 8849, `heard79, `a, 0)",
                  "connects to no port of a client"));
    shown("dropStreamTable(`heard79)");
}
