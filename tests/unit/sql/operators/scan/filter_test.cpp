// Which rows of a batch pass, and what is read to know it.
#include "sql/operators/scan/filter.h"

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/scan_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a block whose bounds decide is not read, and a condition that they decide is not computed") {
    ScanBench bench;
    const std::unique_ptr<PartitionReader> reader = bench.t->takeSnapshot(0)->open(2);  // places 14 to 39
    const auto read = [&](const std::string& where, int block) {
        Filter filter = bench.filter(where);
        bench.t->counts.blocks = 0;
        Batch batch(*reader, block);
        filter.select(batch, bench.context);
        return std::tuple(batch.selection().all, batch.selection().positions.size(), bench.t->counts.blocks.load());
    };
    using Read = std::tuple<bool, size_t, int>;
    CHECK(read("", 0) == Read(true, 0, 0));
    CHECK(read("place >= 14", 0) == Read(true, 0, 0));
    CHECK(read("place > 18", 0) == Read(false, 0, 0));
    CHECK(read("place > 16", 0) == Read(false, 2, 1));
    CHECK(read("place >= 14, place < 19", 0) == Read(true, 0, 0));
    CHECK(read("place > 18, half > 1", 0) == Read(false, 0, 0));
    // The first condition holds for the whole block, the other's column alone is read.
    CHECK(std::get<2>(read("place >= 14, half + 1 > 0", 0)) == 1);
    CHECK(std::get<2>(read("place > 16, half + 1 > 0", 0)) == 2);
}

// Drawn conditions over blocks of drawn rows, NULL among them.
TEST_CASE("rows of a block pass as they do one by one, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    ScanBench bench(60, 4);
    int all = 0, some = 0, none = 0;
    for (int n = 0; n < 600; ++n) {
        std::vector<const DrawnCondition*> drawn;
        std::string where;
        for (unsigned more = 1 + random() % 3; more > 0; --more) {
            drawn.push_back(&drawnConditions()[random() % drawnConditions().size()]);
            where += (where.empty() ? "(" : random() % 2 ? "), (" : ") and (") + std::string(drawn.back()->string);
        }
        where += ")";
        INFO(where);
        Filter filter = bench.filter(where);
        for (size_t p = 0; p < bench.t->parts().size(); ++p) {
            const std::unique_ptr<PartitionReader> reader = bench.t->takeSnapshot(0)->open(p);
            const std::vector<Item> places = itemsOf(bench.t->parts()[p]->column(0));
            for (int b = 0; b < reader->blockCount(); ++b) {
                std::vector<int32_t> wanted;
                for (int64_t i = 0; i < reader->blockRows(b); ++i) {
                    const DrawnRow& row = bench.rows[static_cast<size_t>(*places[static_cast<size_t>(4 * b + i)])];
                    if (std::all_of(drawn.begin(), drawn.end(), [&](const auto* c) { return c->holds(row); }))
                        wanted.push_back(static_cast<int32_t>(i));
                }
                Batch rows(*reader, b);
                filter.select(rows, bench.context);
                const Selection& selection = rows.selection();
                const bool isWhole = std::ssize(wanted) == reader->blockRows(b);
                CHECK(selection.all == isWhole);
                if (!selection.all) CHECK(selection.positions == wanted);
                (isWhole ? all : wanted.empty() ? none : some) += 1;
                if (!isWhole && !wanted.empty()) {
                    for (size_t i = 0; i < wanted.size(); ++i) CHECK(selection.mask->at(wanted[i]).integer() == 1);
                    CHECK(rows.rows() == std::ssize(wanted));
                    const std::vector<Item> twice = itemsOf(rows.evaluate(bench.column("place * 2"), bench.context));
                    for (size_t i = 0; i < wanted.size(); ++i)
                        CHECK(*twice[i] == 2 * *places[static_cast<size_t>(4 * b + wanted[i])]);
                }
            }
        }
    }
    CHECK(all > 200);
    CHECK(some > 200);
    CHECK(none > 200);
}
