// Tests which points functions that interpolate take.
#include "stdlib/interpolation/interpolation_arguments.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("points ascend, strictly where they must, and are enough") {
    CHECK_NOTHROW(requireAscending({1, 2, 3}, 0, "X", 3, true));
    CHECK_NOTHROW(requireAscending({1, 1, 3}, 0, "X", 3, false));
    CHECK_THROWS_AS(requireAscending({1, 1, 3}, 0, "X", 3, true), UserError);
    CHECK_THROWS_AS(requireAscending({1, 3, 2}, 0, "X", 3, false), UserError);
    CHECK_THROWS_AS(requireAscending({1, 2}, 0, "X", 3, false), UserError);
    CHECK_THROWS_AS(requireAscending({1, std::numeric_limits<double>::quiet_NaN(), 2}, 0, "X", 3, false), UserError);
}

TEST_CASE("numbers are vectors without NULL") {
    std::vector<Value> given = {Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2})), Value::ofInt(1),
                                Value::of(Vector::ofStrings({"a"})),
                                Value::of(Vector::of(Type::Double, std::vector<double>{1, null<double>}))};
    CHECK(numbersArgument(given, 0, "X") == std::vector<double>{1, 2});
    for (size_t i = 1; i < given.size(); ++i) CHECK_THROWS_AS(numbersArgument(given, i, "X"), UserError);
}
