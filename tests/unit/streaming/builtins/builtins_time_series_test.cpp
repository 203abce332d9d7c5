#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("wrong windows, metrics and combinations are refused by name, and nothing is made") {
    const auto refused = [](const std::string& arguments, const std::string& with) {
        return fails(
                   "d = table(1:0, `t`k`v, [SECOND, INT, INT]); r = table(1:0, `t`s, [SECOND, LONG]); "
                   "createTimeSeriesEngine(`refused, " +
                       arguments + ")",
                   with) &&
               shown("size(getStreamEngineList())") == "0";
    };
    REQUIRE(refused("0, 1, <sum(v)>, d, r, `t", "windowSize"));
    REQUIRE(refused("10, 3, <sum(v)>, d, r, `t", "multiple of step"));
    REQUIRE(refused("10, 0, <sum(v)>, d, r, `t", "step"));
    REQUIRE(refused("10.5, 5, <sum(v)>, d, r, `t", "windowSize"));
    REQUIRE(refused("10, 5, <v>, d, r, `t", "S03014"));
    REQUIRE(refused("10, 5, <sum(nothing)>, d, r, `t", "nothing"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r", "timeColumn"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r, `v", "temporal"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r, `none", "no column none"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r, `t, keyColumn=`k", "S03042"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r, `t, updateTime=2", "multiple of updateTime"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r, `t, updateTime=1, forceTriggerTime=5", "forceTriggerTime"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r, `t, forceTriggerTime=5, acceptedDelay=1", "acceptedDelay"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r, `t, closed='both'", "closed"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r, `t, fill=(0, 1)", "S03015"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r, `t, fill=('none', 1)", "S03015"));
    REQUIRE(refused("10, 10, <sum(v)>, d, r, `t, subWindow=5:20", "subWindow"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r, `t, subWindow=0:5", "subWindow"));
    REQUIRE(refused("10, 5, <sum(v)>, d, r, `t, keyPurgeFreqInSec=5", "keyPurgeFreqInSec"));
}

TEST_CASE("the older name makes the same engine") {
    REQUIRE(shown("d = table(1:0, `t`v, [SECOND, INT]); r = table(1:0, `t`s, [SECOND, LONG]); "
                  "createTimeSeriesAggregator(`old, 10, 10, <sum(v)>, d, r, timeColumn=`t); s = "
                  "getStreamEngineStat().TimeSeriesEngine; dropAggregator(`old); (s.windowTime, s.metrics)") ==
            "([\"10\"],[\"sum(v)\"])");
}
