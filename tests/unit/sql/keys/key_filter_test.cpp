#include "sql/keys/key_filter.h"

#include <catch2/catch.hpp>
#include <vector>

#include "runtime/value/value_range.h"

using namespace pelorus;

TEST_CASE("rows whose key the other side has are found in order, and NULL is none") {
    const Ref<Vector> rows = Vector::of(Type::Int, std::vector<int32_t>{7, 1, null<int32_t>, 3, 7, 900});
    const Ref<Vector> keys = Vector::of(Type::Int, std::vector<int32_t>{7, 3, null<int32_t>, 3});
    CHECK(rowsWithKeyAmong(*rows, *keys) == std::vector<int32_t>{0, 3, 4});
}

TEST_CASE("the greatest and least values are keys like others") {
    const std::vector<int64_t> items{INT64_MAX, INT64_MAX - 1, null<int64_t>};
    const Ref<Vector> rows = Vector::of(Type::Long, items);
    const Ref<Vector> keys = Vector::of(Type::Long, std::vector<int64_t>{INT64_MAX});
    CHECK(rowsWithKeyAmong(*rows, *keys) == std::vector<int32_t>{0});
}

TEST_CASE("no keys choose no rows, and keys far apart are no set of bits") {
    const Ref<Vector> rows = Vector::of(Type::Long, std::vector<int64_t>{1, 2});
    CHECK(rowsWithKeyAmong(*rows, *Vector::make(Type::Long, 0))->empty());
    CHECK_FALSE(rowsWithKeyAmong(*rows, *Vector::of(Type::Long, std::vector<int64_t>{1, int64_t{1} << 40})));
}

TEST_CASE("fractions are no keys of a set of bits") {
    const Ref<Vector> rows = Vector::of(Type::Double, std::vector<double>{1, 2});
    CHECK_FALSE(rowsWithKeyAmong(*rows, *rows));
}
