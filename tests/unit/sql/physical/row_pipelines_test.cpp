// Selects of columns end early, share whole columns, and keep each row once.
#include "sql/physical/row_pipelines.h"

#include <catch2/catch.hpp>

#include "sql/plan/node.h"
#include "tests/support/scan_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("columns of a table in memory are shared where all rows pass, and computed beside") {
    ScanBench bench;
    const Ref<MemoryTable> m = rowsOf(bench.run("m"));
    const PlanRef plan = bench.plan("select place, place * 2 as twice from m");
    const auto& node = *findNode<ProjectNode>(*plan);
    const ScanNode& scan = *scanOf(*plan);
    const Ref<MemoryTable> rows = projectedRows(node, {scan.source, scan.conditions}, bench.context);
    CHECK(&rows->column(0).vector() == &m->column(0).vector());
    CHECK(rows->column(1).at(7).asLong() == 14);
    const PlanRef some = bench.plan("select place from m where place != 3");
    const ScanNode& filtered = *scanOf(*some);
    const Ref<MemoryTable> left =
        projectedRows(*findNode<ProjectNode>(*some), {filtered.source, filtered.conditions}, bench.context);
    CHECK(left->rowCount() == 59);
    CHECK(&left->column(0).vector() != &m->column(0).vector());
}

TEST_CASE("distinct rows and the first rows are of those that pass") {
    ScanBench bench;
    const PlanRef plan = bench.plan("select distinct place % 3 as r from t where place > 9 limit 2");
    const ScanNode& scan = *scanOf(*plan);
    const auto& node = *findNode<DistinctNode>(*plan);
    const auto& project = static_cast<const ProjectNode&>(*node.input);
    CHECK(toString(itemsOfRows(*distinctRows(node, project, {scan.source, scan.conditions}, bench.context))) ==
          "1 | 2 | ");
    const PlanRef top =
        bench.plan("select place, place % 3 as r from t where place > 9 order by r desc, place limit 2");
    const ScanNode& below = *scanOf(*top);
    CHECK(toString(itemsOfRows(*firstRows(*findNode<TopRowsNode>(*top), {below.source, below.conditions},
                                          bench.context))) == "11 2 | 14 2 | ");
}

TEST_CASE("the first rows are found by their keys while these are few of all, and by a sort where not") {
    ScanBench bench;
    bench.run("m = table(take(5 3 9 1, 300000) as k, 0..299999 as place, string(0..299999) as s)");
    const auto& t = *bench.share("t", "m", "place", "0 100000 200000 300000");
    const auto blocksRead = [&](const std::string& order, int64_t count) {
        t.counts.blocks = 0;
        const Ref<MemoryTable> rows =
            rowsOf(bench.answer("select k, place, s from t order by " + order + " limit " + std::to_string(count)));
        CHECK(rows->rowCount() == count);
        const Ref<MemoryTable> sorted = rowsOf(bench.answer("select k, place, s from m order by " + order));
        for (int64_t i = 0; i < count; i += count / 7 + 1)
            CHECK(rows->column(1).at(i).asLong() == sorted->column(1).at(i).asLong());
        return t.counts.blocks.load();
    };
    CHECK(blocksRead("place", 5) < 6);  // of 18: bounds rule out the keys of most
    CHECK(blocksRead("k, place", 100) < 2 * 6 + 3 * 6);
    CHECK(blocksRead("k, place", 250'000) == 3 * 6);
    CHECK(blocksRead("s", 250'000) == 3 * 6);
}
