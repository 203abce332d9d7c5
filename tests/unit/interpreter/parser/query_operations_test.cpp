// union, intersect, except and sets of keys are parsed as the standard reads them.
#include <catch2/catch.hpp>

#include "common/error.h"
#include "interpreter/parser/parser.h"
#include "runtime/format/to_source.h"

using namespace pelorus;

namespace {

std::string parsed(const std::string& text) {
    return toSource(*parseExpression(text));
}

}  // namespace

TEST_CASE("an intersect belongs to the query before it") {
    CHECK(parsed("select a from t union select a from u intersect select a from w") ==
          "select a from t union (select a from u intersect (select a from w))");
    CHECK(parsed("select a from t intersect select a from u except all select a from w") ==
          "select a from t intersect (select a from u) except all (select a from w)");
}

TEST_CASE("an order behind the last query without brackets is that of all rows") {
    CHECK(parsed("select a from t union all select a from u order by a limit 3") ==
          "select * from (select a from t union all (select a from u)) order by a asc limit 3");
    CHECK(parsed("select a from t union all (select a from u order by a limit 3)") ==
          "select a from t union all (select a from u order by a asc limit 3)");
}

TEST_CASE("what follows a sub-query in brackets belongs to the query around it") {
    CHECK(parsed("select a from t where a > (select max(b) from u) union select a from w") ==
          "select a from t where a > (select max(b) from u) union (select a from w)");
    CHECK(parsed("select a from t where a in ((select b from u) union (select c from w))") ==
          "select a from t where a in (select b from u union (select c from w))");
}

TEST_CASE("sets of keys are kept as the sets that they mean") {
    CHECK(parsed("select 1 from t group by rollup(a, (b, c))") ==
          "select 1 from t group by grouping sets ((a,b,c),(a),())");
    CHECK(parsed("select 1 from t group by cube (a, b)") ==
          "select 1 from t group by grouping sets ((a,b),(a),(b),())");
    CHECK(parsed("select 1 from t group by a, grouping sets ((b), (a), ())") ==
          "select 1 from t group by grouping sets ((a,b),(a),(a))");
    CHECK(parsed("select 1 from t group by rollup, cube") == "select 1 from t group by rollup,cube");
}

TEST_CASE("sets of keys beyond the limits are refused where they stand") {
    CHECK_THROWS_AS(parsed("select 1 from t group by cube(a, b, c, d, e, f, g, h, i, j, k, l, m)"), SyntaxError);
    CHECK_THROWS_AS(parsed("select 1 from t group by cube(a, b, c, d, e, f), cube(g, h, i, j, k, l), cube(m)"),
                    SyntaxError);
    CHECK_THROWS_AS(parsed("select 1 from t group by rollup(a"), SyntaxError);
}
