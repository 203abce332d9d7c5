// What a window computes, and how far it reads, is known before any row is.
#include "sql/operators/window/bound_window.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    Ref<Query> last;

    BoundWindow window(const std::string& text) {
        last = query("select " + text + " from t");
        return bindWindow(static_cast<const Window&>(*last->items.at(0).value), context);
    }
};

}  // namespace

TEST_CASE("a window function is known by its name in any case, an aggregate by its states") {
    using Kind = BoundWindow::Kind;
    Bench bench;
    CHECK(bench.window("Row_Number() over (order by v)").kind == Kind::RowNumber);
    CHECK(bench.window("count(*) over (order by v)").kind == Kind::CountRows);
    CHECK(bench.window("sum(v) over (order by v)").kind == Kind::Aggregate);
    CHECK(bench.window("distinct(v) over (order by v)").kind == Kind::Called);
    CHECK(bench.window("lag(v, 3) over (order by v)").number == 3);
    const BoundWindow lead = bench.window("lead(v, 2, 7) over (order by v)");
    CHECK((lead.kind == Kind::Lag && lead.number == -2 && lead.whenMissing.asLong() == 7));
    CHECK_THROWS_WITH(bench.window("ntile(0) over (order by v)"), Catch::Contains("positive number of groups"));
    CHECK_THROWS_WITH(bench.window("sum(v) over (order by k, v range between 1 preceding and current row)"),
                      Catch::Contains("order by one column"));
}

TEST_CASE("peers are read by ranks and by frames that end with them") {
    Bench bench;
    CHECK(bench.window("rank() over (order by v)").readsPeers());
    CHECK(bench.window("sum(v) over (order by v)").readsPeers());
    CHECK(bench.window("sum(v) over (order by v range between current row and unbounded following)").readsPeers());
    CHECK_FALSE(bench.window("row_number() over (order by v)").readsPeers());
    CHECK_FALSE(bench.window("lag(v) over (order by v)").readsPeers());
    CHECK_FALSE(bench.window("sum(v) over (partition by k)").readsPeers());
    CHECK_FALSE(bench.window("sum(v) over (order by v rows between 2 preceding and current row)").readsPeers());
}

TEST_CASE("a window reaches as far as its rows, or nobody knows how far") {
    Bench bench;
    const auto reach = [&](const std::string& text) {
        const auto found = reachOf(bench.window(text));
        return found ? std::to_string(found->before) + " " + std::to_string(found->behind) : "unknown";
    };
    CHECK(reach("row_number() over (order by v)") == "0 0");
    CHECK(reach("lag(v, 3) over (order by v)") == "3 0");
    CHECK(reach("lead(v) over (order by v)") == "0 1");
    CHECK(reach("sum(v) over (order by v rows between 4 preceding and 2 following)") == "4 2");
    CHECK(reach("sum(v) over (order by v rows between 2 following and 5 following)") == "0 5");
    CHECK(reach("sum(v) over (order by v)") == "unknown");
    CHECK(reach("sum(v) over (order by v range between 4 preceding and current row)") == "unknown");
}
