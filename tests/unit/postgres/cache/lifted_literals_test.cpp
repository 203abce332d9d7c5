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
    return putParameters(tree, lifted->literals).has_value();
}

// The uses of the literals of a text in the order of the literals: c compared, a assigned, o operand; "-" for none.
std::string usesOf(std::string_view text) {
    const auto lifted = liftLiterals(text);
    REQUIRE(lifted);
    nlohmann::json tree = *parseStatements(text).at(0)->tree;
    const auto uses = putParameters(tree, lifted->literals);
    if (!uses) return "-";
    std::string all;
    for (const LiteralUse use : *uses)
        all += use == LiteralUse::Compared ? 'c' : use == LiteralUse::Assigned ? 'a' : 'o';
    return all;
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
    CHECK(literalsOf("select 1, 'x' from t where a = 1.5 and b = 5 + 1 and c = '5'::int and d = - 3").empty());
    CHECK(literalsOf("select a from t where s = '' limit 5 offset 6").empty());
    CHECK(literalsOf("select position('a' in 'b'), t1.a2 from t1 where a >=- 3").empty());
}

TEST_CASE("texts that are not read as they stand are left alone") {
    for (const char* text : {"select 1 -- c", "select /* c */ 1", "select $1", "select $$a$$", "select e'a'",
                             "select 1; select 2", "select 'a' 'b'", "select 'a\\b'", "select u&\"a\"", "select 'a"})
        CHECK(literalsOf(text) == "-");
}

TEST_CASE("literals of changes are taken out where they are values") {
    CHECK(literalsOf("insert into t (a, b, c) values (1, -2.50, 'x'), (1)") == "-");
    CHECK(literalsOf("insert into t (a, b, c) values (1, -2.50, 'x')") == "1 -2.50 x");
    CHECK(literalsOf("insert into t values (1, f(2, 3), now(), null, 'x', (4))") == "1 x");
    CHECK(literalsOf("update t set a = a + -5, b = b - 1.25, c = 'x' where d = -7 and e = 1.5") == "-5 1.25 x -7");
    CHECK(literalsOf("update t set a = -5 + b, c = c || 'x', d = 5::int").empty());
    CHECK(literalsOf("delete from t where a = 5 and b in (-1, 2)") == "5 -1 2");
    CHECK(liftLiterals("update t set a = 1.5")->shape == liftLiterals("update t set a = 2.5")->shape);
    CHECK(liftLiterals("update t set a = 1.5")->shape != liftLiterals("update t set a = 1.50")->shape);
    CHECK(liftLiterals("update t set a = 1.5")->shape != liftLiterals("update t set a = 1")->shape);
    CHECK(literalsOf("select a, b + 5 from t where c = -3") == "-3");
}

TEST_CASE("the use of a literal of a change decides its type") {
    CHECK(usesOf("update t set a = a + -5, b = 'x', c = 7 where d = 8") == "oaac");
    CHECK(usesOf("insert into t values (1, b + 2.5, -3)") == "aoa");
    CHECK(usesOf("insert into t values (1) on conflict (a) do update set b = t.b + 2 where t.c = 3") == "aoc");
    CHECK(usesOf("update t set a = 1 where d = e + 5") == "-");
    CHECK(usesOf("update t set a = a + 3000000000") == "-");
    CHECK(usesOf("update t set a = 3000000000") == "a");
    CHECK(usesOf("delete from t where abs(a) = 5") == "-");
    CHECK(usesOf("delete from t where a = 5 returning b + 5") == "-");
    CHECK(usesOf("insert into t select 5 from u where a = 6") == "c");
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
        const auto literals = liftLiterals(text)->literals;
        return areLiftable(literals, std::vector<LiteralUse>(literals.size(), LiteralUse::Compared), types);
    };
    CHECK(areTypes("select 1 where a = 5 and b = 'x'", {oid::kInt8, oid::kTimestamptz}));
    CHECK_FALSE(areTypes("select 1 where a = 5", {oid::kText}));
    CHECK_FALSE(areTypes("select 1 where a = 'x'", {oid::kBpchar}));
    CHECK_FALSE(areTypes("select 1 where a = 'x'", {}));
    const auto areAssigned = [](std::string_view text, Oid type) {
        return areLiftable(liftLiterals(text)->literals, {LiteralUse::Assigned}, {type});
    };
    CHECK(areAssigned("update t set a = 1.5", oid::kNumeric));
    CHECK(areAssigned("update t set a = 'x'", oid::kBpchar));
    CHECK_FALSE(areAssigned("update t set a = 1.5", oid::kInt4));
    CHECK_FALSE(areAssigned("update t set a = 1.5", oid::kFloat4));
    CHECK_FALSE(areAssigned("update t set a = 'x'", oid::kInterval));
}
