#include "devtools/workbench/result_grid.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/function/principal.h"
#include "runtime/value/vector.h"
#include "tests/support/language_functions.h"

using namespace pelorus;

namespace {

Value ints(const std::vector<int32_t>& elements) {
    return Value::of(Vector::of<int32_t>(Type::Int, elements));
}

std::unique_ptr<ResultGrid> trades() {
    testing::knowLanguageFunctions();
    return ResultGrid::of(Value::of(Ref<Table>(
        makeRef<MemoryTable>(std::vector<std::string>{"sym", "qty of \"it\""},
                             std::vector<Value>{Value::of(Vector::ofStrings({"B", "A", "C", "A"}, Type::Symbol)),
                                                ints({3, 1, null<int32_t>, 2})}))));
}

// The first cells of the shown rows.
std::string firstCells(const ResultGrid& grid) {
    std::string cells;
    for (const auto& row : grid.page(0, 100)) cells += row.at(0).get<std::string>();
    return cells;
}

void arrange(ResultGrid& grid, const ResultGrid::Order& order) {
    Request request{Principal::owner()};
    grid.arrange(order, request);
}

}  // namespace

TEST_CASE("vectors and tables have rows, scalars have none") {
    CHECK(!ResultGrid::of(Value::ofInt(1)));
    CHECK(!ResultGrid::of(Value()));
    const auto vector = ResultGrid::of(ints({7, null<int32_t>}));
    REQUIRE(vector);
    CHECK(vector->columns() == nlohmann::json::parse(R"([{"name":"value","type":"INT","alignsRight":true}])"));
    CHECK(vector->page(0, 10) == nlohmann::json::parse(R"([["7"],[null]])"));
    CHECK(ResultGrid::of(ints({}))->rowCount() == 0);
    const auto table = trades();
    CHECK(table->columns()[0]["alignsRight"] == false);
    CHECK(table->columns()[1]["name"] == "qty of \"it\"");
}

TEST_CASE("a page is cut to the rows that there are, and to so many cells") {
    const auto grid = trades();
    CHECK(grid->page(1, 2).size() == 2);
    CHECK(grid->page(3, 10).size() == 1);
    CHECK(grid->page(9, 10).empty());
    CHECK(grid->page(-5, 1)[0][0] == "B");
    CHECK(grid->page(0, -1).empty());
    CHECK(grid->page(INT64_MAX, INT64_MAX).empty());
    const auto large = ResultGrid::of(Value::of(Vector::make(Type::Int, ResultGrid::kMaxCells + 5)));
    CHECK(large->page(0, INT64_MAX).size() == ResultGrid::kMaxCells);
}

TEST_CASE("rows are sorted and filtered, whatever the name of the column") {
    const auto grid = trades();
    arrange(*grid, {.sortColumn = 0});
    CHECK(firstCells(*grid) == "AABC");
    arrange(*grid, {.sortColumn = 1, .isDescending = true, .filter = "sym != \"C\""});
    CHECK(firstCells(*grid) == "BAA");
    CHECK(grid->shownRows() == 3);
    CHECK(grid->rowCount() == 4);
    CHECK(grid->shown()->rowCount() == 3);
    arrange(*grid, {.filter = "sym == \"none\""});
    CHECK(grid->shownRows() == 0);
    CHECK(grid->page(0, 10).empty());
    arrange(*grid, {});
    CHECK(firstCells(*grid) == "BACA");
}

TEST_CASE("a filter that is no condition is refused, and the order before it stays") {
    const auto grid = trades();
    arrange(*grid, {.sortColumn = 0});
    for (const char* filter : {"sym ==", "nobody > 1", "sum(1", "undefinedFunction(sym)"}) {
        INFO(filter);
        CHECK_THROWS_AS(arrange(*grid, {.filter = filter}), UserError);
        CHECK(firstCells(*grid) == "AABC");
    }
    // A comment ends with its line.
    arrange(*grid, {.filter = "sym == \"A\" // a comment)"});
    CHECK(firstCells(*grid) == "AA");
    arrange(*grid, {.sortColumn = 0});
    CHECK_THROWS_WITH(arrange(*grid, {.sortColumn = 2}), "There is no column 2 to sort by.");
    CHECK(firstCells(*grid) == "AABC");
}
