// A result has the rows of a pipeline in the order of its morsels, whatever their columns hold.
#include "sql/operators/scan/result_sink.h"

#include <catch2/catch.hpp>

#include "sql/execution/driver.h"
#include "sql/operators/scan/row_limit.h"
#include "tests/support/scan_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a result has the first rows of all that passed") {
    ScanBench bench(60, 5);
    Filter none = bench.filter("");
    const TableScan scan(bench.morsels(none), {});
    const Value shared = Value::of(Vector::of(Type::Int, std::vector<int32_t>(20, 7)));
    RowLimit limit(20);
    ResultSink result({{bench.source.columns()[0], 0}, {{"k", Type::Int}, 0, shared}}, 20);
    run({scan, {&limit}, result}, bench.context);
    const Ref<MemoryTable> rows = result.rows();
    REQUIRE(rows->rowCount() == 20);
    for (int64_t i = 0; i < 20; ++i) CHECK(rows->column(0).at(i).asLong() == i);
    CHECK(&rows->column(1).vector() == &shared.vector());
}

TEST_CASE("columns of strings and of arrays are put together, and cut where enough rows are there") {
    ScanBench bench(0);
    const Ref<MemoryTable> table = rowsOf(
        bench.run("table(string(0..199999 % 1000) as s, fixedLengthArrayVector(0..199999, 1..200000) as pairs)"));
    const RowSource source = sourceOf(table);
    const TableScan scan(morselsOf(source, {}), {});
    for (const int64_t needed : {int64_t{INT64_MAX}, int64_t{150'000}, int64_t{0}}) {
        ResultSink result({{table->columns()[1], 1}, {table->columns()[0], 0}}, needed);
        run({scan, {}, result}, bench.context);
        const Ref<MemoryTable> rows = result.rows();
        REQUIRE(rows->rowCount() == std::min<int64_t>(needed, 200'000));
        CHECK(rows->columns()[0].name == "pairs");
        CHECK(rows->columns()[0].type == table->columns()[1].type);
        for (int64_t i = 0; i < rows->rowCount(); i += 9'973) {
            CHECK(display(rows->column(0).at(i)) == display(table->column(1).at(i)));
            CHECK(rows->column(1).at(i).string() == table->column(0).at(i).string());
        }
    }
}

TEST_CASE("a pipeline without morsels gives columns of the types that are known") {
    ScanBench bench;
    Filter none = bench.filter("place > 5000");
    const TableScan scan(bench.morsels(none), {});
    REQUIRE(scan.morsels() == 0);
    ResultSink result({{{"price", Type::Decimal64, 3}, 0}});
    run({scan, {&none}, result}, bench.context);
    const Ref<MemoryTable> rows = result.rows();
    CHECK(rows->rowCount() == 0);
    CHECK(rows->columns()[0].type == Type::Decimal64);
    CHECK(rows->columns()[0].scale == 3);
}
