#include "runtime/arrow/arrow_encoder.h"

#include <catch2/catch.hpp>

#include "runtime/arrow/arrow_decoder.h"
#include "tests/support/mixed_table.h"

namespace pelorus::arrow {

TEST_CASE("the bits of which elements are there are written only where some are missing") {
    const ArrowField field = fieldOf({"x", Type::Int, 0, ""}, 0, SymbolForm::Text);
    BatchEncoder whole, gaps;
    whole.add(field, Value::of(Vector::of<int32_t>(Type::Int, {1, 2, 3})), 0, 3, {});
    gaps.add(field, testing::mixedColumn(Type::Int, 0, 5), 0, 5, {});
    CHECK(whole.bodyBytes() == 16);     // 12 bytes of values, padded
    CHECK(gaps.bodyBytes() == 8 + 24);  // a byte of bits and 20 of values, padded
}

TEST_CASE("a piece of a column is decoded as it was") {
    const ArrowField field = fieldOf({"x", Type::Minute, 0, ""}, 0, SymbolForm::Text);
    const Value column = testing::mixedColumn(Type::Minute, 0, 100);
    BatchEncoder encoder;
    encoder.add(field, column, 30, 50, {});
    const std::string message = encoder.message(50).finish();
    GatheredBytes gathered;
    encoder.moveBody(gathered);
    const std::string body = gathered.joined();
    BatchDecoder decoder(FlatView(message), body, [](int64_t) {});
    CHECK(identical(decoder.take(field, {Type::Minute, 0}, {}), Value::of(column.vector().slice(30, 50))));
}

TEST_CASE("elements that stand in Arrow as they do here are not copied") {
    const Value column = Value::of(Vector::filled(Type::Double, 1000, Value::ofDouble(1)));
    BatchEncoder encoder;
    encoder.add(fieldOf({"x", Type::Double, 0, ""}, 0, SymbolForm::Text), column, 100, 500, {});
    REQUIRE(encoder.buffers().size() == 2);
    CHECK(encoder.buffers()[1].bytes().data() == column.vector().raw() + 800);
    CHECK(encoder.nodes()[0].length == 500);
}

}  // namespace pelorus::arrow
