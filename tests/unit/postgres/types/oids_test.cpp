#include "postgres/types/oids.h"

#include <catch2/catch.hpp>

using namespace pelorus;
using namespace pelorus::postgres;

TEST_CASE("each type is found by number and name, and arrays name their elements") {
    Oid before = 0;
    for (const OidFacts& facts : allTypes()) {
        CHECK(facts.oid > before);
        before = facts.oid;
        CHECK(oidFacts(facts.oid) == &facts);
        CHECK(typeByName(facts.name) == &facts);
        const std::string_view shown = facts.display;
        CHECK((shown.starts_with('"') || typeByName(shown) != nullptr || facts.category == 'A'));
        CHECK((facts.array == 0 || oidFacts(facts.array)->element == facts.oid));
    }
    CHECK(oidFacts(1) == nullptr);
    CHECK(typeByName("double precision")->oid == oid::kFloat8);
    CHECK(typeByName("int[]")->oid == oid::kInt4Array);
    CHECK(typeByName("nonsense") == nullptr);
}

TEST_CASE("columns of the engine are shown as types with modifiers") {
    CHECK(shownType(Type::Symbol, 0).type == oid::kText);
    CHECK(shownType(Type::Decimal64, 4).modifier == numericModifier(18, 4));
    CHECK(formatType(oid::kNumeric, numericModifier(18, 4)) == "numeric(18,4)");
    CHECK(formatType(oid::kVarchar, 9) == "character varying(5)");
    CHECK(formatType(oid::kInt4, -1) == "integer");
    CHECK(shownType(static_cast<Type>(static_cast<int>(Type::Int) + kArrayVectorBase), 0).type == oid::kInt4Array);
}
