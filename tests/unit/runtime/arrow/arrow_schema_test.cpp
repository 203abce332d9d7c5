#include "runtime/arrow/arrow_schema.h"

#include <catch2/catch.hpp>

#include "common/error.h"

namespace pelorus::arrow {

namespace {

ArrowField field(ArrowType type, int bits = 0) {
    ArrowField made;
    made.name = "x";
    made.type = type;
    made.bitWidth = bits;
    return made;
}

std::string obstacleOf(const ArrowField& one) {
    std::string obstacle;
    typeOf(one, obstacle);
    return obstacle;
}

}  // namespace

TEST_CASE("a schema is read back as it was written") {
    ArrowSchema schema;
    schema.fields.push_back(fieldOf({"m", Type::Month, 0, ""}, 0, SymbolForm::Dictionary));
    schema.fields.push_back(fieldOf({"s", Type::Symbol, 0, ""}, 5, SymbolForm::Dictionary));
    schema.fields.push_back(fieldOf({"l", arrayTypeOf(Type::Decimal64), 3, ""}, 0, SymbolForm::Dictionary));
    schema.metadata.emplace_back("key", "value");
    const std::string bytes = encodeSchema(schema).finish();
    const ArrowSchema back = decodeSchema(FlatView(bytes));
    REQUIRE(back.fields.size() == 3);
    CHECK(back.metadata == schema.metadata);
    std::string obstacle;
    CHECK(typeOf(back.fields[0], obstacle).type == Type::Month);
    CHECK(back.fields[1].dictionary->id == 5);
    CHECK(typeOf(back.fields[2], obstacle).type == arrayTypeOf(Type::Decimal64));
    CHECK(typeOf(back.fields[2], obstacle).scale == 3);
    CHECK(obstacle.empty());
}

TEST_CASE("types that no column can hold are told by what they are") {
    CHECK(obstacleOf(field(ArrowType::Struct)) == "a struct");
    CHECK(obstacleOf(field(ArrowType::Int, 24)) == "an integer of 24 bits");
    CHECK(obstacleOf(field(ArrowType::Time, 16)) == "a time of a width that is not known");
    ArrowField list = field(ArrowType::List);
    list.children.push_back(field(ArrowType::Utf8));
    CHECK(obstacleOf(list) == "a list of STRING");
}

TEST_CASE("types nested without end are refused") {
    FlatBuilder inner;
    for (int depth = 0; depth < 40; ++depth) {
        FlatBuilder outer;
        outer.add(2, static_cast<uint8_t>(ArrowType::List));
        outer.addTables(5, {std::move(inner)});
        inner = std::move(outer);
    }
    FlatBuilder schema;
    schema.addTables(1, {std::move(inner)});
    const std::string bytes = schema.finish();
    CHECK_THROWS_AS(decodeSchema(FlatView(bytes)), SystemError);
}

}  // namespace pelorus::arrow
