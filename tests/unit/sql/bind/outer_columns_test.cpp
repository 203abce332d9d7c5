#include "sql/bind/outer_columns.h"

#include <catch2/catch.hpp>

#include "interpreter/parser/parser.h"
#include "runtime/code/statement.h"

using namespace pelorus;

namespace {

// Returns the error of a query whose rows have the columns id and v; empty when there is none.
std::string problemOf(const std::string& string) {
    const NodeList statements = parseScript(string);
    const auto& query =
        static_cast<const Query&>(*static_cast<const ExpressionStatement&>(*statements.at(0)).expression);
    try {
        OuterColumns(query, {{"id", Type::Int}, {"v", Type::Int}}).requireNone();
        return "";
    } catch (const UserError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("a qualified column of the outer query is found at any depth of its sub-queries") {
    for (const char* query :
         {"select id from a where exists(select * from b where b.id = a.id)",
          "select id, (select max(y) from b where b.id = a.id) as m from a",
          "select id from a as o where id in (select id from b where y in (select y from c where c.id = o.id))",
          "select id from a where v > any (select y from b where b.id = a.id)",
          "select id from a join (select * from b where b.id = a.id) on a.id = b.id",
          "select id from a where exists(select * from a as x where x.id = a.id)",
          "select id from ej(a, c, `id) where exists(select * from b where b.id = c.id)"}) {
        CAPTURE(query);
        CHECK_THAT(problemOf(query), Catch::Contains("The sub-query names"));
    }
}

TEST_CASE("a sub-query may name its own tables and variables") {
    for (const char* query :
         {"select id from a where id in (select id from b where b.y > limit)",
          "select id from a where v = (select max(a.v) from a)", "select a.id from a where a.v > 1",
          "select id from a where id in (select x.id from a as x)", "select id from a where id in each(x -> x.id, d)",
          "select id from (select a.id from a) where id in (select id from b)"}) {
        CAPTURE(query);
        CHECK(problemOf(query).empty());
    }
}

TEST_CASE("an error at a name that only the outer query has is explained, others are not") {
    const NodeList statements = parseScript("select id from a where id in (select id from b where y > v)");
    const auto& query =
        static_cast<const Query&>(*static_cast<const ExpressionStatement&>(*statements.at(0)).expression);
    const OuterColumns columns(query, {{"id", Type::Int}, {"v", Type::Int}});
    const auto explained = columns.explain(UserError(SourcePosition{1, 58}, "unknown"));
    REQUIRE(explained);
    CHECK_THAT(explained->what(), Catch::Contains("names v"));
    CHECK_FALSE(columns.explain(UserError(SourcePosition{1, 54}, "unknown")));
    CHECK_FALSE(columns.explain(UserError("unknown")));
}
