#include "storage/codec/array_block.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

// Rows of 1, 2, 3, … numbers, which count on.
Ref<ArrayVector> staircase(int rows) {
    std::vector<int64_t> elements;
    std::vector<int32_t> ends;
    for (int row = 0; row < rows; ++row) {
        for (int i = 0; i <= row; ++i) elements.push_back(static_cast<int64_t>(elements.size()));
        ends.push_back(static_cast<int32_t>(elements.size()));
    }
    return makeRef<ArrayVector>(Vector::of<int64_t>(Type::Long, elements), std::move(ends));
}

std::string encoded(const ArrayVector& rows, int64_t begin, int64_t count) {
    std::string bytes;
    encodeArrayBlock(rows, begin, count, bytes, codec::Compression::Lz4);
    return bytes;
}

}  // namespace

TEST_CASE("the rows of a part come back with their lengths") {
    const Ref<ArrayVector> rows = staircase(50);
    const Ref<ArrayVector> back = decodeArrayBlock(Type::Long, 0, encoded(*rows, 10, 5), 5);
    REQUIRE(back->size() == 5);
    for (int64_t row = 0; row < 5; ++row) {
        CHECK(back->rowSize(row) == row + 11);
        CHECK(back->values()->asLong(back->begin(row)) == rows->values()->asLong(rows->begin(row + 10)));
    }
    CHECK(decodeArrayBlock(Type::Long, 0, encoded(*rows, 0, 50), 50)->values()->size() == 50 * 51 / 2);
}

TEST_CASE("more values than a block holds are several runs") {
    const Ref<ArrayVector> rows = staircase(600);  // 180,300 values
    const Ref<ArrayVector> back = decodeArrayBlock(Type::Long, 0, encoded(*rows, 0, 600), 600);
    CHECK(back->values()->size() == 600 * 601 / 2);
    CHECK(back->values()->asLong(back->values()->size() - 1) == 600 * 601 / 2 - 1);
}

TEST_CASE("the scale of decimals and NULLs among the values are kept") {
    const Ref<ArrayVector> rows = makeRef<ArrayVector>(Vector::of<int32_t>(Type::Decimal32, {1050, null<int32_t>, -7}),
                                                       std::vector<int32_t>{1, 3});
    const Ref<ArrayVector> back = decodeArrayBlock(Type::Decimal32, 2, encoded(*rows, 0, 2), 2);
    CHECK(back->values()->scale() == 2);
    CHECK(back->values()->isNullAt(1));
    CHECK(!back->values()->isNullAt(2));
}

TEST_CASE("bytes that are damaged are an error, and no size in them is allocated") {
    const std::string bytes = encoded(*staircase(20), 0, 20);
    for (size_t length = 0; length < bytes.size(); ++length)
        CHECK_THROWS_AS(decodeArrayBlock(Type::Long, 0, bytes.substr(0, length), 20), SystemError);
    // Lengths of another column: rows of no element, or of more than there are bytes for.
    for (const int32_t length : {0, -1, INT32_MAX}) {
        const Ref<ArrayVector> lengths =
            makeRef<ArrayVector>(Vector::of<int32_t>(Type::Int, {length}), std::vector<int32_t>{1});
        // A block of one row of one INT is a run of lengths, then one of values: the second run is read as the first.
        const std::string one = encoded(*lengths, 0, 1);
        const size_t first = static_cast<size_t>(one[0]) + 1;
        CHECK_THROWS_AS(decodeArrayBlock(Type::Int, 0, one.substr(first), 1), SystemError);
    }
}
