// Orthogonal columns.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("columns become orthogonal, and of length 1 when asked for") {
    const Value q = called("gramSchmidt", {matrixValue({2, 3, 5, 3, 6, 2}, 3, 2), Value::ofBool(true)});
    const std::vector<double> c = elementsOf(Value::of(q.matrix().cells));
    CHECK(c[0] * c[3] + c[1] * c[4] + c[2] * c[5] == Approx(0).margin(1e-12));
    CHECK(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] == Approx(1));
    CHECK(refusal("gramSchmidt", {matrixValue({1, 2, 2, 4}, 2, 2)}).find("independent") != std::string::npos);
}
