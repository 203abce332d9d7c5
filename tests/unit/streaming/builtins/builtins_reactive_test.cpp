#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("the time that an append took stands after the keys") {
    REQUIRE(shown("d = table(1:0, `k`v, [INT, INT]); r = table(9:0, `k`us`n`v, [INT, LONG, INT, INT]); eng = "
                  "createReactiveStateEngine(`timed, <v>, d, r, `k, outputElapsedMicroseconds=true); "
                  "eng.append!(table(1 2 as k, 5 6 as v)); dropStreamEngine(`timed); (r.n, r.us[0] >= 0, r.v)") ==
            "([2,2],true,[5,6])");
}

TEST_CASE("several keys are one key together, and NULL is a key") {
    REQUIRE(
        shown("d = table(1:0, `a`b`v, [INT, SYMBOL, INT]); r = table(9:0, `a`b`s, [INT, SYMBOL, LONG]); eng = "
              "createReactiveStateEngine(`keys, <cumsum(v)>, d, r, `a`b); eng.append!(table(1 1 2 NULL NULL 1 as a, "
              "`x`y`x`x`x`x as b, 1 2 3 4 5 6 as v)); dropStreamEngine(`keys); r.s") == "[1,2,3,4,9,7]");
}

TEST_CASE("a filter is one condition") {
    REQUIRE(fails("d = table(1:0, `v, [INT]); createReactiveStateEngine(`bad, <v>, d, d, filter=<[v > 1, v < 5]>)",
                  "one condition"));
    REQUIRE(
        fails("d = table(1:0, `v, [INT]); createReactiveStateEngine(`bad, <v>, d, d, filter=<v + 1>)", "condition"));
}
