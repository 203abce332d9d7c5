// A limit ends a pipeline: within a morsel, and behind those that have enough together.
#include "sql/operators/scan/row_limit.h"

#include <catch2/catch.hpp>

#include "sql/execution/driver.h"
#include "tests/support/scan_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// Counts the rows that pass.
struct CountSink final : Sink {
    void open(size_t morsels) override { rows.resize(morsels); }
    bool push(Batch& batch, Context&) override {
        rows[batch.morsel()] += batch.rows();
        return true;
    }
    std::vector<int64_t> rows;
};

}  // namespace

TEST_CASE("each morsel passes no more rows than are wanted, its last batch in part") {
    ScanBench bench(60, 5);  // morsels of 13, 1, 26 and 20 rows
    Filter none = bench.filter("");
    const TableScan scan(bench.morsels(none), {});
    for (const int64_t wanted : {0, 1, 7, 14, 100}) {
        RowLimit limit(wanted);
        CountSink sink;
        run({scan, {&limit}, sink}, bench.context);
        int64_t passed = 0;
        for (size_t m = 0; m < scan.morsels(); ++m) {
            CHECK(sink.rows[m] <= std::min(wanted, scan.rows(m)));
            passed += sink.rows[m];
        }
        CHECK(passed >= std::min<int64_t>(wanted, 60));
        CHECK(sink.rows[0] == std::min<int64_t>(wanted, 13));
    }
}

TEST_CASE("morsels behind those that have enough together are not wanted") {
    ScanBench bench(60, 5);
    Filter none = bench.filter("");
    const TableScan scan(bench.morsels(none), {});
    RowLimit limit(14);
    CountSink sink;
    limit.open(4);
    sink.open(4);
    const auto readAlone = [&](size_t morsel) {
        struct One final : Consumer {
            One(RowLimit& limit, CountSink& sink) : limit(limit), sink(sink) {}
            bool wants(const Batch& batch) override { return limit.wants(batch); }
            bool push(Batch& batch, Context& worker) override { return limit.push(batch, worker, sink); }
            RowLimit& limit;
            CountSink& sink;
        } one(limit, sink);
        scan.read(morsel, bench.context, one);
        limit.close(morsel);
    };
    readAlone(0);
    readAlone(2);  // at the same time, as it were
    readAlone(1);
    readAlone(3);
    CHECK(sink.rows == std::vector<int64_t>{13, 1, 14, 0});
}
