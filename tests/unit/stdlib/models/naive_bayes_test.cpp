// Naive Bayes.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("each classifier finds the class of its factors") {
    const Value normal = called("gaussianNB", {numbers({0, 0, 1, 1}), numbers({1, 2, 8, 9})});
    CHECK(elementsOf(called("gaussianNBPredict", {normal, numbers({0, 10})})) == std::vector<double>{0, 1});
    const Value counts = called("multinomialNB", {numbers({5, 7}), tupleOf({numbers({9, 1}), numbers({1, 9})})});
    CHECK(elementsOf(called("multinomialNBPredict", {counts, tupleOf({numbers({4, 0}), numbers({0, 4})})})) ==
          std::vector<double>{5, 7});
    CHECK(refusal("multinomialNB", {numbers({0, 1}), numbers({-1, 1})}).find("at least 0") != std::string::npos);
}
