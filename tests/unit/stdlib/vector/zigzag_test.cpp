// Turning points of prices.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("moves below the threshold are passed over") {
    const std::vector<double> turns = elementsOf(called("zigzag", {numbers({10, 10.5, 20, 19, 15, 15.5, 30})}));
    CHECK(turns[2] == 20);
    CHECK(isNull(turns[3]));
    CHECK(turns[4] == 15);
    CHECK(turns[6] == 30);
    CHECK(refusal("zigzag", {matrixValue({1, 2, 3}, 1, 3)}).find("two columns") != std::string::npos);
}
