// Names in order by and having, columns that only an order needs, the rows that top and limit leave, and what exec
// makes of a result.
#include <catch2/catch.hpp>

#include "tests/support/drawn_rows.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() { run("t = table(1 2 3 4 as x, 4 3 2 1 as y, `a`b`a`b as s)"); }
    std::string given(const std::string& string) { return toString(itemsOfRows(*rowsOf(answer(string)))); }
    std::string names(const std::string& string) {
        std::string all;
        const Ref<MemoryTable> rows = rowsOf(answer(string));
        for (const ColumnSchema& column : rows->columns()) all += column.name + " ";
        return all;
    }
    void fails(const std::string& string, const std::string& told) {
        INFO(string);
        CHECK_THROWS_WITH(answer(string), Catch::Contains(told));
    }
};

}  // namespace

TEST_CASE("a name in order by is an item of the result, else a column of the source, and in expressions a column") {
    Bench bench;
    CHECK(bench.given("select y as x from t order by x") == "1 | 2 | 3 | 4 | ");
    CHECK(bench.given("select y as x from t order by x + 0") == "4 | 3 | 2 | 1 | ");
    CHECK(bench.given("select y from t order by x desc") == "1 | 2 | 3 | 4 | ");
    CHECK(bench.given("select x * -1 as z from t order by z") == "-4 | -3 | -2 | -1 | ");
    CHECK(bench.given("select x * -1 as z from t order by z + 10") == "-4 | -3 | -2 | -1 | ");
    CHECK(bench.given("select x from t order by s, y") == "3 | 1 | 4 | 2 | ");
    CHECK(bench.given("select x from t order by x % 2, x desc") == "4 | 2 | 3 | 1 | ");
    bench.fails("select x from t order by q", "q");
    bench.fails("select sum(x) as total from t group by s order by q", "q");
}

TEST_CASE("columns that only the order needs are not shown, whatever stands above it") {
    Bench bench;
    for (const char* string : {"select x from t order by y", "select x from t order by y + 1, s",
                               "select top 2 x from t order by y", "select x from t order by s limit 1, 2",
                               "select distinct x from t order by y", "select x from t where y > 1 order by s desc"}) {
        INFO(string);
        CHECK(bench.names(string) == "x ");
    }
    CHECK(bench.names("select sum(x) from t group by s order by max(y)") == "s sum_x ");
    CHECK(bench.names("select sum(x) from t group by s order by count(*), s desc limit 1") == "s sum_x ");
    CHECK(bench.names("select * from t order by y + 1") == "x y s ");
    // Two keys of one column, and a key that is an output column under another name.
    CHECK(bench.names("select x as a from t order by x, x desc") == "a ");
}

TEST_CASE("groups are put in order by keys, items, aggregates and expressions of them") {
    Bench bench;
    CHECK(bench.given("select sum(x) as n from t group by y order by y desc") == "4 1 | 3 2 | 2 3 | 1 4 | ");
    CHECK(bench.given("select sum(x) as n from t group by y order by n") == "4 1 | 3 2 | 2 3 | 1 4 | ");
    CHECK(bench.given("select sum(x) as n from t group by y order by -max(x)") == "1 4 | 2 3 | 3 2 | 4 1 | ");
    CHECK(bench.given("select sum(x) as n from t group by y order by max(x) % 2, y") == "1 4 | 3 2 | 2 3 | 4 1 | ");
}

TEST_CASE("in having the name of an item stands for it, unless a column is called so") {
    Bench bench;
    CHECK(bench.given("select sum(x) as n from t group by y having n > 2") == "1 4 | 2 3 | ");
    CHECK(bench.given("select count(*) as n from t group by y having sum(x) > 2") == "1 1 | 2 1 | ");
    CHECK(bench.given("select sum(x) as n from t group by y having y > 2") == "3 2 | 4 1 | ");
    CHECK(bench.given("select sum(y) as x from t group by x as k having max(x) > 2") == "3 2 | 4 1 | ");
    bench.fails("select sum(x) as n from t group by y having q > 2", "q");
}

TEST_CASE("top and limit leave rows from the first on, and none where there are none") {
    Bench bench;
    CHECK(bench.given("select top 2 x from t") == "1 | 2 | ");
    CHECK(bench.given("select top 1:3 x from t") == "2 | 3 | ");
    CHECK(bench.given("select top 3:9 x from t") == "4 | ");
    CHECK(bench.given("select top 9:12 x from t").empty());
    CHECK(bench.given("select x from t limit 1, 2") == "2 | 3 | ");
    CHECK(bench.given("select x from t limit 0").empty());
    bench.fails("select x from t limit -1", "at least 0");
    CHECK(bench.given("select x from t limit 9, 2").empty());
    CHECK(bench.given("select x from t limit 9223372036854775807") == "1 | 2 | 3 | 4 | ");
    CHECK(bench.given("select x from t limit 2, 9223372036854775807") == "3 | 4 | ");
    bench.run("n = 2");
    CHECK(bench.given("select x from t limit n") == "1 | 2 | ");
    CHECK(bench.given("select x from t limit n, n - 1") == "3 | ");
    bench.fails("select x from t limit 1.5", "limit needs an integer");
    bench.fails("select x from t limit [1, 2]", "limit needs an integer");
}

TEST_CASE("top and limit beside context by count rows of each group, a negative number from the end") {
    Bench bench;
    CHECK(bench.given("select x from t context by s limit 1") == "1 | 2 | ");
    CHECK(bench.given("select x from t context by s limit -1") == "3 | 4 | ");
    CHECK(bench.given("select top 1 x from t context by s csort y") == "3 | 4 | ");
    CHECK(bench.given("select x from t context by s limit 0").empty());
    bench.fails("select x from t context by s limit 1, 1", "without an offset");
    bench.fails("select top 0:1 x from t context by s", "can't specify a range in top clause");
}

TEST_CASE("exec gives a vector of one column, a scalar of one cell, and a table of several columns") {
    Bench bench;
    CHECK(bench.shownAnswer("exec x from t") == "[1,2,3,4]");
    CHECK(bench.shownAnswer("exec x from t where x > 9") == "[]");
    CHECK(bench.shownAnswer("exec x from t where x == 3") == "[3]");
    CHECK(bench.shownAnswer("exec sum(x) from t") == "10");
    CHECK(bench.shownAnswer("exec sum(x) + max(y) from t") == "14");
    CHECK(bench.answer("exec x, y from t").isTable());
    CHECK(bench.answer("exec sum(x) from t group by s").isTable());
    CHECK(bench.answer("exec x from t context by s").isTable());
}

TEST_CASE("constants without a table are one row") {
    Bench bench;
    CHECK(bench.given("select 1 as a, 2 + 3 as b") == "1 5 | ");
    CHECK(kindsOf(*bench.plan("select 1 as a")) == "Constants");
    CHECK(bench.names("select 1 + 1, max(3 4)") == bench.names("select 1 + 1, max(3 4) from table(1 as one)"));
}

TEST_CASE("an item that names no column, variable or function is told with its place") {
    Bench bench;
    bench.fails("select q from t", "q");
    bench.fails("select x from t where q > 1", "q");
    bench.fails("select count(q) from t", "q");
    bench.fails("select x from t context by q", "q");
    bench.fails("select x from t group by x, q", "q");
    bench.fails("select xx from t", "xx");
    bench.fails("select x from nothing", "nothing");
    bench.fails("select x from 3", "");
}
