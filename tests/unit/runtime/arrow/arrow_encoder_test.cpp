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
    CHECK(whole.body().size() == 16);     // 12 bytes of values, padded
    CHECK(gaps.body().size() == 8 + 24);  // a byte of bits and 20 of values, padded
}

TEST_CASE("a piece of a column is decoded as it was") {
    const ArrowField field = fieldOf({"x", Type::Minute, 0, ""}, 0, SymbolForm::Text);
    const Value column = testing::mixedColumn(Type::Minute, 0, 100);
    BatchEncoder encoder;
    encoder.add(field, column, 30, 50, {});
    const std::string message = encoder.message(50).finish();
    BatchDecoder decoder(FlatView(message), encoder.body(), [](int64_t) {});
    CHECK(identical(decoder.take(field, {Type::Minute, 0}, {}), Value::of(column.vector().slice(30, 50))));
}

}  // namespace pelorus::arrow
