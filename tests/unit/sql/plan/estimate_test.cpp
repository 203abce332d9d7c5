// Estimates follow the operators of a plan.
#include "sql/plan/estimate.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : DrawnBench {
    Bench() {
        std::mt19937 random(6);
        take(drawnRows(60, random));
    }
    // Estimates of the nodes of a query, the last operator first, where the scan reads 1,000 rows.
    std::string estimates(const std::string& string) {
        const PlanRef made = plan(string);
        numberNodes(*made);
        std::string all;
        for (const double rows : estimatedRows(*made, 1000)) all += std::to_string(std::llround(rows)) + " ";
        return all;
    }
};

}  // namespace

TEST_CASE("each node gives rows of those that its input gives") {
    Bench bench;
    CHECK(bench.estimates("select place from m") == "1000 1000 1000 ");
    CHECK(bench.estimates("select place from m where few == 1") == "100 100 100 ");
    CHECK(bench.estimates("select place from m limit 10, 20") == "20 30 1000 ");
    CHECK(bench.estimates("select place from m order by few limit 5") == "5 5 1000 ");
    CHECK(bench.estimates("select sum(half) from m group by few") == "100 100 1000 ");
    CHECK(bench.estimates("select sum(half) from m") == "1 1 1000 ");
    CHECK(bench.estimates("select distinct few from m") == "100 100 1000 1000 ");
    CHECK(bench.estimates("select cumsum(half) from m where half > avg(half)") == "333 333 333 1000 ");
}

TEST_CASE("conditions keep shares by their operators, and those that chose the partitions all") {
    Bench bench;
    CHECK(bench.estimates("select place from m where few == 1, half > 0") == "33 33 33 ");
    CHECK(bench.estimates("select place from m where few == 1 or few == 2") == "190 190 190 ");
    CHECK(bench.estimates("select place from m where not (few == 1)") == "900 900 900 ");
    CHECK(bench.estimates("select place from t where place > 13") == "1000 1000 1000 ");
    CHECK(bench.estimates("select place from t where place > 13, half < 1") == "333 333 333 ");
}
