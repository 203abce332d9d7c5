#include "postgres/types/declared_type.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"

using namespace pelorus;
using namespace pelorus::postgres;

TEST_CASE("a declared type comes back from its saved form") {
    const DeclaredType declared{{oid::kVarchar, 24}, true};
    const DeclaredType back = declaredTypeOf({"a", Type::String, 0, ""}, savedForm(declared));
    CHECK(back.shown.type == oid::kVarchar);
    CHECK(back.shown.modifier == 24);
    CHECK(back.isRequired);
}

TEST_CASE("a column of another type than the declared one is shown as what it is") {
    const std::string saved = savedForm({{oid::kTimestamptz, -1}, true});
    CHECK(declaredTypeOf({"a", Type::NanoTimestamp, 0, ""}, saved).shown.type == oid::kTimestamptz);
    CHECK(declaredTypeOf({"a", Type::Int, 0, ""}, saved).shown.type == oid::kInt4);
    CHECK(!declaredTypeOf({"a", Type::Int, 0, ""}, saved).isRequired);
    CHECK(declaredTypeOf({"a", Type::Long, 0, ""}, "").shown.type == oid::kInt8);
    CHECK(declaredTypeOf({"a", Type::Long, 0, ""}, "no numbers").shown.type == oid::kInt8);
}

TEST_CASE("numerics are kept in the narrowest decimal that has their digits") {
    const auto kept = [](int precision, int scale) {
        return keptTypeOf({oid::kNumeric, numericModifier(precision, scale)}, -1);
    };
    CHECK(kept(9, 2).type == Type::Decimal32);
    CHECK(kept(10, 2).type == Type::Decimal64);
    CHECK(kept(19, 4).type == Type::Decimal128);
    CHECK(kept(19, 4).scale == 4);
    CHECK(keptTypeOf({oid::kNumeric, -1}, -1).scale == 10);
    CHECK_THROWS_AS(keptTypeOf({oid::kInterval, -1}, -1), SqlError);
}
