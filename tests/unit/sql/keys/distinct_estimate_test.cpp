#include "sql/keys/distinct_estimate.h"

#include <catch2/catch.hpp>
#include <vector>

#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

Value numbers(int32_t rows, int32_t distinct) {
    std::vector<int32_t> items(static_cast<size_t>(rows));
    for (int32_t i = 0; i < rows; ++i) items[static_cast<size_t>(i)] = static_cast<int32_t>(i * 7919LL % distinct);
    return Value::of(Vector::of(Type::Int, items));
}

}  // namespace

TEST_CASE("few values are counted, and a key has as many as rows") {
    CHECK(estimateDistinct(numbers(1000, 10)) == 10);
    CHECK(estimateDistinct(numbers(200'000, 200'000)) == Approx(200'000));
}

TEST_CASE("values in between are estimated within a factor of two") {
    const double estimate = estimateDistinct(numbers(1'000'000, 20'000));
    CHECK(estimate > 10'000);
    CHECK(estimate < 40'000);
}

TEST_CASE("a column without rows has one value") {
    CHECK(estimateDistinct(Value::of(Vector::make(Type::Int, 0))) == 1);
}
