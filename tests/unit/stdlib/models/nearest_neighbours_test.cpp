// Nearest rows.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("the nearest rows vote, or give their mean") {
    const Value votes = called("knn", {numbers({1, 1, 2}), numbers({0, 1, 9}), text("classifier"), Value::ofInt(3)});
    CHECK(elementsOf(called("knnPredict", {votes, numbers({9})})) == std::vector<double>{1});
    const Value means = called("knn", {numbers({1, 3, 50}), numbers({0, 1, 9}), text("regressor"), Value::ofInt(2)});
    CHECK(elementsOf(called("knnPredict", {means, numbers({0.4})})) == std::vector<double>{2});
    CHECK(refusal("knn", {numbers({1}), numbers({1}), text("regressor"), Value::ofInt(2)}).find("nNeighbor") !=
          std::string::npos);
}
