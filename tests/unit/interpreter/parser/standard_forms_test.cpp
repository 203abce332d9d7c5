// Queries take the words that standard SQL has for literals, parts of times and of texts.
#include <catch2/catch.hpp>

#include "common/error.h"
#include "interpreter/parser/parser.h"
#include "runtime/code/statement.h"
#include "runtime/format/to_source.h"

using namespace pelorus;

namespace {

// The query as it is read.
std::string parsed(const std::string& string) {
    const NodeList statements = parseScript(string);
    REQUIRE(statements.size() == 1);
    return toSource(*static_cast<const ExpressionStatement&>(*statements[0]).expression);
}
std::string item(const std::string& expression) {
    const std::string whole = parsed("select " + expression + " as x from t");
    return whole.substr(7, whole.rfind(" as x") - 7);
}

}  // namespace

TEST_CASE("literals of times and intervals") {
    CHECK(item("date '1994-01-01'") == "date(\"1994-01-01\")");
    CHECK(item("DATE '1994-01-01' + interval '3' month") == "date(\"1994-01-01\") + 3M");
    CHECK(item("d - interval 90 day") == "d - 90d");
    CHECK(item("d + INTERVAL '2 years'") == "d + 2y");
    CHECK(item("timestamp '1994-01-01 10:00:00'") == "timestamp(\"1994-01-01 10:00:00\")");
    CHECK_THROWS_AS(item("d + interval '1.5' day"), SyntaxError);
    CHECK_THROWS_AS(item("d + interval '1 fortnight'"), SyntaxError);
}

TEST_CASE("parts of times and of texts") {
    CHECK(item("extract(year from d)") == "year(d)");
    CHECK(item("EXTRACT(MONTH FROM d) + 1") == "monthOfYear(d) + 1");
    CHECK(item("substring(s from 1 for 2)") == item("substring(s, 1, 2)"));
    CHECK(item("position('a' in s)").find("strpos") != std::string::npos);
    CHECK(item("trim(leading from s)") == "ltrim(s)");
    CHECK_THROWS_AS(item("extract(century from d)"), SyntaxError);
}

TEST_CASE("casts name the standard's types") {
    CHECK(item("cast(x as integer)") == "int(x)");
    CHECK(item("cast(x + 1 as decimal(12, 2))") == "decimal128(x + 1, 2)");
    CHECK(item("cast(x as double precision)") == "double(x)");
    CHECK(item("cast(s as varchar(10))") == "string(s)");
    CHECK_THROWS_AS(item("cast(x as money)"), SyntaxError);
}

TEST_CASE("outside of queries, and with commas, the words are functions and names") {
    CHECK(parsed("cast(x, INT)") == "cast(x, INT)");
    CHECK(parsed("trim(s)") == "trim(s)");
    CHECK(item("date(ts)") == "date(ts)");
    CHECK(parsed("select date, interval from t") == "select date,interval from t");
}

TEST_CASE("rows are left out and counted with the standard's words") {
    CHECK(parsed("select a from t order by a limit 5 offset 2") == parsed("select a from t order by a limit 2, 5"));
    CHECK(parsed("select a from t order by a offset 2 rows fetch first 5 rows only") ==
          parsed("select a from t order by a limit 2, 5"));
    CHECK(parsed("select a from t fetch next 5 rows only") == parsed("select a from t limit 5"));
}

TEST_CASE("keys may be numbers of items") {
    CHECK(parsed("select a, b + 1 as c from t order by 2 desc, 1") ==
          parsed("select a, b + 1 as c from t order by c desc, a"));
    CHECK(parsed("select a, sum(b) from t group by 1") == parsed("select a, sum(b) from t group by a"));
    CHECK(parsed("select a from t order by 3") == parsed("select a from t order by 3 asc"));
    CHECK(parsed("select a from t order by 3").find("order by 3") != std::string::npos);
}

TEST_CASE("a line may begin with an operator that begins no statement") {
    CHECK(parsed("select a from t where x\n  = 1\n  and y > 2") == parsed("select a from t where x = 1 and y > 2"));
    CHECK(item("sum(a)\n / sum(b)") == "sum(a) / sum(b)");
}

TEST_CASE("conditions of aggregates, comparisons of NULL, casts of letters") {
    CHECK(item("sum(v) filter (where v > 1)") == "sum(iif(v > 1, v, NULL))");
    CHECK(item("COUNT(*) FILTER (WHERE v > 1)") == "COUNT(iif(v > 1, 1, NULL))");
    CHECK(item("count(distinct v) filter (where w > 1)") == "count(distinct(iif(w > 1, v, NULL)))");
    CHECK(item("a is distinct from b") == "a != b");
    CHECK(item("a is not distinct from 2") == "a == 2");
    CHECK(item("cast('3' as int)") == "int(\"3\")");
    CHECK_THROWS_AS(item("f() filter (where v > 1)"), SyntaxError);
}

TEST_CASE("joins by columns of one name, and none by names that nobody wrote") {
    CHECK(parsed("select * from t join u using (a, b)") == "select * from t inner join u on a == u.a && b == u.b");
    CHECK(parsed("select * from t left join (select a from u) as w using (a)") ==
          "select * from t left join (select a from u) as w on a == w.a");
    CHECK_THROWS_WITH(parsed("select * from t natural join u"), Catch::Contains("natural join is not known"));
    CHECK_THROWS_AS(parsed("select * from t join (select a from u) using (a)"), SyntaxError);
    CHECK_THROWS_WITH(parsed("select * from t full join u using (a)"), Catch::Contains("inner and left joins"));
}
