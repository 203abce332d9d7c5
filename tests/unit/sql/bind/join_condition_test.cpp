// The condition of a join: keys of both sides, and filters of one.
#include "sql/bind/join_condition.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

const TableSchema kLeft{{"k", Type::Int}, {"v", Type::Int}};
const TableSchema kRight{{"k", Type::Int}, {"w", Type::Int}};

struct Bench : QueryBench {
    JoinCondition condition(const std::string& on) { return joinCondition(code(on), kLeft, kRight, "b"); }
};

}  // namespace

TEST_CASE("equalities are keys, whichever side stands first") {
    Bench bench;
    const JoinCondition condition = bench.condition("a.k == b.k and b.w == a.v and w == v");
    CHECK(condition.keys.left == std::vector<std::string>{"k", "v", "v"});
    CHECK(condition.keys.right == std::vector<std::string>{"k", "w", "w"});
    CHECK(condition.leftFilters.empty());
    CHECK(condition.rightFilters.empty());
}

TEST_CASE("parts that read one side filter it, under the plain names of its columns") {
    Bench bench;
    const JoinCondition condition = bench.condition("a.k == b.k and a.v > 1 and b.w < 3 and w != 2");
    CHECK(sourcesOf(condition.leftFilters) == std::vector<std::string>{"v > 1"});
    CHECK(sourcesOf(condition.rightFilters) == std::vector<std::string>{"w < 3", "w != 2"});
}

TEST_CASE("other conditions, and those without a key, are refused") {
    Bench bench;
    CHECK_THROWS_WITH(bench.condition("a.k > b.k"), Catch::Contains("must be equalities"));
    CHECK_THROWS_WITH(bench.condition("a.k == b.k or a.v == b.w"), Catch::Contains("must be equalities"));
    CHECK_THROWS_WITH(bench.condition("a.k + 1 == b.k"), Catch::Contains("must compare columns"));
    CHECK_THROWS_WITH(bench.condition("a.v > 1"), Catch::Contains("a column of each table"));
}
