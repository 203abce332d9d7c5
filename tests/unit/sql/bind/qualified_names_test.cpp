// Names with a table in front mean the column of that table, whatever a join calls it.
#include "sql/bind/qualified_names.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    Bench() { run("a = table(1 2 3 as k, 10 20 30 as v)\nb = table(2 3 4 as k, 200 300 400 as v)"); }
    std::string names(const std::string& string, Qualifiers which) {
        std::string all;
        for (const std::string& name : qualifiersOf(*query(string), which)) all += name + " ";
        return all;
    }
};

}  // namespace

TEST_CASE("a column is that of the table in front of it") {
    Bench bench;
    CHECK(bench.shownAnswer("exec a.v from a join b on a.k = b.k") == "[20,30]");
    CHECK(bench.shownAnswer("exec b.v from a join b on a.k = b.k") == "[200,300]");
    CHECK(bench.shownAnswer("exec x.v + y.v from a as x join b as y on x.k = y.k") == "[220,330]");
    CHECK(bench.shownAnswer("exec a.v from a where a.k > 1") == "[20,30]");
}

TEST_CASE("the columns of a table stand for its star, and no table has another name") {
    Bench bench;
    CHECK(bench.answer("select b.* from a join b on a.k = b.k").table().columnCount() == 2);
    CHECK(bench.answer("select a.*, b.v from a join b on a.k = b.k").table().columnCount() == 3);
    CHECK_THROWS_AS(bench.answer("select c.* from a join b on a.k = b.k"), UserError);
    CHECK(isQualifiedStar(*bench.query("select t.* from t")->items[0].value));
    CHECK_FALSE(isQualifiedStar(*bench.query("select t.x from t")->items[0].value));
}

TEST_CASE("an alias hides the name of a table only where that is asked for") {
    Bench bench;
    const char* joined = "select * from a as x join b on x.k = b.k";
    CHECK(bench.names(joined, Qualifiers::Strict) == "x b ");
    CHECK(bench.names(joined, Qualifiers::WithHidden) == "x a b ");
    CHECK(bench.names("select * from ej(a, b as y, `k)", Qualifiers::Strict) == "a y ");
}
