#include "common/type_table.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

// What the name denotes, spelled back; "none" when it denotes nothing.
std::string spelled(std::string_view name) {
    TypeSpec spec;
    return typeSpecByName(name, spec) ? typeString(spec.type, spec.scale) : "none";
}

}  // namespace

TEST_CASE("types are found by their names in any case, and arrays of those that can be in them") {
    Type type = Type::Void;
    for (const TypeFacts& row : kTypeTable) {
        if (row.name.empty()) continue;
        INFO(row.name);
        REQUIRE(typeByName(row.name, type));
        CHECK(typeName(type) == row.name);
    }
    CHECK(typeByName("nanoTimestamp", type));
    CHECK(type == Type::NanoTimestamp);
    CHECK(typeByName("int[]", type));
    CHECK(type == arrayTypeOf(Type::Int));
    CHECK(elementTypeOf(type) == Type::Int);
    CHECK(!typeByName("STRING[]", type));
    CHECK(!typeByName("INTEGER", type));
    CHECK(!typeByName("[]", type));
    CHECK(!typeByName("", type));
}

TEST_CASE("a decimal names its scale within what its width holds") {
    CHECK(spelled("decimal32(4)") == "DECIMAL32(4)");
    CHECK(spelled("DECIMAL64(18)[]") == "DECIMAL64(18)[]");
    CHECK(spelled("DECIMAL128(38)") == "DECIMAL128(38)");
    CHECK(spelled("DATE") == "DATE");
    CHECK(spelled("INT[]") == "INT[]");
    for (const char* name : {"DECIMAL32(10)", "DECIMAL64(19)", "DECIMAL128(39)", "DECIMAL32()", "DECIMAL32(-1)",
                             "DECIMAL32(1.5)", "DECIMAL32(100)", "DECIMAL32(4", "INT(4)", "(4)"}) {
        INFO(name);
        CHECK(spelled(name) == "none");
    }
}

TEST_CASE("the integer of a type leads back to it, and other integers to nothing") {
    TypeSpec spec;
    bool hasScale = true;
    REQUIRE(typeByConstant(typeConstant(Type::Decimal64, 3), spec, &hasScale));
    CHECK(spec.type == Type::Decimal64);
    CHECK(spec.scale == 3);
    CHECK(hasScale);
    REQUIRE(typeByConstant(static_cast<int64_t>(Type::Decimal64), spec, &hasScale));
    CHECK(!hasScale);
    CHECK(spec.scale == 0);
    REQUIRE(typeByConstant(kArrayVectorBase + static_cast<int64_t>(Type::Date), spec));
    CHECK(spec.type == arrayTypeOf(Type::Date));
    CHECK(!typeByConstant(-1, spec));
    CHECK(!typeByConstant(kTypeCount, spec));
    CHECK(!typeByConstant(kArrayVectorBase + static_cast<int64_t>(Type::String), spec));
    CHECK(!typeByConstant(kArrayVectorBase + kTypeCount, spec));
    CHECK(!typeByConstant(typeConstant(Type::Int, 2), spec));
    CHECK(!typeByConstant(typeConstant(Type::Decimal32, 10), spec));
    CHECK(!typeByConstant(INT64_MAX, spec));
}
