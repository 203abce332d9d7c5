// Decision trees.
#include "stdlib/models/decision_tree.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a tree splits where the classes part") {
    NumberColumns x{{{1, 2, 3, 4}}, {"x"}, 4};
    std::mt19937_64 random(1);
    const DecisionTree tree = growTree(BinnedFactors::of(x, 32), {0, 0, 1, 1}, {1, 1, 1, 1}, {.classes = 2}, random);
    CHECK(tree.feature.size() == 3);
    CHECK(tree.threshold[0] == 2.5);
    CHECK(tree.leafOf(x, 0)[0] == 1);
    CHECK(tree.leafOf(x, 3)[1] == 1);
}

TEST_CASE("a tree is loaded as it was, and a damaged one refused") {
    NumberColumns x{{{1, 2, 3, 4, 5}}, {"x"}, 5};
    std::mt19937_64 random(1);
    const DecisionTree tree = growTree(BinnedFactors::of(x, 3), {1, 2, 3, 4, 5}, {1, 1, 1, 1, 1}, {}, random);
    const Value saved = tree.asMatrix();
    CHECK(DecisionTree::load(saved, 1, 1).values == tree.values);
    std::vector<double> cells = elementsOf(Value::of(saved.matrix().cells));
    cells[static_cast<size_t>(2 * saved.matrix().rows)] = 0;  // the root is its own child
    CHECK_THROWS_AS(DecisionTree::load(matrixValue(cells, saved.matrix().rows, 5), 1, 1), UserError);
    CHECK_THROWS_AS(DecisionTree::load(saved, 0, 1), UserError);
}
