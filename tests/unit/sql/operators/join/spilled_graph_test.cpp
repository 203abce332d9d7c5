// Graphs of joins over tables on disk give the same rows in parts as in one piece.
#include "sql/operators/join/spilled_graph.h"

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

constexpr int64_t kRows = 120'000, kRoomBytes = int64_t{1} << 20;

// The partitioned tables t and r, whose k are joined, and a small one in memory.
struct Bench : PartitionedBench {
    Bench() {
        services.add(std::make_shared<SpillFolder>(folder.path(), FileSystem::posix()));
        std::mt19937 random(23);
        session->setVariable("m", Value::of(Ref<Table>(tableOf(drawnRows(kRows, random)))));
        run("update m set k = iif(place % 11 == 0, int(NULL), int(place * 31 % 50021)), few = int(place % 7)");
        share("t", "select place, k, few, half from m", "place", "0 70000 80000 1000000");
        share("r", "select place as row, k as other, half as real from m where place % 3 == 0", "row",
              "0 50000 1000000");
        run("small = table(0..6 as code, `a`b`c`d`e`f`g as name, loop(def (x): (x, string(x)), 0..6) as pair)");
    }
    // Returns the rows with little memory, or as they are, and how many files that took.
    Ref<MemoryTable> rowsWith(int64_t roomBytes, const std::string& query, uint64_t& files) {
        const uint64_t before = SpillFile::madeCount();
        const LittleMemory little(roomBytes);
        Ref<MemoryTable> rows = rowsOf(answer(query));
        files = SpillFile::madeCount() - before;
        return rows;
    }
    // With as little memory as it takes. `mayStayWhole`: cells that cannot be written to disk keep the graph in memory.
    void checkSame(const std::string& query, bool mayStayWhole = false) {
        INFO(query);
        uint64_t none = 0, files = 0;
        const Ref<MemoryTable> expected = rowsWith(int64_t{1} << 30, query, none);
        CHECK(none == 0);
        Ref<MemoryTable> given;
        for (int64_t room = kRoomBytes; !given; room += room / 3) {
            try {
                given = rowsWith(room, query, files);
            } catch (const memory::OutOfMemory&) {
                if (room > 64 * kRoomBytes) throw;
            }
        }
        CHECK((files > 0 || mayStayWhole));
        CHECK(FileSystem::posix().list(folder.path()).empty());
        REQUIRE(expected->rowCount() == given->rowCount());
        for (int c = 0; c < expected->columnCount(); ++c) {
            INFO("column " << c);
            CHECK(identical(expected->column(c), given->column(c)));
        }
    }

    const TemporaryFolder folder;
};

}  // namespace

TEST_CASE("rows of a graph in parts come in the order of its tables") {
    Bench bench;
    bench.checkSame("select place, row, name from t, r, small where k = other and few = code and half < real");
    bench.checkSame("select place, name from small, t, r where k = other and few = code and place % 5 = 0");
}

TEST_CASE("keys that are computed are those of the parts, too") {
    Bench bench;
    bench.checkSame(
        "select place, row, name from t, r, small where k = other and (few + row) % 7 = code + 0 and half < 9");
}

TEST_CASE("groups over a graph in parts are those of the whole") {
    Bench bench;
    bench.checkSame(
        "select name, count(*) as n, max(row) as last from t, r, small where k = other and few = code group by name");
}

TEST_CASE("lists among the columns keep a graph in memory, and lose no row") {
    Bench bench;
    bench.checkSame("select place, pair from t, r, small where k = other and few = code and half < real", true);
}

TEST_CASE("a graph whose parts are all empty gives no rows, under all its columns") {
    Bench bench;
    bench.checkSame("select place, name, row from t, r, small where k = other and few = code and half + real < -1e9");
}
