// A plan runs over its scan, over given rows, and over chosen partitions.
#include "sql/physical/pipelines.h"

#include <catch2/catch.hpp>

#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : DrawnBench {
    Bench() {
        std::mt19937 random(4);
        take(drawnRows(60, random));  // partitions of 13, 1, 26 and 20 rows
    }
    std::string shownRows(const std::string& string, const PlanInput& input = {}) {
        return toString(itemsOfRows(*runPipelines(*plan(string), context, input).rows));
    }
};

}  // namespace

TEST_CASE("every node reads the partitions that are chosen, and no other") {
    Bench bench;
    PlanInput second;
    second.partitions = std::vector<size_t>{1, 3};
    const auto firstOf = [&](const std::string& string) { return bench.shownRows(string, second); };
    CHECK(firstOf("select place from t limit 3") == "13 | 40 | 41 | ");
    CHECK(firstOf("select place from t order by place desc limit 2") == "59 | 58 | ");
    CHECK(firstOf("select place from t order by place limit 1, 2") == "40 | 41 | ");
    CHECK(firstOf("select distinct place / 100 as h from t") == "0 | ");
    CHECK(firstOf("select count(*) as n from t") == "21 | ");
    CHECK(firstOf("select count(*) as n from t group by place > 13 as late") == "0 1 | 1 20 | ");
    CHECK(firstOf("select cumsum(place) as c from t limit 2") == "13 | 53 | ");
    CHECK(firstOf("select place from t context by place > 13 as late limit 1") == "13 | 40 | ");
    CHECK(firstOf("select sum(place) over (order by place) as s from t limit 2") == "13 | 53 | ");
}

TEST_CASE("one cell is known by its plan, not by its rows") {
    Bench bench;
    const auto isCell = [&](const std::string& string) {
        return runPipelines(*bench.plan(string), bench.context).oneCell;
    };
    CHECK(isCell("select count(*) from t"));
    CHECK(isCell("select med(half) from t"));
    CHECK_FALSE(isCell("select place from t limit 1"));
    CHECK_FALSE(isCell("select count(*) from t group by few"));
}
