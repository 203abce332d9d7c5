// Value at risk.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("the loss beyond the loss is larger, for every method") {
    const Value returns = numbers({-0.04, -0.03, -0.01, 0, 0.01, 0.01, 0.02, 0.03, -0.02, 0.015});
    for (const char* method : {"normal", "logNormal", "historical", "monteCarlo"}) {
        INFO(method);
        const double loss = called("valueAtRisk", {returns, text(method), Value::ofDouble(0.8)}).real();
        CHECK(loss > 0);
        CHECK(called("condValueAtRisk", {returns, text(method), Value::ofDouble(0.8)}).real() > loss);
    }
    CHECK(refusal("valueAtRisk", {numbers({-2, 1}), text("normal")}).find("above -1") != std::string::npos);
}
