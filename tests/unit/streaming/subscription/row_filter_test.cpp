#include "streaming/subscription/row_filter.h"

#include <catch2/catch.hpp>

#include "tests/unit/streaming/stream_script.h"

using namespace pelorus::testing;

namespace {

// Returns what comes through the filter of a table with the columns sym and x.
std::string filtered(std::string_view column, std::string_view filter) {
    return shown(
        "share streamTable(10:0, `sym`x, [SYMBOL, INT]) as filtered1; share table(10:0, `sym`x, [SYMBOL, INT]) "
        "as kept1; setStreamTableFilterColumn(filtered1, `" +
        std::string(column) +
        "); filtered1.append!(table(`a`b`c`d as sym, 1 2 3 4 as x));\n"
        "filtered1.append!(table([`end] as sym, [-1] as x));\n"
        "subscribeTable(tableName=`filtered1, offset=0, handler=kept1, filter=" +
        std::string(filter) +
        "); until(def() { return (exec first(queueDepth) from getStreamingStat().subWorkers) == 0 }); sleep(30); "
        "r = exec x from kept1; unsubscribeTable(tableName=`filtered1); undef(`filtered1`kept1, SHARED); r");
}

}  // namespace

TEST_CASE("rows are chosen by values, by a range without its end, and by a function") {
    REQUIRE(filtered("sym", "`b`d") == "[2,4]");
    REQUIRE(filtered("x", "2:4") == "[2,3]");
    REQUIRE(filtered("x", "def(t) { return select * from t where x > 2 }") == "[3,4]");
    REQUIRE(filtered("x", "\"def(t) { return select * from t where x = 1 }\"") == "[1]");
}

TEST_CASE("buckets cut the rows without overlap") {
    REQUIRE(filtered("x", "(2, 0:2)") == "[1,2,3,4,-1]");
    REQUIRE(filtered("x", "(2, 0)") != filtered("x", "(2, 1)"));
}

TEST_CASE("a filter that fits no column is refused") {
    const std::string table = "share streamTable(10:0, `sym`x, [SYMBOL, INT]) as filtered2; ";
    REQUIRE(fails(table + "subscribeTable(tableName=`filtered2, handler=def(m) {}, filter=1 2)", "S03028"));
    REQUIRE(
        fails("setStreamTableFilterColumn(filtered2, `x); subscribeTable(tableName=`filtered2, handler=def(m) {}, "
              "filter=(2, 5))",
              "buckets 5 to 5 of 2"));
    REQUIRE(fails("setStreamTableFilterColumn(filtered2, `none)", "no column none"));
    shown("undef(`filtered2, SHARED)");
}
