// Each node says what it does; the columns that a query makes for itself are not named.
#include "sql/plan/node_text.h"

#include <catch2/catch.hpp>

#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : DrawnBench {
    Bench() {
        std::mt19937 random(6);
        take(drawnRows(60, random));
    }
    // The nodes of a plan that are shown, one in a line each.
    std::string lines(const std::string& string) {
        std::string all;
        const PlanRef made = plan(string);
        for (const PlanNode* node = made.get(); node; node = node->input.get()) {
            if (isShown(*node)) all += nodeText(*node) + "\n";
        }
        return all;
    }
};

}  // namespace

TEST_CASE("nodes of rows say what they compute, and a limit of all rows is not shown") {
    Bench bench;
    CHECK(bench.lines("select place, half * 2 as twice from t") == "project place, half * 2 as twice\nscan\n");
    CHECK(bench.lines("select place from t limit 2, 3") ==
          "limit 3 from row 2\nproject place; ends after 5 rows\nscan\n");
    CHECK(bench.lines("select distinct few from t order by half + few desc nulls last") ==
          "sort by half + few descending with NULLs last\ndistinct rows\nproject few\nscan\n");
    CHECK(bench.lines("select place from t order by half limit 1000") ==
          "first 1,000 by half, then for those place\nscan\n");
    CHECK(bench.lines("select cumsum(few) as c from t where few > avg(few)") ==
          "collect rows, then compute cumsum(few) as c\nwhere few > avg(few) among the rows so far\nscan\n");
    CHECK(bench.lines("select 1 + 1 as two") == "one row: 1 + 1 as two\n");
}

TEST_CASE("nodes of groups say their keys, and the condition of the groups below") {
    Bench bench;
    CHECK(bench.lines("select sum(half) as s from t group by few having count(*) > 1") ==
          "aggregate sum(half) as s by few\n  groups where count(*) > 1\nscan\n");
    CHECK(bench.lines("select cumsum(half) as s from t context by few") == "context by few: cumsum(half) as s\nscan\n");
    CHECK(bench.lines("select max(half) from t pivot by few, name").find("pivot by few, name: ") == 0);
}

TEST_CASE("numbers are shown with commas, parts in a list") {
    CHECK(withCommas(0) == "0");
    CHECK(withCommas(999) == "999");
    CHECK(withCommas(1'234'567) == "1,234,567");
    CHECK(listed({}).empty());
    CHECK(listed({"a", "b"}) == "a, b");
}
