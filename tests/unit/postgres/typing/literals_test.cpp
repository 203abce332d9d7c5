#include "postgres/typing/literals.h"

#include <catch2/catch.hpp>

using namespace pelorus::postgres;
using pelorus::Type;

TEST_CASE("a whole number is bigint while it fits, and numeric beyond") {
    CHECK(typedNumber("2147483648").type == oid::kInt8);
    CHECK(typedNumber("-9223372036854775807").type == oid::kInt8);
    CHECK(typedNumber("9223372036854775808").type == oid::kNumeric);
    CHECK(typedNumber("1.5").type == oid::kNumeric);
}

TEST_CASE("literals of a row have their types and places") {
    const Typed number = typedLiteral({.kind = RowLiteral::Kind::Number, .place = 7, .value = "-12", .isSmall = true});
    CHECK(number.type == oid::kInt4);
    CHECK(number.constant->integer() == -12);
    CHECK(number.place == 7);
    CHECK(typedLiteral({.kind = RowLiteral::Kind::Null}).isNullConstant());
    CHECK(typedLiteral({.kind = RowLiteral::Kind::True}).type == oid::kBool);
    const Typed text = typedLiteral({.kind = RowLiteral::Kind::Text, .place = 0, .value = "a"});
    CHECK(text.isUnknown());
    CHECK(text.literal == "a");
}
