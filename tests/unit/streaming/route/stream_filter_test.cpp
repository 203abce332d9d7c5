#include "streaming/route/stream_filter.h"

#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

namespace {

// Makes t, 20 rows of three names, a millisecond apart, and takers st1 to st3 with its columns.
const std::string kRows =
    "t = table(take(`A`B`C, 20) as sym, 09:30:00.000 + 0..19 as time, 100 + take(1..8, 20) as vol); st1 = "
    "table(9:0, `sym`time`vol, [SYMBOL, TIME, INT]); st2 = st1.copy(); st3 = st1.copy(); ";

std::string filtered(const std::string& rules, const std::string& result) {
    return shown(kRows + "eng = streamFilter(`split, t, " + rules +
                 ", timeColumn=`time, conditionColumn=`sym); eng.append!(t[0:7]); eng.append!(t[7:20]); "
                 "dropStreamEngine(`split); " +
                 result);
}

}  // namespace

TEST_CASE("rows go to the taker of each rule that they fulfil, in their order") {
    const std::string rules =
        "(dict(`condition`handler`timeRange, (`A, st1, (09:30:00.001:09:30:00.010, 09:29:00.000:09:30:00.000))), "
        "dict(`handler`timeRange, (st2, 09:30:00.002:09:30:00.005)), dict(`condition`handler, (`C`A, st3)))";
    REQUIRE(filtered(rules, "(st1.vol, st2.vol, size(st3))") == "([101,104,107,102],[103,104,105,106],13)");
}

TEST_CASE("conditions are expressions over the columns, and a function takes the rows as a table") {
    REQUIRE(filtered("dict(`condition`handler, (<[sym == `A, vol > 103]>, st1))", "st1.vol") == "[104,107,105,108]");
    REQUIRE(
        shown("share table(9:0, [`n], [INT]) as counts77; " + kRows +
              "eng = streamFilter(`split, t, dict(`handler`condition, (def(m) { tableInsert(objByName(`counts77), "
              "int(size(m))) }, <vol > 105>))); eng.append!(t); dropStreamEngine(`split); r = exec n from counts77; "
              "undef(`counts77, SHARED); r") == "[6]");
}

TEST_CASE("messages of a replay are taken apart by their keys") {
    const std::string made =
        "orders = table(09:30:00.000 + 0 2 4 as at, 1 2 3 as qty); trades = table(09:30:00.000 + 1 3 as at, 1.5 2.5 "
        "as price, `x`y as side); share streamTable(9:0, `at`kind`row, [TIME, SYMBOL, BLOB]) as mixed78; "
        "replay(dict(`orders`trades, [orders, trades]), mixed78, timeColumn=`at); o = orders[0:0]; p = trades[0:0]; ";
    const std::string dropped = "dropStreamEngine(`apart); dropStreamTable(`mixed78); ";
    REQUIRE(shown(made +
                  "eng = streamFilter(`apart, mixed78, (dict(`condition`handler, (`orders, o)), "
                  "dict(`condition`handler`timeRange, (`trades, p, 09:30:00.002:09:30:00.009))), dict(`orders`trades, "
                  "[orders, trades])); eng.append!(select * from mixed78); " +
                  dropped + "(o.qty, p.price, p.side)") == "([1,2,3],[2.5],[\"y\"])");
    REQUIRE(fails(made + "streamFilter(`apart, mixed78, dict(`condition`handler, (`bonds, o)), dict(`orders`trades, "
                         "[orders, trades]))",
                  "S03013"));
    shown("dropStreamTable(`mixed78)");
}

TEST_CASE("explain and the status name the rules") {
    const std::string rule = "dict(`condition`handler, (<vol > 3>, st1))";
    REQUIRE(shown(kRows + "eng = streamFilter(`named, t, " + rule +
                  "); r = explain(eng).split(\"\\n\"); s = exec filters from getStreamEngineStat().StreamFilter; "
                  "dropStreamEngine(`named); (r[0], s)") == "(\"stream filter named: 1 rules\",[\"vol > 3\"])");
}
