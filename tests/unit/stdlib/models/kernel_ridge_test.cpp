// Ridge regression over kernels.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("every kernel predicts what it was fitted to, nearly") {
    const Value t = tableOf({"y", "x"}, {{1, 4, 9}, {1, 2, 3}});
    for (const char* kernel : {"rbf", "laplacian", "poly", "chi2"}) {
        INFO(kernel);
        const Value model =
            called("kernelRidge", {t, text("y"), text("x"), Value::ofDouble(1e-6), text(kernel), Value::ofDouble(1)});
        const Value seen = called("kernelRidgePredict", {model, t});
        CHECK(elementsOf(Value::of(seen.matrix().cells))[2] == Approx(9).margin(0.05));
    }
    CHECK(refusal("kernelRidge", {t, text("y"), text("x"), {}, text("none")}).find("kernel must be one of") !=
          std::string::npos);
}
