#include "streaming/window/time_series_engine.h"

#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

namespace {

// Returns the results of an engine of windows of 10 s, every 5 s, for six rows of two keys.
std::string sumsOf(const std::string& more) {
    return shown(
        "d = table(1:0, `t`k`v, [DATETIME, SYMBOL, INT]); r = table(9:0, `t`k`s, [DATETIME, SYMBOL, LONG]); eng = "
        "createTimeSeriesEngine(`sums, 10, 5, <sum(v)>, d, r, `t, keyColumn=`k" +
        more +
        "); base = 2024.01.01T09:30:00; eng.append!(table(base + 7 9 12 16 as t, `a`b`a`a as k, 1 2 3 4 as v)); "
        "eng.append!(table(base + 21 31 as t, `b`a as k, 5 6 as v)); dropStreamEngine(`sums); "
        "exec string(second(t)) + string(k) + string(s) from r");
}

}  // namespace

TEST_CASE("windows are shown in the order of the rows that close them") {
    REQUIRE(sumsOf("") ==
            "[\"09:30:10a1\",\"09:30:15a4\",\"09:30:10b2\",\"09:30:15b2\",\"09:30:20a7\",\"09:30:25a4\"]");
    REQUIRE(sumsOf(", useWindowStartTime=true") ==
            "[\"09:30:00a1\",\"09:30:05a4\",\"09:30:00b2\",\"09:30:05b2\",\"09:30:10a7\",\"09:30:15a4\"]");
}

TEST_CASE("windows without rows are filled by the last result, NULL or a value") {
    REQUIRE(sumsOf(", fill='ffill'") ==
            "[\"09:30:10a1\",\"09:30:15a4\",\"09:30:10b2\",\"09:30:15b2\",\"09:30:20b2\","
            "\"09:30:20a7\",\"09:30:25a4\",\"09:30:30a4\"]");
    REQUIRE(sumsOf(", fill=-1") ==
            "[\"09:30:10a1\",\"09:30:15a4\",\"09:30:10b2\",\"09:30:15b2\",\"09:30:20b-1\","
            "\"09:30:20a7\",\"09:30:25a4\",\"09:30:30a-1\"]");
    REQUIRE(sumsOf(", fill='null'").find("09:30:20b\"") != std::string::npos);
}

TEST_CASE("tumbling windows give what group by gives, however the rows are cut") {
    REQUIRE(
        shown(
            "setRandomSeed(5); n = 3000; q = table(sort(2024.01.02T09:30:00.000 + rand(3600000, n)) as t, "
            "rand(`a`b`c`d`e, n) as k, rand(100.0, n) as p, rand(100, n) as v); update q set p = NULL where v < 9;\n"
            "d = table(1:0, `t`k`p`v, [TIMESTAMP, SYMBOL, DOUBLE, INT]); r = table(9:0, `t`k`o`h`l`c`w`m`x, "
            "[TIMESTAMP, SYMBOL, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE]);\n"
            "eng = createTimeSeriesEngine(`bars, 60000, 60000, <[first(p), max(p), min(p), last(p), wavg(p, v), "
            "med(p), std(p) / avg(p) + sum(v)]>, d, r, `t, keyColumn=`k);\n"
            "at = 0; do { len = min(rand(100, 1)[0] + 1, n - at); eng.append!(q[at:(at + len)]); at += len } while "
            "(at < n);\n"
            "dropStreamEngine(`bars); twin = select first(p) as o, max(p) as h, min(p) as l, last(p) as c, wavg(p, v) "
            "as w, med(p) as m, std(p) / avg(p) + sum(v) as x from q group by k, bar(t, 60000) + 60000 as t;\n"
            "ends = select max(t) as last from twin group by k; twin = select * from lj(twin, ends, `k) where t < "
            "last order by k, t; mine = select * from r order by k, t; (size(mine) > 200, eqObj(mine.t, twin.t), "
            "eqObj(mine.o, twin.o), eqObj(mine.h, twin.h), eqObj(mine.l, twin.l), eqObj(mine.c, twin.c), "
            "eqObj(mine.w, twin.w), eqObj(mine.m, twin.m), eqObj(mine.x, twin.x))") ==
        "(true,true,true,true,true,true,true,true,true)");
}

TEST_CASE("a date and a time of the day are one time, and sizes have metrics of their own") {
    REQUIRE(
        shown("d = table(1:0, `d`t`v, [DATE, SECOND, INT]); r = table(9:0, `t`a`b, [DATETIME, LONG, LONG]); eng = "
              "createTimeSeriesEngine(`two, 60 120, 60, [<sum(v)>, <count(v)>], d, r, `d`t); "
              "eng.append!(table(take(2024.01.02, 4) as d, 09:30:01 09:30:59 09:31:05 09:33:00 as t, 1 2 4 8 as v)); "
              "dropStreamEngine(`two); (r.t, r.a, r.b)") ==
        "([2024.01.02T09:31:00,2024.01.02T09:32:00,2024.01.02T09:33:00],[3,4,],[2,3,1])");
}

TEST_CASE("a part of each window may count alone") {
    REQUIRE(
        shown("d = table(1:0, `t`v, [SECOND, INT]); r = table(9:0, `t`s, [SECOND, LONG]); eng = "
              "createTimeSeriesEngine(`part, 60, 60, <sum(v)>, d, r, `t, subWindow=10:30); eng.append!(table(09:30:05 "
              "09:30:10 09:30:29 09:30:30 as t, 1 2 4 8 as v)); dropStreamEngine(`part); (r.t, r.s)") ==
        "([09:31:00],[6])");
}

TEST_CASE("with updateTime 0 each append shows what it changed") {
    REQUIRE(
        shown(
            "d = table(1:0, `t`v, [SECOND, INT]); r = keyedTable(`t, 9:0, `t`s, [SECOND, LONG]); share r as updates9; "
            "eng = createTimeSeriesEngine(`now, 60, 60, <sum(v)>, d, updates9, `t, updateTime=0); "
            "eng.append!(table(09:30:01 09:30:02 as t, 1 2 as v)); a = (exec s from updates9)[0]; "
            "eng.append!(table([09:30:03] as t, [4] as v)); b = (exec s from updates9)[0]; dropStreamEngine(`now); "
            "undef(`updates9, SHARED); (a, b)") == "(3,7)");
}

TEST_CASE("windows by the clock are shown when they end, without further rows") {
    REQUIRE(shown("d = table(1:0, `v, [INT]); share table(9:0, `t`s, [TIMESTAMP, LONG]) as clock9; eng = "
                  "createTimeSeriesEngine(`clock, 50, 50, <sum(v)>, d, clock9, useSystemTime=true); "
                  "eng.append!(table([5] as v)); until(def() { return size(clock9) == 1 }); r = exec s from clock9; "
                  "dropStreamEngine(`clock); undef(`clock9, SHARED); r") == "[5]");
}

TEST_CASE("rows of closed windows are dropped, and results stay the same") {
    REQUIRE(
        shown("d = table(1:0, `t`v, [SECOND, INT]); r = table(9:0, `t`s, [SECOND, LONG]); eng = "
              "createTimeSeriesEngine(`long, 10, 10, <sum(v)>, d, r, `t); for (i in 0..9) eng.append!(table(00:00:00 + "
              "i * 20 + (0..19999) / 1000 as t, take(1, 20000) as v)); dropStreamEngine(`long); (size(r), "
              "all(r.s == 10000))") == "(19,true)");
}
