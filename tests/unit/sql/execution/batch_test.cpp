// A batch reads columns once, and has those of the rows that are selected.
#include "sql/execution/batch.h"

#include <catch2/catch.hpp>

#include "tests/support/scan_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

Ref<Vector> bools(const std::vector<int8_t>& items) {
    Ref<Vector> vector = Vector::make(Type::Bool, std::ssize(items));
    std::copy(items.begin(), items.end(), vector->mutableData<int8_t>());
    return vector;
}

}  // namespace

TEST_CASE("columns of a block are read once, those of the conditions with them") {
    ScanBench bench;
    const std::unique_ptr<PartitionReader> reader = bench.t->takeSnapshot(0)->open(2);  // places 14 to 39
    Filter filter = bench.filter("place > 16");
    Batch batch(*reader, 0);
    filter.select(batch, bench.context);
    bench.t->counts.blocks = 0;
    CHECK(display(batch.column(0)) == "[17,18]");
    CHECK(bench.t->counts.blocks == 0);
    batch.column(2);
    batch.evaluate(bench.column("half * 2"), bench.context);
    CHECK(bench.t->counts.blocks == 1);
    CHECK(batch.blockRow(0) == 3);
    CHECK_FALSE(batch.bounds(0).known);  // those of the block are not those of some of its rows
}

TEST_CASE("rows are selected step by step, by NULL as by false not") {
    ScanBench bench;
    const std::unique_ptr<PartitionReader> reader = bench.t->takeSnapshot(0)->open(2);
    Batch batch(*reader, 0);
    CHECK(batch.rows() == 5);
    batch.keep(bools({1, 1, 1, 1, 1}));
    CHECK(batch.selection().all);
    batch.keep(bools({1, 0, 1, -128, 1}));
    CHECK(display(batch.column(0)) == "[14,16,18]");
    batch.keep(bools({0, 1, 1}));
    CHECK(display(batch.column(0)) == "[16,18]");
    CHECK(batch.selection().mask->at(2).integer() == 1);
    batch.keepFirst(5);
    CHECK(batch.rows() == 2);
    batch.keepFirst(1);
    CHECK(display(batch.column(0)) == "[16]");
    batch.keepNone();
    CHECK(batch.rows() == 0);
    CHECK(batch.column(0).size() == 0);
}

TEST_CASE("the first rows of a whole block, and chosen ones, are selections") {
    ScanBench bench;
    const std::unique_ptr<PartitionReader> reader = bench.t->takeSnapshot(0)->open(2);
    Batch first(*reader, 0);
    first.keepFirst(2);
    CHECK(display(first.column(0)) == "[14,15]");
    Batch chosen(*reader, 0, 0, selectionOf({1, 4}, 5));
    CHECK(display(chosen.column(0)) == "[15,18]");
    CHECK(selectionOf({0, 1}, 2).all);
}

TEST_CASE("projected columns are computed when asked for, over the selected rows") {
    ScanBench bench;
    const std::unique_ptr<PartitionReader> reader = bench.t->takeSnapshot(0)->open(2);
    const std::vector<ExpressionProgram> columns = {bench.column("half + 1"), bench.column("place * 10")};
    Batch batch(*reader, 0);
    batch.keepFirst(2);
    bench.t->counts.blocks = 0;
    batch.project(columns, bench.context);
    CHECK(bench.t->counts.blocks == 0);
    CHECK(display(batch.column(1)) == "[140,150]");
    CHECK(display(batch.column(1)) == "[140,150]");
    CHECK(bench.t->counts.blocks == 1);
}
