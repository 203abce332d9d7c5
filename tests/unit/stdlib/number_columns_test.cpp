// Columns of numbers out of tables, matrices, tuples and vectors.
#include "stdlib/number_columns.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("columns come from tables, matrices, tuples and vectors alike") {
    std::vector<Value> given = {tableOf({"a", "b"}, {{1, 2}, {3, 4}}), matrixValue({1, 2, 3, 4}, 2, 2),
                                tupleOf({numbers({1, 2}), numbers({3, 4})}), numbers({1, 2})};
    for (size_t i = 0; i < given.size(); ++i) {
        const NumberColumns columns = columnsArgument(given, i, "X", NullCells::Refused);
        CHECK(columns.rows == 2);
        CHECK(columns.columns.back() == (i == 3 ? std::vector<double>{1, 2} : std::vector<double>{3, 4}));
    }
    CHECK(columnsArgument(given, 0, "X", NullCells::Refused).names == std::vector<std::string>{"a", "b"});
}

TEST_CASE("NULL is refused, kept or 0, as the caller says") {
    std::vector<Value> given = {numbers({1, null<double>})};
    CHECK_THROWS_AS(columnsArgument(given, 0, "X", NullCells::Refused), UserError);
    CHECK(isNull(columnsArgument(given, 0, "X", NullCells::Kept).columns[0][1]));
    CHECK(columnsArgument(given, 0, "X", NullCells::Zero).columns[0][1] == 0);
}

TEST_CASE("a matrix with as many columns as observations is transposed") {
    std::vector<Value> given = {matrixValue({1, 2, 3, 4, 5, 6}, 2, 3)};
    const NumberColumns factors = factorsArgument(given, 0, "X", 3, NullCells::Refused);
    CHECK(factors.width() == 2);
    CHECK(factors.columns[0] == std::vector<double>{1, 3, 5});
    CHECK_THROWS_AS(factorsArgument(given, 0, "X", 5, NullCells::Refused), UserError);
}
