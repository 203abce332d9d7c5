#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("stream tables are found by name until they are dropped") {
    REQUIRE(shown("own7 = streamTable(1 2 as x); existsStreamTable(`own7)") == "true");
    REQUIRE(shown("existsStreamTable(`own7)") == "false");
    shown("share streamTable(1 2 as x) as shared7");
    REQUIRE(shown("exec shared from getStreamTables() where name = `shared7") == "[true]");
    REQUIRE(shown("dropStreamTable(`shared7); existsStreamTable(`shared7)") == "false");
    REQUIRE(fails("dropStreamTable(`shared7)", "Can't find stream table shared7"));
    REQUIRE(fails("t = table(1 as x); dropStreamTable(`t)", "Can't find stream table t"));
}

TEST_CASE("a stream table has one name for all sessions") {
    REQUIRE(fails("t = streamTable(1 as x); share t as one7; share t as two7", "shared as one7 already"));
    shown("undef(`one7, SHARED)");
}

TEST_CASE("the column of the time of arrival is the last one, set once, and left out by writers") {
    const std::string made = "t = streamTable(10:0, `x`at, [INT, TIMESTAMP]); ";
    REQUIRE(shown(made +
                  "setStreamTableTimestamp(t, `at); insert into t values(5); tableInsert(t, 6); t.append!(table(7 "
                  "as x)); (t.x, isNull(t.at), getStreamTableTimestamp(t))") == "([5,6,7],[false,false,false],\"at\")");
    REQUIRE(fails(made + "setStreamTableTimestamp(t, `x)", "must be a temporal column"));
    REQUIRE(fails(made + "setStreamTableTimestamp(t, `at); setStreamTableTimestamp(t, `at)", "already"));
    REQUIRE(fails(made + "setStreamTableTimestamp(t, `at); tableInsert(t, 5, now())", "must be 1"));
    REQUIRE(fails("setStreamTableTimestamp(table(now() as at), `at)", "a stream table"));
}
