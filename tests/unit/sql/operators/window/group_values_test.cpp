// Calls that read other rows of a group give in context by what they give for each group by itself.
#include "sql/operators/window/group_values.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("nested calls of many groups give what each group gives by itself") {
    QueryBench bench;
    bench.run(
        "i = long(0..2999)\n"
        "t = table(i as id, i * 7919 % 701 as k, iif(i % 11 == 0, NULL, double(i * 31 % 97) / 8) as v, i * 17 % 5 as "
        "w)");
    for (const char* item :
         {"cumsum(v)", "msum(v, 3)", "mavg(v, 4, 1)", "v - prev(v)", "cumsum(deltas(v))", "mmax(v - avg(v), 2)",
          "sum(deltas(v)) + count(*)", "iif(prev(w) > w, cummax(v), first(v))", "ffill(v)", "move(v, 2)",
          "mcorr(v, w, 3)", "mmed(v, 4)", "rank(v)", "next(v)"}) {
        INFO(item);
        const std::string call = item;
        const Value together = bench.answer("select id, " + call + " as y from t context by k");
        const Value alone = bench.run(
            "all = select id, v as y from t where false\n"
            "r = array(ANY, 0)\n"
            "for (key in 0..700) r.append!((select id, " +
            call +
            " as y from t where k == key).y)\n"
            "flatten(r)");
        const auto& rows = static_cast<const MemoryTable&>(together.table());
        REQUIRE(rows.rowCount() == 3000);
        CHECK(identical(rows.column(1), alone));
    }
}

TEST_CASE("what cannot be replaced is left to calls group by group") {
    QueryBench bench;
    bench.run("def own(x) { return x - avg(x) }\nt = table(1 1 2 2 as k, 1.0 3 5 9 as v, 4 3 2 1 as at)");
    const Value rows = bench.answer("select own(cumsum(v)) as y from t context by k");
    CHECK(display(*static_cast<const MemoryTable&>(rows.table()).column("y")) == "[-1.5,1.5,-4.5,4.5]");
    CHECK_THROWS_WITH(bench.answer("select tmsum(at, v, 2) from t context by k"), Catch::Contains("must not fall"));
    CHECK_THROWS_WITH(bench.answer("select msum(v, 0) from t context by k"), Catch::Contains("window"));
}

TEST_CASE("groups are shared out in pieces of about as many rows") {
    std::vector<int32_t> begin = {0};
    for (int g = 0; g < 1000; ++g) begin.push_back(begin.back() + 200);
    const std::vector<GroupPiece> pieces = groupPieces(begin);
    REQUIRE(pieces.size() > 2);
    CHECK((pieces.front().firstGroup == 0 && pieces.back().endGroup == 1000));
    for (size_t p = 1; p < pieces.size(); ++p) CHECK(pieces[p].firstGroup == pieces[p - 1].endGroup);
}
