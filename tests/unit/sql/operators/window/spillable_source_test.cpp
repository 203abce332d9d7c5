// A source says whether its rows can be spilled and exceed memory, and reads them from memory or in parts.
#include "sql/operators/window/spillable_source.h"

#include <catch2/catch.hpp>

#include "runtime/table/spill_file.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/key_ranges.h"
#include "sql/operators/scan/filter.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/plan/row_source.h"
#include "tests/support/partitioned_bench.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        run("m = table(0..9999 as row, (0..9999) * 7919 % 503 as k, string(0..9999) as s)");
        const Ref<PartitionsInMemory> table = share("t", "m", "row", "0 3000 100000");
        source.table = Ref<Table>(table);
        source.snapshot = table->takeSnapshot(0);
    }
    void addFolder() { services.add(std::make_shared<SpillFolder>(folder.path(), FileSystem::posix())); }

    const TemporaryFolder folder;
    RowSource source;
};

}  // namespace

TEST_CASE("partitions can be spilled where there is a folder, rows in memory cannot") {
    Bench bench;
    CHECK_FALSE(canSpill(bench.source, {0, 2}, bench.context));
    bench.addFolder();
    CHECK(canSpill(bench.source, {0, 2}, bench.context));
    CHECK_FALSE(canSpill(sourceOf(rowsOf(bench.run("m"))), {0, 2}, bench.context));
    CHECK(columnsOf(bench.source, {2})[0].name == "s");
}

TEST_CASE("rows that pass are in memory or in parts, with their numbers") {
    Bench bench;
    bench.addFolder();
    const NodeList conditions = bench.conditions("row >= 1000");
    SpillableSource rows(bench.source, conditions, bench.context);
    CHECK_FALSE(rows.exceedsMemory(1));
    CHECK(rows.exceedsMemory(int64_t{1} << 40));
    CHECK(rows.rows({0, 1})->rowCount() == 9000);
    const ExpressionProgram key = bindProgram(makeRef<Name>("k", SourcePosition{}), rows.columns(), bench.context);
    const std::vector<ExpressionProgram> keys = {key};
    const auto ranges = rows.ranges(keys);
    REQUIRE(ranges);
    const SpilledParts parts = rows.parts(cutByRanges(keys, *ranges), {0, 1});
    CHECK(parts.rowCount() == 9000);
    int64_t count = 0, before = -1;
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        const Ref<MemoryTable> part = parts.rows(p);
        int64_t high = before;
        for (int64_t i = 0; i < part->rowCount(); ++i) {
            CHECK(part->column(2).at(i).asLong() == part->column(0).at(i).asLong() - 1000);
            CHECK(part->column(1).at(i).asLong() > before);
            high = std::max(high, part->column(1).at(i).asLong());
        }
        count += part->rowCount();
        before = high;
    }
    CHECK(count == 9000);
}
