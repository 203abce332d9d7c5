#include "storage/rows/row_layout.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("a row table holds scalars of fixed width and texts, and says what it cannot hold") {
    CHECK(isRowType(Type::Int));
    CHECK(isRowType(Type::Decimal128));
    CHECK(isRowType(Type::Uuid));
    CHECK(isRowType(Type::Blob));
    CHECK_FALSE(isRowType(Type::Any));
    CHECK_FALSE(isRowType(arrayTypeOf(Type::Int)));
    CHECK_THROWS_WITH(rowColumnsOf({{"sym", Type::Symbol}}), Catch::Contains("sym"));
}

TEST_CASE("the cell of NULL is that of the type") {
    const Ref<Vector> column = Vector::make(Type::Long, 0);
    column->append(Value::ofLong(5));
    column->append(Value());
    CHECK_FALSE(isNullCell(Type::Long, cellOf(*column, 0)));
    CHECK(isNullCell(Type::Long, cellOf(*column, 1)));
    CHECK(isNullCell(Type::String, ""));
    const Ref<Vector> texts = Vector::ofStrings({"a", ""});
    CHECK(cellOf(*texts, 0) == "a");
    CHECK(isNullCell(Type::String, cellOf(*texts, 1)));
}
