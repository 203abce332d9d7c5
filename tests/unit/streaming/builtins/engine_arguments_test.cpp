#include "streaming/builtins/engine_arguments.h"

#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("arguments that all engines have are refused by name, and nothing is made") {
    const auto refused = [](const std::string& arguments, const std::string& with) {
        return fails("d = table(1:0, `v, [INT]); createReactiveStateEngine(" + arguments + ")", with) &&
               shown("size(getStreamEngineList())") == "0";
    };
    REQUIRE(refused("'1x', <v>, d, d", "name must be"));
    REQUIRE(refused("`x, <v>, 5, d", "dummyTable must be a table"));
    REQUIRE(refused("`x, <v>, d", "outputTable must be a table"));
    REQUIRE(refused("`x, <v>, d, outputHandler=5", "outputHandler must be a function"));
    REQUIRE(refused("`x, <v>, d, outputHandler=def(a, b) {}", "outputHandler must be a function"));
    REQUIRE(refused("`x, <v>, d, d, snapshotDir=\"/tmp\"", "can't be kept on disk"));
    REQUIRE(refused("`x, <v>, d, d, parallelism=64", "parallelism"));
}
