// Points of a plane and of the earth.
#include <array>

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {
Value points(const std::vector<std::array<double, 2>>& all) {
    return Value::of(Vector::of(Type::Point, all));
}
}  // namespace

TEST_CASE("a quarter around the earth is ten thousand kilometres") {
    const Value metres = called("distance", {points({{0, 0}}), points({{0, 90}})});
    CHECK(elementsOf(metres)[0] == Approx(10007549).epsilon(1e-5));
}

TEST_CASE("points on an edge are within as far as the boundary is") {
    const Value square = points({{0, 0}, {0, 2}, {2, 2}, {2, 0}}), asked = points({{1, 1}, {2, 1}, {3, 1}});
    const auto within = [&](bool boundary) {
        const Value result = called("geoWithin", {asked, square, Value::ofBool(boundary)});
        return std::vector<int8_t>(result.vector().data<int8_t>(), result.vector().data<int8_t>() + 3);
    };
    CHECK(within(true) == std::vector<int8_t>{1, 1, 0});
    CHECK(within(false) == std::vector<int8_t>{1, 0, 0});
}

TEST_CASE("only points away from the line are kept") {
    CHECK(called("rdp", {points({{1, 1}, {2, 2}, {3, 3}}), Value::ofDouble(0.1)}).size() == 2);
    CHECK(called("rdp", {points({{1, 1}, {2, 3}, {3, 3}}), Value::ofDouble(0.1)}).size() == 3);
    CHECK(refusal("rdp", {numbers({1}), Value::ofDouble(1)}).find("POINT") != std::string::npos);
}
