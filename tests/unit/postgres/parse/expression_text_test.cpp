#include "postgres/parse/expression_text.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "postgres/sql_error.h"

using namespace pelorus::postgres;

namespace {

// A tree without the places of its nodes in the text.
nlohmann::json withoutPlaces(nlohmann::json tree) {
    if (tree.is_object()) {
        tree.erase("location");
        tree.erase("funcformat");  // how a call was written: extract(year from x) is one of pg_catalog.extract
        tree.erase("rexpr_list_start");
    }
    if (tree.is_structured())
        for (nlohmann::json& item : tree) item = withoutPlaces(item);
    return tree;
}

}  // namespace

TEST_CASE("an expression as text parses to the same tree") {
    for (const char* text : {"1",
                             "-1",
                             "1.50",
                             "'it''s'",
                             "E'a\\\\b'",
                             "true",
                             "null",
                             "a",
                             "\"Mixed Name\" > 0",
                             "\"select\" + t.b",
                             "a > 0 and (b < 1 or not c)",
                             "a + b * c - d / 2 % 3",
                             "(a + b) * c",
                             "a between 1 and 2",
                             "a not between symmetric 1 and 2",
                             "a in (1, 2, 3)",
                             "a not in ('x', 'y')",
                             "a like 'x%'",
                             "a not ilike 'x!%' escape '!'",
                             "a is null",
                             "a is not null",
                             "a is distinct from b",
                             "a is not true",
                             "case when a > 1 then 'x' else 'y' end",
                             "case a when 1 then 2 end",
                             "coalesce(a, b, 0)",
                             "greatest(a, 1)",
                             "nullif(a, 0)",
                             "a::numeric(10, 2)",
                             "cast(a as varchar(5))",
                             "'2026-01-01'::date",
                             "interval '1 day'",
                             "now()",
                             "current_timestamp",
                             "current_date - 1",
                             "length(a) > 0",
                             "extract(year from a)",
                             "substring(a from 1 for 2)",
                             "a = any(array[1, 2])",
                             "a || 'x' || b",
                             "a ~ '^x'",
                             "nextval('s'::regclass)",
                             "-a",
                             "- (-1)",
                             "(1)::int",
                             "upper(a) collate \"C\" < b"}) {
        CAPTURE(text);
        const nlohmann::json tree = parseExpression(text);
        const std::string made = expressionText(tree);
        CAPTURE(made);
        CHECK(withoutPlaces(parseExpression(made)) == withoutPlaces(tree));
        CHECK(expressionText(parseExpression(made)) == made);
    }
}

TEST_CASE("what no definition may hold is refused") {
    for (const char* text : {"(select 1)", "$1", "a in (select 1)", "count(*)", "sum(a) over ()"})
        CHECK_THROWS_AS(expressionText(parseExpression(text)), SqlError);
    CHECK_THROWS_AS(parseExpression("1 from t; select 2"), SqlError);
    CHECK_THROWS_AS(parseExpression("1, 2"), SqlError);
}

TEST_CASE("columns of an expression are listed once, and renamed") {
    nlohmann::json tree = parseExpression("a > 0 and length(t.b) < a");
    CHECK(columnsOf(tree) == std::vector<std::string>{"a", "b"});
    renameColumns(tree, {{"a", "b"}, {"b", "c d"}});
    CHECK(expressionText(tree) == "((b > 0) AND (length(\"c d\") < b))");
    CHECK(callsAny(tree, {"length"}));
    CHECK_FALSE(callsAny(tree, {"upper"}));
}
