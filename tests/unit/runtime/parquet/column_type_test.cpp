#include "runtime/parquet/column_type.h"

#include <catch2/catch.hpp>

#include "common/error.h"

namespace pelorus::parquet_file {

TEST_CASE("a column that is written is read as a type that can become its own again") {
    for (int id = 0; id < kTypeCount; ++id) {
        const TypeSpec type{static_cast<Type>(id), 0};
        Column column;
        try {
            column = storedAs("x", type);
        } catch (const UserError&) {
            continue;
        }
        std::string obstacle;
        const TypeSpec read = typeOf(column, obstacle);
        INFO(typeName(type.type));
        CHECK(obstacle.empty());
        CHECK(canRestore(read, type));
    }
}

TEST_CASE("bytes of a meaning that is not known are a BLOB, and numbers of one are refused") {
    Column column;
    column.logical = Logical::Other;
    column.physical = Physical::Bytes;
    std::string obstacle;
    CHECK(typeOf(column, obstacle).type == Type::Blob);
    CHECK(obstacle.empty());
    column.physical = Physical::Int64;
    typeOf(column, obstacle);
    CHECK_FALSE(obstacle.empty());
}

TEST_CASE("another type than the file's cannot be claimed") {
    CHECK_FALSE(canRestore({Type::Int}, {Type::Long}));
    CHECK_FALSE(canRestore({Type::Long}, {Type::Symbol}));
    CHECK_FALSE(canRestore({Type::Decimal32, 2}, {Type::Decimal32, 3}));
    CHECK_FALSE(canRestore({Type::Int}, {arrayTypeOf(Type::Int)}));
}

TEST_CASE("types that no file can hold are refused by name") {
    CHECK_THROWS_WITH(storedAs("odd", {Type::Any}), Catch::Contains("The column odd is of type ANY"));
}

TEST_CASE("decimals that contradict themselves are no columns") {
    Column column = storedAs("x", {Type::Decimal64, 2});
    column.scale = 40;
    std::string obstacle;
    typeOf(column, obstacle);
    CHECK(obstacle == "a decimal of 18 digits, 40 of them after the point");
}

}  // namespace pelorus::parquet_file
