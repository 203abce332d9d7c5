// Curves of Nelson, Siegel and Svensson.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a curve that was drawn from its parameters is found again") {
    auto known = makeRef<Dictionary>(Type::String, Type::Any, true);
    known->set(text("modelName"), text("ns"));
    known->set(text("params"), numbers({0.04, -0.02, 0.01, 2}));
    const Value years = numbers({0.5, 1, 2, 3, 5, 7, 10, 20, 30});
    const Value yields = called("nssPredict", {Value::of(known), years});
    const Value model = called("ns", {years, yields, text("bfgs")});
    const std::vector<double> want = elementsOf(yields), seen = elementsOf(called("nssPredict", {model, years}));
    for (size_t i = 0; i < want.size(); ++i) CHECK(seen[i] == Approx(want[i]).margin(1e-3));
    CHECK(refusal("nssPredict", {Value::of(known), text("x")}).find("T") != std::string::npos);
}
