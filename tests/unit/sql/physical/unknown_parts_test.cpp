// Parts of a query that would be computed before it is bound are placeholders in one that is only explained.
#include "sql/physical/bound_query.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "sql/expression/unknown_value.h"
#include "sql/operators/scan/materialise.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        run("t = table(0..9 as k, 1.5 * 0..9 as x)\ndef noisy(v) { print(v)\n return v }");
        request.print = [this](std::string_view) { ++calls; };
    }
    NodeRef condition(const std::string& where) {
        const Ref<Query> select = query("select * from t where " + where);
        return withUnknownParts(*select, sourceOf(materialise(run("t"), context)), context)->where[0];
    }
    // The type of the placeholder on the right of a condition.
    std::string typeOfRight(const std::string& where) {
        const NodeRef node = condition(where);
        const Node& right = *static_cast<const Binary&>(*node).right;
        REQUIRE(holdsUnknown(right));
        return std::string(typeName(static_cast<const Constant&>(right).value.type()));
    }
    int calls = 0;
};

}  // namespace

TEST_CASE("inner queries have the type of their column, and are printed as they are written") {
    Bench bench;
    CHECK(bench.typeOfRight("x > (select max(x) from t)") == "DOUBLE");
    CHECK(bench.typeOfRight("k in (select k from t)") == "INT");
    CHECK(bench.typeOfRight("k > any (select k from t)") == "INT");
    CHECK(toSource(*bench.condition("k in (select k from t)")) == "k in (select k from t)");
    CHECK(holdsUnknown(*bench.condition("exists(select k from t)")));
    CHECK(holdsUnknown(*bench.condition("k > noisy(3)")));
    CHECK_FALSE(holdsUnknown(*bench.condition("k > 3 and abs(x) < 2")));
    CHECK_FALSE(holdsUnknown(*bench.condition("noisy(k) > 2")));  // of each row
    CHECK(bench.calls == 0);
}

TEST_CASE("what is wrong in an inner query is an error all the same") {
    Bench bench;
    CHECK_THROWS_WITH(bench.condition("k in (select nosuch from t)"), Catch::Contains("nosuch"));
    CHECK_THROWS_WITH(bench.condition("exists(select 1 from t as u where u.k = t.nosuch)"), Catch::Contains("nosuch"));
}

TEST_CASE("an inner query that names a column of the rows around it has a type, and does not run") {
    Bench bench;
    CHECK(holdsUnknown(*bench.condition("exists(select 1 from t as u where noisy(u.k) = t.k)")));
    CHECK(bench.typeOfRight("x > (select max(u.x) from t as u where noisy(u.k) = t.k)") == "DOUBLE");
    CHECK(bench.calls == 0);
}

TEST_CASE("limits that a call which may change something gives are left open") {
    Bench bench;
    const Ref<Query> select = bench.query("select k from t limit noisy(3)");
    CHECK_FALSE(withUnknownParts(*select, sourceOf(materialise(bench.run("t"), bench.context)), bench.context)->limit);
    CHECK(bench.calls == 0);
}
