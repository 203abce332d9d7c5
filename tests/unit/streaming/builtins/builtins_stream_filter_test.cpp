#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("a stream filter that can't be made says why, and nothing is made") {
    const auto refused = [](const std::string& arguments, const std::string& with) {
        return fails("t = table(`a`b as sym, 1 2 as x, 09:30:00 + 0 1 as at); st = t.copy(); streamFilter(`bad, t, " +
                         arguments + ")",
                     with) &&
               shown("count(getStreamEngineList())") == "0";
    };
    REQUIRE(refused("5", "filter must be a dictionary"));
    REQUIRE(refused("dict(STRING, ANY)", "needs a handler"));
    REQUIRE(refused("dict(`handler`other, (st, 1))", "no entry other"));
    REQUIRE(refused("dict(`handler`condition, (st, 1))", "condition must be"));
    REQUIRE(refused("dict(`handler`condition, (st, <y > 1>))", "y"));
    REQUIRE(refused("dict(`handler`timeRange, (st, 5))", "pair of times"));
    REQUIRE(refused("dict(`handler`timeRange, (st, 09:30:00.000:09:31:00.000)), timeColumn=`at", "timeRange is TIME"));
    REQUIRE(refused("dict(`handler`condition, (def(a, b) { return 1 }, `a)), conditionColumn=`sym",
                    "function of one argument"));
    REQUIRE(refused("dict([`handler], [st]), conditionColumn=`x", "STRING or SYMBOL"));
    REQUIRE(refused("dict([`handler], [st]), timeColumn=`none", "no column none"));
    REQUIRE(refused("dict(`handler`condition, (st, `a)), dict([`a], [st])", "S03013"));
}
