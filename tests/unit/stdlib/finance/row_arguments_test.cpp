// Arguments by row.
#include "stdlib/finance/row_arguments.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("scalars repeat beside vectors, whose lengths must agree") {
    std::vector<Value> a = {numbers({1, 2}), Value::ofInt(3)};
    const RowArguments rows(a);
    CHECK(rows.rows() == 2);
    CHECK(rows.number(1, 1, "x") == 3);
    CHECK(elementsOf(rows.map([&](size_t row) { return rows.number(0, row, "x"); })) == std::vector<double>{1, 2});
    CHECK_THROWS_AS(rows.date(0, 0, "start"), UserError);
    std::vector<Value> uneven = {a[0], a[1], numbers({1, 2, 3})};  // `rows` looks at `a` itself
    CHECK_THROWS_AS(RowArguments(uneven), UserError);
}
