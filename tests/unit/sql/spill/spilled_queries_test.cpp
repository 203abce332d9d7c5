// Queries whose rows find no room in memory give the same rows with parts of them on disk, and leave nothing there.
#include <catch2/catch.hpp>
#include <random>

#include "runtime/table/spill_file.h"
#include "tests/support/drawn_rows.h"
#include "tests/support/little_memory.h"
#include "tests/support/partitioned_bench.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

constexpr int64_t kRows = 160'000, kRoomBytes = int64_t{7} << 20;

// The partitioned tables `t` of many rows, and `r` of a third of them under other names.
struct Bench : PartitionedBench {
    Bench() {
        services.add(std::make_shared<SpillFolder>(folder.path(), FileSystem::posix()));
        std::mt19937 random(17);
        session->setVariable("m", Value::of(Ref<Table>(tableOf(drawnRows(kRows, random)))));
        // Few distinct values would make groups of a size that no hash partition has.
        run("update m set wide = wide + place * 7919 % 100003, k = place * 31 % 50021");
        share("t", "m", "place", "0 70000 80000 130000 1000000");
        share("r", "select place as row, k, wide, few as other, half as real from m where place % 3 == 0", "row",
              "0 50000 1000000");
    }
    // With as little memory as it takes, which depends on the threads, too.
    void checkSame(const std::string& string) {
        INFO(string);
        const Value expected = answer(string);
        Value given;
        uint64_t filesBefore = 0;
        for (int64_t roomBytes = kRoomBytes; given.isVoid(); roomBytes += roomBytes / 3) {
            filesBefore = SpillFile::madeCount();
            try {
                const LittleMemory little(roomBytes);
                given = answer(string);
            } catch (const memory::OutOfMemory&) {
                if (roomBytes > 5 * kRoomBytes) throw;
            }
        }
        CHECK(SpillFile::madeCount() > filesBefore);
        CHECK(FileSystem::posix().list(folder.path()).empty());
        const Ref<MemoryTable> a = rowsOf(expected), b = rowsOf(given);
        REQUIRE(a->rowCount() > 0);
        REQUIRE(a->rowCount() == b->rowCount());
        REQUIRE(a->columnCount() == b->columnCount());
        for (int c = 0; c < a->columnCount(); ++c) {
            INFO("column " << c);
            CHECK(a->columns()[static_cast<size_t>(c)].name == b->columns()[static_cast<size_t>(c)].name);
            CHECK(identical(a->column(c), b->column(c)));
        }
    }

    const TemporaryFolder folder;
};

}  // namespace

TEST_CASE("window functions with partitions, stretches and whole orders on disk give the same") {
    Bench bench;
    bench.checkSame("select sum(few) over (partition by k order by wide) as s, place from t");
    bench.checkSame(
        "select lag(few, 2) over (order by wide, place) as l, rank() over (order by wide, place) as n from t");
    bench.checkSame("select avg(few) over (order by wide, place rows between 2 preceding and 3 following) as a from t");
    bench.checkSame("select dense_rank() over (order by half desc nulls last) as n from t");
    bench.checkSame(
        "select first_value(few) over (partition by name order by wide, place) as f, ntile(7) over "
        "(order by wide) as n from t where few > 1");
}

TEST_CASE("groups of context by on disk give the same, in their order and in that of the table") {
    Bench bench;
    bench.checkSame("select place, k, cumsum(few) as c, deltas(wide) as d from t context by k");
    bench.checkSame("select place, few, sum(few) as s, prev(half) as p from t context by k csort wide, place");
    bench.checkSame("select place, wide, half, name from t context by k limit -2");
    bench.checkSame("select place, few, half, wide from t context by k having count(*) > 3");
    bench.checkSame("select place, k, wide, cumsum(few) as c from t context by k order by wide, place");
}

TEST_CASE("joins by equal keys with parts on disk give the same rows in the same order") {
    Bench bench;
    for (const char* join : {"ej", "fj"}) {
        bench.checkSame(std::string("select place, row, other from ") + join + "(t, r, `k`wide)");
    }
    bench.checkSame("select place, few, row, other from t left join r on t.k == r.k and t.wide == r.wide");
    bench.checkSame("select place, few, row, other from t right join r on t.k == r.k and t.wide == r.wide");
}

TEST_CASE("as-of and window joins with stretches of time on disk give the same") {
    Bench bench;
    bench.checkSame("select place, row, other from aj(t, r, `wide)");
    bench.checkSame("select place, row, other from aj(t, r, `wide, , \"nearest\", 1000)");
    bench.checkSame("select place, row from aj(t, r, `k`wide)");
    bench.checkSame("select place, s, n from wj(t, r, -300:100, <[sum(other) as s, count(real) as n]>, `wide)");
    bench.checkSame("select place, s, n from pwj(t, r, -300:100, <[max(other) as s, last(real) as n]>, `wide)");
}

TEST_CASE("a sort of rows that find no room gives the same") {
    Bench bench;
    bench.checkSame("select place, half, wide, name from t order by half desc, wide");
    bench.checkSame("select place, few, k, wide from t order by name nulls last, few, wide desc limit 100000");
}
