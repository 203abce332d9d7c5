// Windows of several partitions and orders stand side by side in one select, in memory and with their rows on disk.
#include "sql/physical/run_windows.h"

#include <catch2/catch.hpp>

#include "runtime/table/spill_file.h"
#include "tests/support/little_memory.h"
#include "tests/support/partitioned_bench.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        services.add(std::make_shared<SpillFolder>(folder.path(), FileSystem::posix()));
        run("n = long(0..149999)\n"
            "m = table(n as row, n * 7919 % 5003 as k, n * 31 % 7 as j, double(n * 17 % 1013) as v)");
        share("t", "m", "row", "0 70000 80000 1000000");
    }
    void checkSame(const std::string& items, const std::string& tail) {
        INFO(items << tail);
        const Value expected = answer("select " + items + " from m" + tail);
        const Value whole = answer("select " + items + " from t" + tail);
        const uint64_t filesBefore = SpillFile::madeCount();
        const LittleMemory little(int64_t{9} << 20);
        const Value spilled = answer("select " + items + " from t" + tail);
        CHECK(SpillFile::madeCount() > filesBefore);
        const Ref<MemoryTable> a = rowsOf(expected);
        for (const Ref<MemoryTable>& b : {rowsOf(whole), rowsOf(spilled)}) {
            REQUIRE(a->columnCount() == b->columnCount());
            for (int c = 0; c < a->columnCount(); ++c) {
                CHECK(a->columns()[static_cast<size_t>(c)].name == b->columns()[static_cast<size_t>(c)].name);
                CHECK(identical(a->column(c), b->column(c)));
            }
        }
    }
    const TemporaryFolder folder;
};

}  // namespace

TEST_CASE("windows with keys, with an order alone and with neither give the same wherever their rows are") {
    Bench bench;
    bench.checkSame("row, avg(v) over (partition by k) as a, row_number() over (partition by j order by v, row) as n",
                    "");
    bench.checkSame("v - lag(v) over (order by row) as d, k", " where j > 2 order by d desc, k limit 1000");
    bench.checkSame("count(*) over () as c, max(v) over (partition by k % 10) as x", " where v > 100");
}

TEST_CASE("windows of a given table read its rows, and no query has rows that the conditions leave out") {
    Bench bench;
    CHECK(bench.shownAnswer("exec count(*) over () as c from t where row < 3") == "[3,3,3]");
    CHECK(bench.shownAnswer("exec row_number() over (order by row desc) as n from t where row < 0").starts_with("["));
}
