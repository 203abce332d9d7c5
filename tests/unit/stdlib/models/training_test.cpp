// Rows that models are fitted to.
#include "stdlib/models/training.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("rows come by the names of columns") {
    TestContext test;
    std::vector<Value> a = {tableOf({"y", "a", "b"}, {{1, 2}, {3, 4}, {5, 6}}), text("y"),
                            Value::of(Vector::ofStrings({"b", "a"}))};
    const TrainingRows rows = trainingRows(test.context, a, namesOfTraining(a), NullCells::Refused);
    CHECK(rows.y == std::vector<double>{1, 2});
    CHECK(rows.x.columns[0] == std::vector<double>{5, 6});
    a[1] = text("no");
    CHECK_THROWS_AS(trainingRows(test.context, a, namesOfTraining(a), NullCells::Refused), UserError);
}

TEST_CASE("classes are whole numbers below their count") {
    CHECK(classesOf({0, 2, 1}, 3, 1) == std::vector<int>{0, 2, 1});
    CHECK_THROWS_AS(classesOf({0, 3}, 3, 1), UserError);
    CHECK_THROWS_AS(classesOf({0.5}, 3, 1), UserError);
}
