#include "stdlib/higher_order/recursions.h"

#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

namespace {

// The printed examples of the family: five rows of one key through an engine.
std::string printed(const std::string& metric, const std::string& times) {
    return shown("def weigh(x, w) { return sum(x * w) }\n t = table(" + times +
                 " as at, take(`a, 5) as sym, 310 280 300 290 240 as volume, 1.5 1.6 1.7 1.6 1.5 as price); out = "
                 "table(9:0, `sym`m, [SYMBOL, DOUBLE]); eng = createReactiveStateEngine(`printed, <" +
                 metric +
                 ">, t, out, `sym); eng.append!(t[0:2]); eng.append!(t[2:5]); dropStreamEngine(`printed); out.m");
}

}  // namespace

TEST_CASE("the first results of a recursion are given, later ones see the last ones") {
    REQUIRE(printed("genericStateIterate(volume, price, 3, weigh{,})", "1..5") == "[1.5,1.6,1.7,1392,334872]");
    REQUIRE(shown("genericStateIterate(1 2 3, 5 0 0, 0, def(last, x) { return last * 2 + x })") == "[11,24,51]");
    REQUIRE(shown("genericStateIterate([], 1 2 3 4, 2, def(last) { return last.sum() })") == "[1,2,3,5]");
    REQUIRE(shown("genericStateIterate((1 2 3, 10 20 30), 0. 0. 0., 1, def(last, x, y) { return last[0] + x * y })") ==
            "[0,40,130]");
}

TEST_CASE("a window in time ends with the row before, and may hold its left end") {
    const std::string times = "2021.09.09T09:28:00.000 + 0 30000 120000 180000 240000";
    REQUIRE(printed("genericTStateIterate(at, volume, price, 2m, weigh{,})", times) ==
            "[1.5,1.6,930,270164,6.506256E7]");
    REQUIRE(printed("genericTStateIterate(at, volume, price, 2m, weigh{,}, true)", times) ==
            "[1.5,1.6,930,270599,6.516696E7]");
    REQUIRE(shown("genericTStateIterate(1 5 3 9, 1 1 1 1, 1. 2. 3. 4., 2, def(last, x) { return last.sum() + x })") ==
            "[1,2,,3]");
}

TEST_CASE("what a recursion can't be is told") {
    REQUIRE(fails("genericStateIterate(1 2, 1 2 3, 1, def(l, x) { return 1 })", "same length"));
    REQUIRE(fails("genericStateIterate(1 2, 1 2, -1, def(l, x) { return 1 })", "not negative"));
    REQUIRE(fails("genericStateIterate(1 2, 1 2, 1, def(l, x) { return 1.5 })", "initial must be DOUBLE"));
    REQUIRE(fails("genericStateIterate(1 2, 1 2, 1, def(l, x) { return l })", "scalar"));
    REQUIRE(fails("genericTStateIterate(`a`b, 1 2, 1 2, 1, def(l, x) { return 1 })", "T must be"));
    REQUIRE(fails("genericTStateIterate(1 2, 1 2, 1 2, 0, def(l, x) { return 1 })", "above 0"));
}

TEST_CASE("accumulate goes on in an engine, key by key") {
    REQUIRE(shown("t = table(`a`b`a`a as sym, 1. 2. 3. 4. as x); out = table(9:0, `sym`m, [SYMBOL, DOUBLE]); eng = "
                  "createReactiveStateEngine(`summed, <accumulate(def(a, b) { return a * 2 + b }, x, 1.0)>, t, out, "
                  "`sym); eng.append!(t); eng.append!(t[0:1]); dropStreamEngine(`summed); out.m") == "[3,4,9,22,45]");
}
