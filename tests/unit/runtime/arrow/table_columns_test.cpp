#include "runtime/arrow/table_columns.h"

#include <catch2/catch.hpp>

#include "common/error.h"

namespace pelorus::arrow {

TEST_CASE("columns have each name once, and say what no table can hold") {
    ArrowSchema schema;
    schema.fields = {fieldOf({"a", Type::Int, 0, ""}, 0, SymbolForm::Text),
                     fieldOf({"a", Type::Decimal64, 2, ""}, 0, SymbolForm::Text), ArrowField{}};
    schema.fields[2].name = "s";
    schema.fields[2].type = ArrowType::Struct;
    const TableColumns columns(schema);
    CHECK(columns.schema()[1].name == "a_1");
    CHECK(columns.type(1).scale == 2);
    columns.requireReadable(0);
    CHECK_THROWS_WITH(columns.requireReadable(2), Catch::Contains("The column s is a struct"));
    CHECK_THROWS_AS(columns.join({2}, [] { return Ref<MemoryTable>(); }), UserError);
    CHECK(columns.join({1}, [] { return Ref<MemoryTable>(); })->columns()[0].type == Type::Decimal64);
}

}  // namespace pelorus::arrow
