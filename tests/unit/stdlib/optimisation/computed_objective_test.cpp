// Functions that minimizers call.
#include "stdlib/optimisation/computed_objective.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a computation is called with the numbers of a point, and is no function that could be kept") {
    TestContext test;
    const ComputedObjective function("fit", [](Context&, const std::vector<double>& x) { return x[0] - x[1]; });
    std::vector<Value> arguments = {numbers({5, 3})};
    CHECK(function.call(test.context, arguments).asDouble() == 2);
    CHECK(function.name() == "fit");
    CHECK(function.signature().parameters.size() == 1);
    CHECK(function.portableKind().empty());
}
