#include "sql/operators/combined_rows.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    Bench() { run("a = table(1 1 1 2 NULL 4 as x)\nb = table(1 1 NULL 3 as y)"); }
    std::string combined(SetOperator op, bool all) {
        const Ref<MemoryTable> left(run("a").table().asMemory()), right(run("b").table().asMemory());
        std::string values;
        const Ref<MemoryTable> rows = combinedRows(op, all, left, *right);
        for (int64_t i = 0; i < rows->rowCount(); ++i) values += toString(rows->column(0).at(i)) + " ";
        return values;
    }
};

}  // namespace

TEST_CASE("union keeps each row once, or all of them") {
    Bench bench;
    CHECK(bench.combined(SetOperator::Union, false) == "1 2  4 3 ");
    CHECK(bench.combined(SetOperator::Union, true) == "1 1 1 2  4 1 1  3 ");
}

TEST_CASE("intersect and except compare NULL as equal, and count rows where all are meant") {
    Bench bench;
    CHECK(bench.combined(SetOperator::Intersect, false) == "1  ");
    CHECK(bench.combined(SetOperator::Intersect, true) == "1 1  ");
    CHECK(bench.combined(SetOperator::Except, false) == "2 4 ");
    CHECK(bench.combined(SetOperator::Except, true) == "1 2 4 ");
}

TEST_CASE("columns of NULL take the type of the other side, and numbers of columns must agree") {
    Bench bench;
    CHECK(bench.shownAnswer("select NULL as x from a where x = 4 union all select y from b where y = 3") ==
          "x\n-\n \n3");
    CHECK_THROWS(bench.answer("select x, x as z from a except select y from b"));
}
