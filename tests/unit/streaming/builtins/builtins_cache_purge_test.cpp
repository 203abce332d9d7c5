#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

TEST_CASE("a bound of rows keeps half of it before an append, and numbers go on") {
    const std::string made =
        "t = streamTable(10:0, `x, [INT]); enableTableCachePurge(t, 10000); tableInsert(t, table(0..9999 "
        "as x)); tableInsert(t, table(10000..12999 as x)); ";
    REQUIRE(shown(made + "(t.size(), getStreamTableCacheOffset(t), t.x[0])") == "(8000,5000,5000)");
}

TEST_CASE("a bound of time removes what is too old beside a new row") {
    REQUIRE(shown("enableTableShareAndCachePurge(streamTable(10:0, `t`x, [DATETIME, INT]), `byTime9, "
                  "cachePurgeTimeColumn=`t, cachePurgeInterval=7H, cacheRetentionTime=2H); for (i in 0..5999) "
                  "tableInsert(byTime9, 2024.01.01T00:00:00 + i * 60, i); r = (size(byTime9), byTime9.x.last()); "
                  "undef(`byTime9, SHARED); r") == "(300,5999)");
}

TEST_CASE("an offset that is gone is an error that names the earliest row, and -3 begins with that") {
    shown(
        "enableTableShareAndCachePurge(streamTable(10:0, `x, [INT]), `purged9, 1000); tableInsert(purged9, "
        "table(1..1000 "
        "as x)); tableInsert(purged9, 1001)");
    REQUIRE(fails("subscribeTable(tableName=`purged9, offset=0, handler=def(m) {})", "earliest one is 500"));
    REQUIRE(
        shown("share table(10:0, `x, [INT]) as from9; subscribeTable(tableName=`purged9, offset=-3, handler=from9); "
              "until(def() { return size(from9) == 501 }); r = exec first(x) from from9; "
              "unsubscribeTable(tableName=`purged9); undef(`purged9`from9, SHARED); r") == "501");
}

TEST_CASE("half of a bound is refused, and nothing is shared") {
    const auto refused = [](const std::string& more, const std::string& with) {
        return fails("enableTableShareAndCachePurge(streamTable(10:0, `t`x, [DATETIME, INT]), `none9" + more + ")",
                     with) &&
               shown("existsStreamTable(`none9)") == "false";
    };
    REQUIRE(refused("", "cacheSize is missing"));
    REQUIRE(refused(", 0", "cacheSize"));
    REQUIRE(refused(", , `t, 30m", "either cacheSize"));
    REQUIRE(refused(", , `x, 30m, 20m", "temporal"));
    REQUIRE(refused(", , `t, 20m, 30m", "shorter"));
    REQUIRE(refused(", , `t, 1M, 30m", "fixed length"));
}
