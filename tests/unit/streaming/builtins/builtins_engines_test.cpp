#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("engines are found, listed and dropped by name") {
    shown("createReactiveStateEngine(`listed, <v>, table(1:0, `v, [INT]), table(1:0, `v, [INT]))");
    REQUIRE(shown("getStreamEngine(`listed).columnNames()") == "[\"v\"]");
    REQUIRE(shown("select * from getAggregator(`listed)").find("v") == 0);
    REQUIRE(shown("exec engineType from getStreamEngineList()") == "[\"ReactiveStreamEngine\"]");
    REQUIRE(shown("exec name from getAggregatorStat().ReactiveStreamEngine") == "[\"listed\"]");
    shown("dropAggregator(`listed)");
    REQUIRE(shown("size(getStreamEngineList())") == "0");
    REQUIRE(fails("getStreamEngine(`listed)", "There is no stream engine listed"));
}
