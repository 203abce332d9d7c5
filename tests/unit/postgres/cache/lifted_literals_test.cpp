#include "postgres/cache/lifted_literals.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "postgres/parse/parsed_statement.h"

using namespace pelorus::postgres;

namespace {

// The literals that are taken out, with blanks between them; "-" when the text is left alone.
std::string literalsOf(std::string_view text) {
    const auto lifted = liftLiterals(text);
    if (!lifted) return "-";
    std::string all;
    for (const LiftedLiteral& literal : lifted->literals) all += (all.empty() ? "" : " ") + literal.value;
    return all;
}

bool isPut(std::string_view text) {
    const auto lifted = liftLiterals(text);
    REQUIRE(lifted);
    nlohmann::json tree = *parseStatements(text).at(0)->tree;
    return putParameters(tree, lifted->literals);
}

}  // namespace

TEST_CASE("literals that are compared with something are taken out of a text") {
    CHECK(literalsOf("select a from t where id = 5 and s <> 'x y' and 7 < b") == "5 x y");
    CHECK(literalsOf("select a from t where id in (1, 2,3) and d between 'a' and 'b' limit 10") == "1 2 3 a b");
    CHECK(literalsOf("select a from t where s = 'it''s';") == "it's");
    CHECK(liftLiterals("select 1 where a=5")->shape == liftLiterals("select 1 where a=66")->shape);
    CHECK(liftLiterals("select 1 where a=5")->shape != liftLiterals("select 1 where a='5'")->shape);
    CHECK(liftLiterals("select 1 where a=5")->shape != liftLiterals("select 2 where a=5")->shape);
}

TEST_CASE("literals that mean more than their value stay in the text") {
    CHECK(literalsOf("select 1, 'x' from t where a = 1.5 and b = 5 + 1 and c = '5'::int and d = -3").empty());
    CHECK(literalsOf("select a from t where s = '' limit 5 offset 6").empty());
    CHECK(literalsOf("select position('a' in 'b'), t1.a2 from t1 where a >=- 3").empty());
}

TEST_CASE("texts that are not read as they stand are left alone") {
    for (const char* text : {"select 1 -- c", "select /* c */ 1", "select $1", "select $$a$$", "select e'a'",
                             "select 1; select 2", "select 'a' 'b'", "select 'a\\b'", "select u&\"a\"", "select 'a"})
        CHECK(literalsOf(text) == "-");
}

TEST_CASE("literals become parameters where a condition compares them with a column") {
    CHECK(isPut("select a from t where id = 5 and s <> 'x' and 7 < b"));
    CHECK(isPut("select a from t where id in (1, 2) and d not between 'a' and 'b'"));
    CHECK(isPut("select a from t join u on t.id = u.id and u.k = 3 where exists (select 1 from v where v.a = 4)"));
    CHECK_FALSE(isPut("select a = 5 from t"));
    CHECK_FALSE(isPut("select a from t where abs(b) = 5"));
    CHECK_FALSE(isPut("select a from t where exists (select b = 5 from u)"));
}

TEST_CASE("an integer is not a parameter of any other kind of type") {
    const auto areTypes = [](std::string_view text, std::vector<Oid> types) {
        return areLiftable(liftLiterals(text)->literals, types);
    };
    CHECK(areTypes("select 1 where a = 5 and b = 'x'", {oid::kInt8, oid::kTimestamptz}));
    CHECK_FALSE(areTypes("select 1 where a = 5", {oid::kText}));
    CHECK_FALSE(areTypes("select 1 where a = 'x'", {oid::kBpchar}));
    CHECK_FALSE(areTypes("select 1 where a = 'x'", {}));
}
