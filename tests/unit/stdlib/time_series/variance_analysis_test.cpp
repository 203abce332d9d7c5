// Analyses of variance.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("groups with one mean do not differ, others do") {
    CHECK(memberOf(called("anova", {matrixValue({1, 2, 3, 3, 2, 1}, 3, 2)}), "fValue").real() == 0);
    CHECK(memberOf(called("anova", {matrixValue({1, 2, 3, 11, 12, 13}, 3, 2)}), "pValue").real() < 0.001);
    const Value x = matrixValue({1, 2, 3, 7, 8, 9, 2, 1, 4, 8, 7, 9}, 6, 2), g = numbers({1, 1, 1, 2, 2, 2});
    const Value result = called("manova", {x, g});
    CHECK(elementsOf(memberOf(result, "lambda"))[0] < 0.1);
    CHECK(memberOf(result, "gnames").size() == 2);
    CHECK(refusal("manova", {x, numbers({1, 1, 1, 1, 1, 1})}).find("two groups") != std::string::npos);
}
