// A source is cut into morsels, whose blocks are given as batches in order.
#include "sql/operators/scan/table_scan.h"

#include <catch2/catch.hpp>

#include "tests/support/scan_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("partitions are cut into morsels in their order, and those that conditions rule out are not opened") {
    ScanBench bench;
    const auto morsels = [&](const std::string& where, int64_t enough = INT64_MAX) {
        Filter filter = bench.filter(where);
        bench.t->counts.opened = 0;
        std::string string;
        for (const Morsel& morsel : morselsOf(bench.source, filter.constraints(), enough)) {
            string += std::to_string(morsel.partition) + ":" + std::to_string(morsel.firstBlock) + "-" +
                      std::to_string(morsel.endBlock) + " ";
        }
        return string + std::to_string(bench.t->counts.opened);
    };
    CHECK(morsels("") == "0:0-3 1:0-1 2:0-6 3:0-4 4");
    CHECK(morsels("place == 13") == "0:0-1 1");
    CHECK(morsels("place in [1, 20]") == "0:0-3 1:0-6 2");
    CHECK(morsels("place > 5000") == "0");
    CHECK(morsels("", 1) == "0:0-3 1");
    CHECK(morsels("", 13) == "0:0-3 1");
    CHECK(morsels("", 14) == "0:0-3 1:0-1 2");
    CHECK(morsels("", 0) == "0");
    bench.source.partitions = {{1, 3}};
    CHECK(morsels("") == "0:0-1 1:0-4 2");
    CHECK(morsels("place > 20") == "0:0-4 1");
}

TEST_CASE("a long partition is cut into several morsels") {
    ScanBench bench(60, 2);
    Filter none = bench.filter("");
    std::string string;
    for (const Morsel& morsel : morselsOf(bench.source, none.constraints()))
        string += std::to_string(morsel.partition) + ":" + std::to_string(morsel.firstBlock) + "-" +
                  std::to_string(morsel.endBlock) + " ";
    CHECK(string == "0:0-7 1:0-1 2:0-8 2:8-13 3:0-8 3:8-10 ");
}

TEST_CASE("a morsel gives its blocks in order, those that are wanted, until there are enough") {
    ScanBench bench(60, 2);
    Filter none = bench.filter("");
    const TableScan scan(bench.morsels(none), {0});
    REQUIRE(scan.rows(2) == 16);
    struct Blocks final : Consumer {
        bool wants(const Batch& batch) override { return batch.block() % 2 == 1; }
        bool push(Batch& batch, Context&) override {
            CHECK(batch.morsel() == 2);
            blocks.push_back(batch.block());
            return batch.block() < 5;
        }
        std::vector<int> blocks;
    } blocks;
    scan.read(2, bench.context, blocks);
    CHECK(blocks.blocks == std::vector{1, 3, 5});
}
