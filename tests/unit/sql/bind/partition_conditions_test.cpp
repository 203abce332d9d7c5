// partition(…) and sample(…) among the conditions name the partitions that are read.
#include "sql/bind/partition_conditions.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        run("rows = table(0..99 as k, take(`IBM`MSFT`GOOG`ORCL, 100) as s, 1..100 as v)");
        ranges = shared("ranges", {level(PartitionKind::Range, "0 25 50 75 100")}, {"k"});
        values = shared("names", {level(PartitionKind::Value, "`IBM`MSFT`GOOG`ORCL")}, {"s"});
        both = shared("both",
                      {level(PartitionKind::Value, "`IBM`MSFT`GOOG`ORCL"), level(PartitionKind::Range, "0 50 100")},
                      {"s", "k"});
        run("m = select * from rows");
    }
    Ref<PartitionsInMemory> shared(const std::string& name, std::vector<PartitionLevel> levels,
                                   std::vector<std::string> columns) {
        const Ref<PartitionsInMemory> table = partitioned("rows", std::move(levels), std::move(columns));
        table->name = name;
        session->setVariable(name, Value::of(Ref<Table>(table)));
        return table;
    }
    // Returns the number of partitions opened and that of rows found.
    std::pair<int, int64_t> read(const Ref<PartitionsInMemory>& table, const std::string& where) {
        table->counts.opened = 0;
        const Value count = answer("exec count(v) from " + table->name + " where " + where);
        return {table->counts.opened.load(), count.asLong()};
    }
    void fails(const std::string& string, const std::string& told) {
        INFO(string);
        CHECK_THROWS_WITH(answer("select * from " + string), Catch::Contains(told));
    }

    Ref<PartitionsInMemory> ranges, values, both;
};

}  // namespace

TEST_CASE("partitions are named by their number, those of a VALUE scheme by their value") {
    Bench bench;
    CHECK(bench.read(bench.ranges, "partition(k, 1)") == std::pair<int, int64_t>(1, 25));
    CHECK(bench.read(bench.ranges, "partition(k, [0, 3])") == std::pair<int, int64_t>(2, 50));
    CHECK(bench.read(bench.ranges, "partition(k, [0, 0])") == std::pair<int, int64_t>(1, 25));
    CHECK(bench.read(bench.values, "partition(s, `GOOG)") == std::pair<int, int64_t>(1, 25));
    CHECK(bench.read(bench.values, "partition(s, `GOOG`IBM)") == std::pair<int, int64_t>(2, 50));
    CHECK(bench.read(bench.both, "partition(s, `GOOG)") == std::pair<int, int64_t>(2, 25));
    CHECK(bench.read(bench.both, "partition(k, 1)") == std::pair<int, int64_t>(4, 50));
}

TEST_CASE("several such conditions leave what all of them name, and others hold beside them") {
    Bench bench;
    CHECK(bench.read(bench.both, "partition(s, `GOOG), partition(k, 0)").first == 1);
    CHECK(bench.read(bench.both, "partition(s, `GOOG) and partition(k, 0)").first == 1);
    CHECK(bench.read(bench.ranges, "partition(k, [0, 1]), partition(k, [1, 2])") == std::pair<int, int64_t>(1, 25));
    CHECK(bench.read(bench.ranges, "partition(k, 0), partition(k, 1)") == std::pair<int, int64_t>(0, 0));
    CHECK(bench.read(bench.ranges, "partition(k, [0, 1]), k >= 20") == std::pair<int, int64_t>(2, 30));
    CHECK(bench.read(bench.ranges, "k >= 80 and partition(k, [0, 3])") == std::pair<int, int64_t>(1, 20));
    CHECK(bench.read(bench.ranges, "partition(k, [0, 3]), s == `IBM").second == 13);
}

TEST_CASE("a sample is a share of the partitions, or so many of them, and whole partitions") {
    Bench bench;
    std::set<int64_t> seen;
    for (int n = 0; n < 60; ++n) {
        CHECK(bench.read(bench.ranges, "sample(k, 2)") == std::pair<int, int64_t>(2, 50));
        CHECK(bench.read(bench.ranges, "sample(k, 0.25)") == std::pair<int, int64_t>(1, 25));
        seen.insert(bench.answer("exec min(k) from ranges where sample(k, 1)").asLong());
    }
    CHECK(seen == std::set<int64_t>{0, 25, 50, 75});
    CHECK(bench.read(bench.ranges, "sample(k, 100)") == std::pair<int, int64_t>(4, 100));
    CHECK(bench.read(bench.ranges, "sample(k, 0.1)") == std::pair<int, int64_t>(0, 0));
    // On two levels, those of one number go together.
    CHECK(bench.read(bench.both, "sample(s, 1)").first == 2);
    CHECK(bench.read(bench.both, "sample(s, 1), sample(k, 1)").first == 1);
    CHECK(bench.read(bench.ranges, "partition(k, [1, 2]), sample(k, 1)").second == 25);
    CHECK(bench.read(bench.ranges, "partition(k, 1), sample(k, 5)") == std::pair<int, int64_t>(1, 25));
}

TEST_CASE("what names no partition is refused") {
    Bench bench;
    bench.fails("ranges where partition(v, 1)", "v is no partition column");
    bench.fails("ranges where partition(1, 1)", "must be a partition column");
    bench.fails("ranges where partition(k, 4)", "outside of the partition scheme");
    bench.fails("ranges where partition(k, -1)", "outside of the partition scheme");
    bench.fails("ranges where partition(k, 1.5)", "must be values of a VALUE scheme, or numbers");
    bench.fails("ranges where partition(k, 00i)", "must be values of a VALUE scheme, or numbers");
    bench.fails("ranges where partition(k, `a)", "must be values of a VALUE scheme, or numbers");
    bench.fails("names where partition(s, `X)", "outside of the partition scheme");
    bench.fails("ranges where partition(k, 1, 2)", "at most 2 arguments");
    bench.fails("ranges where sample(k, 0)", "size of sample must be a share");
    bench.fails("ranges where sample(k, -1)", "size of sample must be a share");
    bench.fails("ranges where sample(k, 1.5)", "size of sample must be a share");
    bench.fails("ranges where sample(v, 1)", "v is no partition column");
    CHECK_THROWS_AS(bench.answer("select * from m where partition(k, 1)"), UserError);
    CHECK_THROWS_AS(bench.answer("select * from m where sample(k, 1)"), UserError);
}
