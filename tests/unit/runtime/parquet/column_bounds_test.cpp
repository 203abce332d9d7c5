#include "runtime/parquet/column_bounds.h"

#include <catch2/catch.hpp>
#include <cstring>

namespace pelorus::parquet_file {

namespace {

template <class T>
std::string bytesOf(T x) {
    return {reinterpret_cast<const char*>(&x), sizeof x};
}

ReadPlan planOf(Physical physical, Logical logical, Type type) {
    Column column;
    column.physical = physical;
    column.logical = logical;
    return readPlan(column, {type});
}

Page page(int64_t firstRow, int32_t min, int32_t max, int64_t nulls = 0) {
    return {firstRow, {bytesOf(min), bytesOf(max), nulls}};
}

}  // namespace

TEST_CASE("a block has the bounds of all pages that overlap it") {
    const ReadPlan plan = planOf(Physical::Int32, Logical::None, Type::Int);
    const auto boundsOf = [&](const Statistics& told, int64_t rows) {
        return boundsFrom(plan, Type::Int, told, rows, false);
    };
    // Rows 30 to 49 are NULL.
    const Page nulls{30, {std::nullopt, std::nullopt, 20}};
    const auto blocks =
        blocksOfPages({page(0, 5, 9), page(7, 1, 3, 2), page(15, -4, 8), nulls, page(50, 2, 2)}, 55, 10, boundsOf);
    REQUIRE(blocks.size() == 6);
    for (const BlockBounds& block : blocks) {
        CHECK(block.known);
        CHECK_FALSE(block.isExact);
    }
    CHECK(blocks[0].min.integer() == 1);
    CHECK(blocks[0].max.integer() == 9);
    CHECK(blocks[0].nullCount == 2);
    CHECK(blocks[1].min.integer() == -4);
    CHECK(blocks[1].max.integer() == 8);
    CHECK(blocks[3].max.isNull());
    CHECK(blocks[3].nullCount == 10);
    CHECK(blocks[5].max.integer() == 2);

    // One page without bounds makes its blocks unknown, and no others.
    const auto partly = blocksOfPages({page(0, 5, 9), {10, {}}, page(15, 1, 2)}, 30, 10, boundsOf);
    CHECK(partly[0].known);
    CHECK_FALSE(partly[1].known);
    CHECK(partly[2].known);
    CHECK(blocksOfPages({}, 30, 10, boundsOf).empty());
}

TEST_CASE("a value has stored bytes where exactly these stand for it") {
    const ReadPlan ints = planOf(Physical::Int32, Logical::None, Type::Int);
    CHECK(storedBytes(ints, Type::Int, Value::ofLong(-7)) == bytesOf(int32_t{-7}));
    CHECK_FALSE(storedBytes(ints, Type::Int, Value::ofLong(int64_t{1} << 40)));
    CHECK_FALSE(storedBytes(ints, Type::Int, Value::nullOf(Type::Int)));
    CHECK_FALSE(storedBytes(ints, Type::Int, Value::ofDouble(7)));
    const ReadPlan unsignedInts = planOf(Physical::Int32, Logical::UInt32, Type::Long);
    CHECK(storedBytes(unsignedInts, Type::Long, Value::ofLong(4'000'000'000)) == bytesOf(uint32_t{4'000'000'000}));
    const ReadPlan shorts = planOf(Physical::Int32, Logical::Int16, Type::Short);
    CHECK(storedBytes(shorts, Type::Short, Value::ofInt(5)) == bytesOf(int32_t{5}));

    const ReadPlan micros = planOf(Physical::Int64, Logical::TimestampMicros, Type::NanoTimestamp);
    CHECK(storedBytes(micros, Type::NanoTimestamp, Value::scalar(Type::NanoTimestamp, 5000)) == bytesOf(int64_t{5}));
    CHECK_FALSE(storedBytes(micros, Type::NanoTimestamp, Value::scalar(Type::NanoTimestamp, 5001)));
    // A MONTH of our files is read as an integer.
    CHECK_FALSE(storedBytes(ints, Type::Month, Value::scalar(Type::Month, 3)));

    const ReadPlan doubles = planOf(Physical::Double, Logical::None, Type::Double);
    CHECK(storedBytes(doubles, Type::Double, Value::ofDouble(2.5)) == bytesOf(2.5));
    CHECK(storedBytes(doubles, Type::Double, Value::ofInt(2)) == bytesOf(2.0));
    CHECK_FALSE(storedBytes(doubles, Type::Double, Value::ofDouble(0)));  // and -0 are equal
    const ReadPlan texts = planOf(Physical::Bytes, Logical::String, Type::String);
    CHECK(storedBytes(texts, Type::String, Value::ofString("abc")) == "abc");
    CHECK_FALSE(storedBytes(texts, Type::String, Value::ofString("")));
}

}  // namespace pelorus::parquet_file
