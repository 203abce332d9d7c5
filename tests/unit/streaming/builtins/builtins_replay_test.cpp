#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("a dictionary is replayed as messages: time, key, row, and the columns that inputs share") {
    REQUIRE(shown("a = table(2024.01.01T00:00:00 + 0 2 as t, `x`y as s); b = table(2024.01.01T00:00:01 + 0 0 as t, 1.5 "
                  "2.5 as v); m = streamTable(1:0, `t`k`row`s, [TIMESTAMP, SYMBOL, BLOB, SYMBOL]); "
                  "replay(dict(`a`b, [a, b]), m, `t, `t); (m.k, m.s, strlen(m.row))") ==
            "([\"a\",\"b\",\"b\",\"a\"],[\"x\",,,\"y\"],[6,12,12,6])");
    REQUIRE(fails("replay(dict([`a], [table(2024.01.01 as t)]), table(1:0, `t`k, [DATE, SYMBOL]), `t)", "BLOB"));
}

TEST_CASE("each input may have an output of its own, and outputs are tables that take rows") {
    REQUIRE(fails("t = table(2024.01.01 as t); replay([t, t], [t, t, t], `t)", "2 inputs, but 3 outputs"));
    REQUIRE(fails("t = table(2024.01.01 as t); replay(t, `none9, `t)", "no shared table none9"));
    REQUIRE(fails("t = table(2024.01.01 as t); replay(t, t)", "dateColumn or timeColumn"));
    REQUIRE(fails("t = table(2024.01.01 as t); replayDS(<select * from t>, `t)", "partitioned table of a database"));
}
