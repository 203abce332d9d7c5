#include "sql/change/row_locks.h"

#include <catch2/catch.hpp>

#include "runtime/code/expression.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using pelorus::testing::PartitionedBench;

TEST_CASE_METHOD(PartitionedBench, "the columns that conditions fix to one value are told") {
    run("t = table(1 2 3 as k, 10 20 30 as v)");
    const auto fixed = [&](const std::string& statement) {
        const Value code = run("<" + statement + ">");
        std::vector<std::pair<int, int64_t>> columns;
        for (const ColumnConstraint& constraint :
             constraintsOfRows(static_cast<const Query&>(*code.as<Code>()->node), run("t").table().columns(), context))
            if (constraint.anyOf.size() == 1) columns.emplace_back(constraint.column, constraint.anyOf[0].asLong());
        return columns;
    };
    CHECK(fixed("select v from t where k = 3 and v > 5") == std::vector<std::pair<int, int64_t>>{{0, 3}});
    CHECK(fixed("select v from t where k = 3, v = 7").size() == 2);
    CHECK(fixed("select v from t where k in 1 2").empty());
    CHECK(fixed("select v from t where k = 3 or v = 7").empty());
}
