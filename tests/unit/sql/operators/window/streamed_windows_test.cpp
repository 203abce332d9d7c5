// Windows without keys over parts on disk are those over rows in memory, whatever their order.
#include "sql/operators/window/streamed_windows.h"

#include <catch2/catch.hpp>

#include "runtime/code/query.h"
#include "runtime/table/spill_file.h"
#include "sql/plan/row_source.h"
#include "tests/support/partitioned_bench.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        services.add(std::make_shared<SpillFolder>(folder.path(), FileSystem::posix()));
        run("n = long(0..39999)\n"
            "m = table(n as row, iif(n % 41 == 0, NULL, n * 7919 % 1009) as at, \"s\" + string(n * 31 % 307) as s, "
            "double(n % 97) as v)");
        table = share("t", "m", "row", "0 30000 30001 100000");
    }

    // Returns the column of a window by parts on disk; null where it does not stream.
    Ref<MemoryTable> streamed(const std::string& window) {
        const Ref<Query> parsed = query("select " + window + " from t");
        RowSource source;
        source.table = Ref<Table>(table);
        source.snapshot = table->takeSnapshot(0);
        SpillableSource rows(source, {}, context);
        return streamedWindows({&static_cast<const Window&>(*parsed->items.at(0).value)}, rows, {0, 1, 2, 3}, context);
    }

    const TemporaryFolder folder;
    Ref<PartitionsInMemory> table;
};

}  // namespace

TEST_CASE("windows stream over ranges of numbers and over sorted runs of texts") {
    Bench bench;
    for (const char* window :
         {"row_number() over (order by at)", "rank() over (order by at desc)", "lag(v) over (order by s, at desc)",
          "sum(v) over (order by at, row rows between 5 preceding and current row)",
          "dense_rank() over (order by at nulls last)", "first_value(row) over (order by s desc)"}) {
        INFO(window);
        const Ref<MemoryTable> given = bench.streamed(window);
        REQUIRE(given);
        const Value expected = bench.answer("select " + std::string(window) + " as y from m");
        CHECK(identical(given->column(0), static_cast<MemoryTable&>(expected.table()).column(0)));
    }
}

TEST_CASE("windows stream neither without an order nor by one that reads other rows") {
    Bench bench;
    CHECK_FALSE(bench.streamed("row_number() over ()"));
    CHECK_FALSE(bench.streamed("rank() over (order by cumsum(v))"));
}
