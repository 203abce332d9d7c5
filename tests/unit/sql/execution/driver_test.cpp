// The driver pushes the batches of each morsel through the operators into the sink, in order.
#include "sql/execution/driver.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <mutex>

#include "tests/support/scan_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// Takes all rows, or those of the first batches of a morsel.
class PlacesSink final : public Sink {
public:
    explicit PlacesSink(int64_t enough = INT64_MAX) : enough_(enough) {}
    void open(size_t morsels) override { places.resize(morsels); }
    bool push(Batch& batch, Context&) override {
        CHECK(batch.rows() > 0);
        for (const Item& item : itemsOf(batch.column(0))) places[batch.morsel()].push_back(*item);
        return std::ssize(places[batch.morsel()]) < enough_;
    }
    void close(size_t) override {
        const std::lock_guard lock(mutex);
        ++closed;
    }

    std::vector<std::vector<int64_t>> places;
    std::mutex mutex;
    size_t closed = 0;

private:
    const int64_t enough_;
};

// Drops every other batch of a morsel, and notes in which order it is called.
class EveryOther final : public BatchOperator {
public:
    void open(size_t morsels) override {
        CHECK(calls.empty());
        calls.resize(morsels);
    }
    bool wants(const Batch& batch) override { return batch.block() != 1; }
    bool push(Batch& batch, Context& worker, Consumer& next) override {
        calls[batch.morsel()] += "p";
        return batch.block() % 2 == 1 || next.push(batch, worker);
    }
    void close(size_t morsel) override { calls[morsel] += "c"; }

    std::vector<std::string> calls;
};

}  // namespace

TEST_CASE("a sink is given rows in the order of each morsel, until it has enough, and closed once for each") {
    ScanBench bench(60, 2);
    Filter some = bench.filter("place % 3 == 0");
    for (const int64_t enough : {int64_t{INT64_MAX}, int64_t{1}, int64_t{3}}) {
        PlacesSink sink(enough);
        const TableScan scan(bench.morsels(some), {0});
        run({scan, {&some}, sink}, bench.context);
        REQUIRE(sink.places.size() == scan.morsels());
        CHECK(sink.closed == scan.morsels());
        std::vector<int64_t> all;
        for (const std::vector<int64_t>& places : sink.places) {
            CHECK(std::is_sorted(places.begin(), places.end()));
            all.insert(all.end(), places.begin(), places.end());
        }
        if (enough == INT64_MAX) {
            CHECK(all.size() == 20);
            CHECK(std::is_sorted(all.begin(), all.end()));
        } else {
            CHECK(all.size() < 20);
        }
    }
}

TEST_CASE("operators are asked before a batch is read, and closed with their morsel") {
    ScanBench bench(60, 2);
    Filter none = bench.filter("");
    EveryOther operation;
    PlacesSink sink;
    const TableScan scan(bench.morsels(none), {0});
    run({scan, {&none, &operation}, sink}, bench.context);
    REQUIRE(operation.calls.size() == 6);
    CHECK(operation.calls[0] == "ppppppc");  // seven blocks, of which one is not wanted
    CHECK(operation.calls[1] == "pc");
    CHECK(sink.places[0] == std::vector<int64_t>{0, 1, 4, 5, 8, 9, 12});
}

TEST_CASE("a request that was cancelled ends where the next morsel begins") {
    ScanBench bench;
    bench.request.cancelled = true;
    Filter none = bench.filter("");
    PlacesSink sink;
    const TableScan scan(bench.morsels(none), {});
    CHECK_THROWS_AS(run({scan, {&none}, sink}, bench.context), UserError);
}
