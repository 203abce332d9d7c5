// Dense systems.
#include "stdlib/matrix/dense_solve.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("a triangle solves what the matrix is made of") {
    const std::vector<double> triangle = choleskyFactor({4, 2, 2, 10}, 2);
    REQUIRE(triangle == std::vector<double>{2, 1, 0, 3});
    std::vector<double> x = {4, 5};
    solveLower(triangle, 2, x.data());
    CHECK(x == std::vector<double>{2, 1});
    CHECK(choleskyFactor({1, 2, 2, 1}, 2).empty());
}

TEST_CASE("systems without one solution are told") {
    std::vector<double> b = {3, 4};
    REQUIRE(solveDense({2, 0, 0, 4}, b, 2));
    CHECK(b == std::vector<double>{1.5, 1});
    CHECK_FALSE(solveDense({1, 1, 1, 1}, b, 2));
}

TEST_CASE("programs are refused beyond their cells, not at them") {
    CHECK_NOTHROW(requireDense(10000, 10000));
    CHECK_NOTHROW(requireDense(SIZE_MAX, 0));
    CHECK_THROWS_AS(requireDense(10001, 10000), UserError);
    CHECK_THROWS_AS(requireDense(SIZE_MAX, SIZE_MAX), UserError);
}
