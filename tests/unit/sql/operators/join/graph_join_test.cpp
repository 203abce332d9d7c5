// Tables are joined by row numbers, in any order, to the rows that nested loops find.
#include "sql/operators/join/graph_join.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    Bench() {
        run("a = table(1 2 2 NULL as k, 10 20 30 40 as v)\nb = table(2 2 NULL 1 as m, 1 2 3 4 as w)\n"
            "c = table(15 25 35 as u)");
        for (const char* name : {"a", "b", "c"}) sides.push_back(Ref<MemoryTable>(run(name).table().asMemory()));
    }
    bool add(const std::string& condition) { return graph.add(conditions(condition)[0], context); }
    // The numbers of a's, b's and c's rows in the result.
    std::string joined(std::initializer_list<size_t> order) {
        GraphJoin join(graph, sides, context);
        for (const size_t side : order) join.join(side);
        join.sort();
        const Ref<JoinedRows> rows = join.finish({{{0, 1}, "v"}, {{1, 1}, "w"}, {{2, 0}, "u"}});
        return display(Value::of(Ref<Table>(rows->rows(context))));
    }
    JoinGraph graph{{{"a", {{"k", Type::Int}, {"v", Type::Int}}},
                     {"b", {{"m", Type::Int}, {"w", Type::Int}}},
                     {"c", {{"u", Type::Int}}}},
                    3};
    std::vector<Ref<MemoryTable>> sides;
};

}  // namespace

TEST_CASE("every order of joins gives the same rows in the same order") {
    Bench bench;
    REQUIRE(bench.add("k = m"));
    REQUIRE(bench.add("u > v"));
    const std::string rows = bench.joined({0, 1, 2});
    CHECK(rows.find("10 4 15") != std::string::npos);
    CHECK(rows.find("30 2 35") != std::string::npos);
    CHECK(rows.find("40") == std::string::npos);  // NULL keys have no partner
    for (const auto& order : {std::initializer_list<size_t>{1, 0, 2}, {2, 0, 1}, {2, 1, 0}, {0, 2, 1}})
        CHECK(bench.joined(order) == rows);
}

TEST_CASE("a cross product beyond memory is refused with its size before it is made") {
    Bench bench;
    bench.run("a = table(1..100000 as k, 1..100000 as v)\nb = table(1..100000 as m, 1..100000 as w)");
    bench.sides = {Ref<MemoryTable>(bench.run("a").table().asMemory()),
                   Ref<MemoryTable>(bench.run("b").table().asMemory()), bench.sides[2]};
    GraphJoin join(bench.graph, bench.sides, bench.context);
    join.join(0);
    CHECK_THROWS_WITH(join.join(1), Catch::Contains("10000000000 rows"));
}

TEST_CASE("conditions of a cross product drop rows before there are many") {
    Bench bench;
    REQUIRE(bench.add("w + u = 36 and v < 15"));
    bench.sides[0] = Ref<MemoryTable>(bench.run("select * from a where v < 15").table().asMemory());
    CHECK(bench.joined({2, 1, 0}).find("10 1 35") != std::string::npos);
}
