// Which partitions a query leaves out, for every scheme: those that its conditions rule out, and never one that holds a
// row of the answer.
#include <catch2/catch.hpp>
#include <random>

#include "runtime/value/cast.h"
#include "runtime/value/vector.h"
#include "sql/bind/plan_select.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/constraint.h"
#include "sql/plan/rules/prune.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using pelorus::testing::PartitionedBench;
using pelorus::testing::PartitionsInMemory;

namespace {

// Partitioned tables over rows that a script makes.
struct Bench : PartitionedBench {
    Bench() {
        run("t = table(0..99 as k, 100 - 0..99 as other, take(`IBM`MSFT`GOOG`ORCL`AAPL, 100) as name, "
            "2024.01.01 + 0..99 as day, 2024.01.01T12:00:00.000 + 86400000l * 0..99 as at, 0l..99l as long)");
    }
    Ref<PartitionsInMemory> table(std::vector<PartitionLevel> levels, std::vector<std::string> columns,
                                  PartitionFunctions functions = {}, Listed listed = Listed::InOrder) {
        return partitioned("t", std::move(levels), std::move(columns), std::move(functions), listed);
    }

    std::vector<size_t> places(const PartitionsInMemory& table, const std::string& where) {
        std::vector<ColumnConstraint> constraints;
        for (const NodeRef& written : conditions(where)) {
            NodeList parts;
            splitAnd(written, parts);
            for (const NodeRef& condition : parts) {
                ColumnConstraint constraint;
                if (constraintOf(*condition, table.columns(), context, constraint))
                    constraints.push_back(std::move(constraint));
            }
        }
        return prunePartitions(table, *table.takeSnapshot(0), constraints);
    }
    // "/0_10 /10_20"
    std::string kept(const PartitionsInMemory& table, const std::string& where) {
        std::string paths;
        for (const size_t p : places(table, where))
            paths += (paths.empty() ? "" : " ") + table.takeSnapshot(0)->partitions()[p].path;
        return paths;
    }
    size_t count(const PartitionsInMemory& table, const std::string& where) { return places(table, where).size(); }

    int64_t passing(const MemoryTable& rows, const std::string& where) {
        std::vector<bool> passes(static_cast<size_t>(rows.rowCount()), true);
        for (const NodeRef& condition : conditions(where)) {
            const Value given = bindProgram(condition, rows.columns(), context).evaluate(context, rows);
            for (size_t i = 0; i < passes.size(); ++i)
                passes[i] = passes[i] && isTrue(given.isScalar() ? given : given.at(static_cast<int64_t>(i)));
        }
        return std::count(passes.begin(), passes.end(), true);
    }
};

}  // namespace

TEST_CASE("ranges: partitions that the bounds of a condition touch are read") {
    Bench bench;
    const auto table = bench.table({bench.level(PartitionKind::Range, "0 25 50 75 100")}, {"k"});
    CHECK(bench.kept(*table, "k == 25") == "/25_50");
    CHECK(bench.kept(*table, "k < 25") == "/0_25");
    CHECK(bench.kept(*table, "k <= 25") == "/0_25 /25_50");
    CHECK(bench.kept(*table, "k > 74") == "/75_100");
    CHECK(bench.kept(*table, "k >= 74") == "/50_75 /75_100");
    CHECK(bench.kept(*table, "k between 30:40") == "/25_50");
    CHECK(bench.kept(*table, "k in [1, 99]") == "/0_25 /75_100");
    CHECK(bench.kept(*table, "k == 1 or k == 30") == "/0_25 /25_50");
    CHECK(bench.kept(*table, "k > 30 and k < 60") == "/25_50 /50_75");
    CHECK(bench.kept(*table, "k > 30, k < 60") == "/25_50 /50_75");
    CHECK(bench.kept(*table, "k > 60, k < 30").empty());
    CHECK(bench.kept(*table, "k < 0").empty());
    CHECK(bench.kept(*table, "k >= 100").empty());
    CHECK(bench.kept(*table, "60 < k") == "/50_75 /75_100");
    CHECK(bench.count(*table, "k == 00i or k == 3") == 4);
    CHECK(bench.kept(*table, "k <= 00i or k <= 3") == "/0_25");
}

TEST_CASE("conditions that say nothing of a partition column leave all partitions") {
    Bench bench;
    const auto table = bench.table({bench.level(PartitionKind::Range, "0 25 50 75 100")}, {"k"});
    for (const char* where :
         {"other == 3", "k + 1 == 3", "k != 3", "not (k == 3)", "k < 10 or k > 90", "k == 3 or other == 3",
          "abs(k) == 3", "k < other", "k == 00i", "k == NULL", "k in [00i, 3]"}) {
        INFO(where);
        CHECK(bench.count(*table, where) == 4);
    }
    // The other condition of two still counts.
    CHECK(bench.kept(*table, "other == 3, k == 3") == "/0_25");
    CHECK(bench.kept(*table, "k + 1 == 3 and k < 25") == "/0_25");
}

TEST_CASE("values: the partitions of the values that a condition allows are read") {
    Bench bench;
    const auto table = bench.table({bench.level(PartitionKind::Value, "2024.01.01..2024.04.30")}, {"day"});
    CHECK(bench.kept(*table, "day == 2024.01.03") == "/20240103");
    CHECK(bench.kept(*table, "day > 2024.01.02 and day < 2024.01.05") == "/20240103 /20240104");
    CHECK(bench.kept(*table, "day in [2024.02.01, 2024.01.01]") == "/20240101 /20240201");
    CHECK(bench.kept(*table, "day == 2024.01.03 or day == 2024.01.07") == "/20240103 /20240107");
    CHECK(bench.kept(*table, "day == 2023.01.03").empty());
    CHECK(bench.count(*table, "day < 2024.01.11") == 10);
    const auto names = bench.table({bench.level(PartitionKind::Value, "`IBM`MSFT`GOOG`ORCL`AAPL")}, {"name"});
    CHECK(bench.kept(*names, "name == `GOOG") == "/GOOG");
    CHECK(bench.kept(*names, "name in `AAPL`IBM`X") == "/IBM /AAPL");
    CHECK(bench.kept(*names, "name >= `MSFT") == "/MSFT /ORCL");
    CHECK(bench.count(*names, "name like \"I%\"") == 5);
}

TEST_CASE("values of a coarser time than the column's hold whole days or months") {
    Bench bench;
    const auto days = bench.table({bench.level(PartitionKind::Value, "2024.01.01..2024.04.30")}, {"at"});
    CHECK(bench.kept(*days, "at == 2024.01.03T12:00:00.000") == "/20240103");
    CHECK(bench.kept(*days, "at >= 2024.01.03T13:00:00.000 and at < 2024.01.05") == "/20240103 /20240104");
    CHECK(bench.kept(*days, "at > 2024.01.03, at <= 2024.01.04") == "/20240103 /20240104");
    const auto months = bench.table({bench.level(PartitionKind::Value, "2024.01M..2024.04M")}, {"day"});
    CHECK(bench.kept(*months, "day > 2024.01.31 and day <= 2024.02.29") == "/202402");
    CHECK(bench.kept(*months, "day == 2024.03.15") == "/202403");
    CHECK(bench.count(*months, "year(day) == 2023") == 4);
}

TEST_CASE("lists: the partitions that own a value are read, ranges of texts by their order") {
    Bench bench;
    const auto table = bench.table({bench.level(PartitionKind::List, "(`IBM`GOOG, `MSFT`AAPL, [`ORCL])")}, {"name"});
    CHECK(bench.kept(*table, "name == `GOOG") == "/List0");
    CHECK(bench.kept(*table, "name in `AAPL`ORCL") == "/List1 /List2");
    CHECK(bench.kept(*table, "name > `NYSE") == "/List2");
    CHECK(bench.kept(*table, "name < `B") == "/List1");
    CHECK(bench.kept(*table, "name == `X").empty());
}

TEST_CASE("hashes: only values name a bucket, ranges do not") {
    Bench bench;
    const auto table = bench.table({bench.level(PartitionKind::Hash, "[INT, 5]")}, {"k"});
    CHECK(bench.kept(*table, "k == 7") == "/Key2");
    CHECK(bench.kept(*table, "k in [7, 12, 9]") == "/Key2 /Key4");
    CHECK(bench.kept(*table, "k between 7:7") == "/Key2");
    CHECK(bench.count(*table, "k between 7:8") == 5);
    CHECK(bench.count(*table, "k < 2") == 5);
    CHECK(bench.count(*table, "k == 7.0") == 5);  // a DOUBLE has no bucket of an INT
    CHECK(bench.kept(*table, "k == 7l") == "/Key2");
    const auto names = bench.table({bench.level(PartitionKind::Hash, "[SYMBOL, 3]")}, {"name"});
    CHECK(bench.count(*names, "name == \"IBM\"") == 1);
}

TEST_CASE("several levels are cut each by the conditions on its column") {
    Bench bench;
    const auto table = bench.table(
        {bench.level(PartitionKind::Range, "0 50 100"), bench.level(PartitionKind::Value, "`IBM`MSFT`GOOG`ORCL`AAPL"),
         bench.level(PartitionKind::Hash, "[LONG, 2]")},
        {"k", "name", "long"});
    REQUIRE(bench.count(*table, "other > 0") == 20);
    CHECK(bench.kept(*table, "k < 10, name == `GOOG") == "/0_50/GOOG/Key0 /0_50/GOOG/Key1");
    CHECK(bench.kept(*table, "name == `GOOG, long == 3l") == "/0_50/GOOG/Key1 /50_100/GOOG/Key1");
    CHECK(bench.count(*table, "long == 3l") == 10);
    CHECK(bench.count(*table, "k == 3 or name == `IBM") == 20);
    CHECK(bench.count(*table, "name in `IBM`ORCL, k > 49") == 4);
    CHECK(bench.kept(*table, "k < 10, name == `X").empty());
}

TEST_CASE("partitions that a catalog lists in another order are chosen the same, in that of the scheme") {
    Bench bench;
    const auto levels = [&] {
        return std::vector<PartitionLevel>{bench.level(PartitionKind::Range, "0 25 50 75 100"),
                                           bench.level(PartitionKind::Value, "`IBM`MSFT`GOOG`ORCL`AAPL")};
    };
    const auto ordered = bench.table(levels(), {"k", "name"});
    const auto backwards = bench.table(levels(), {"k", "name"}, {}, Bench::Listed::Backwards);
    for (const char* where : {"other > 0", "k between 20:60", "name in `ORCL`MSFT", "k > 30, name == `GOOG", "k < 0"}) {
        INFO(where);
        CHECK(bench.kept(*ordered, where) == bench.kept(*backwards, where));
    }
}

TEST_CASE("a function of the column places rows: values go through it, ranges where it keeps their order") {
    Bench bench;
    const auto months =
        bench.table({bench.level(PartitionKind::Value, "2024.01M..2024.04M")}, {"day"}, bench.placedBy("month"));
    CHECK(bench.kept(*months, "day == 2024.02.10") == "/202402");
    CHECK(bench.kept(*months, "day in [2024.02.10, 2024.04.01]") == "/202402 /202404");
    CHECK(bench.kept(*months, "day < 2024.02.01") == "/202401 /202402");  // the month of a bound is touched
    CHECK(bench.kept(*months, "day between 2024.02.10:2024.03.01") == "/202402 /202403");
    CHECK(bench.count(*months, "day == 00d") == 4);
    // Days of the month rise and fall: only single days name a partition.
    const auto days = bench.table({bench.level(PartitionKind::Value, "1..31")}, {"day"}, bench.placedBy("dayOfMonth"));
    CHECK(bench.kept(*days, "day == 2024.02.10") == "/10");
    CHECK(bench.count(*days, "day < 2024.01.03") == 31);
}

TEST_CASE("bounds at the ends of their type leave out what they must, and nothing more") {
    Bench bench;
    const auto table = bench.table({bench.level(PartitionKind::Range, "0 25 50 75 100")}, {"long"});
    CHECK(bench.kept(*table, "long > 9223372036854775807l").empty());
    CHECK(bench.count(*table, "long < -9223372036854775807l") <= 4);  // the next one is NULL
    CHECK(bench.count(*table, "long > -9223372036854775807l") == 4);
    CHECK(bench.count(*table, "long < 9223372036854775807l") == 4);
    CHECK(bench.kept(*table, "long >= 1e15").empty());
    CHECK(bench.count(*table, "long < 1e300") == 4);
    const auto ints = bench.table({bench.level(PartitionKind::Range, "0 25 50 75 100")}, {"k"});
    CHECK(bench.count(*ints, "k > 2147483647") == 0);
    CHECK(bench.count(*ints, "k < 2147483647") == 4);
    // These two are equal after conversion to DOUBLE.
    bench.run("t = table([9007199254740992l, 9007199254740993l] as long, 1 2 as k)");
    const auto large =
        bench.table({bench.level(PartitionKind::Value, "[9007199254740992l, 9007199254740993l]")}, {"long"});
    REQUIRE(large->parts().size() == 2);
    CHECK(bench.passing(*large->parts()[1], "long == 9007199254740992.0") == 1);
    CHECK(bench.count(*large, "long == 9007199254740992.0") == 2);
    CHECK(bench.count(*large, "long <= 9007199254740992.0") == 2);
    CHECK(bench.kept(*large, "long == 9007199254740992l") == "/9007199254740992");
    bench.run("t = table([16777216l, 16777217l] as long, 1 2 as k)");
    const auto small = bench.table({bench.level(PartitionKind::Value, "[16777216l, 16777217l]")}, {"long"});
    CHECK(bench.passing(*small->parts()[1], "long == 16777216f") == 1);
    CHECK(bench.count(*small, "long == 16777216f") == 2);
    CHECK(bench.count(*small, "long == 16777216.0") == 1);
}

TEST_CASE("no row of the answer lies in a partition that is left out, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned end) { return random() % end; };
    Bench bench;
    const std::vector<Ref<PartitionsInMemory>> tables = {
        bench.table({bench.level(PartitionKind::Range, "0 13 40 77 100")}, {"k"}),
        bench.table({bench.level(PartitionKind::Value, "2024.01M..2024.04M")}, {"day"}),
        bench.table({bench.level(PartitionKind::Value, "2024.01.01..2024.04.30")}, {"at"}),
        bench.table({bench.level(PartitionKind::List, "(`IBM`GOOG, `MSFT, `ORCL`AAPL)")}, {"name"}),
        bench.table({bench.level(PartitionKind::Hash, "[LONG, 7]")}, {"long"}),
        bench.table({bench.level(PartitionKind::Value, "2024.01M..2024.04M")}, {"day"}, bench.placedBy("month")),
        bench.table({bench.level(PartitionKind::Hash, "[SYMBOL, 2]"), bench.level(PartitionKind::Range, "0 30 60 100")},
                    {"name", "k"}, {}, Bench::Listed::Backwards),
    };
    const auto constant = [&](const std::string& column) -> std::string {
        if (below(12) == 0) return column == "name" ? "\"\"" : column == "day" ? "00d" : column == "at" ? "00T" : "00i";
        if (column == "name")
            return bench.shown("string((`IBM`MSFT`GOOG`ORCL`AAPL`X`C)[" + std::to_string(below(7)) + "])")
                       .insert(0, "\"") +
                   "\"";
        const std::string number = std::to_string(static_cast<int>(below(120)) - 10);
        if (column == "day") return "temporalAdd(2024.01.01, " + number + ", `d)";
        if (column == "at") return "temporalAdd(2024.01.01T12:00:00.000, " + number + ", `d)";
        return below(5) ? number : number + ".5";
    };
    const auto comparison = [&](const std::string& column) {
        static constexpr const char* kOperators[] = {"<", "<=", ">", ">=", "==", "!="};
        const std::string a = constant(column), b = constant(column);
        switch (below(5)) {
            case 0:
                return column + " in [" + a + ", " + b + "]";
            case 1:
                return column == "name" ? column + " == " + a : column + " between " + a + ":" + b;
            default:
                return column + " " + kOperators[below(6)] + " " + a;
        }
    };
    int left = 0, passed = 0;
    for (int n = 0; n < 1200; ++n) {
        const PartitionsInMemory& table = *tables[below(static_cast<unsigned>(tables.size()))];
        const auto& columns = table.partitionColumns();
        const std::string column = below(4) ? columns[below(static_cast<unsigned>(columns.size()))] : "k";
        std::string where = comparison(column);
        if (below(3) == 0) where = "(" + where + ") or (" + comparison(column) + ")";
        if (below(3) == 0) where += ", " + comparison(columns[0]);
        INFO(where << " of partitions by " << columns[0]);
        const std::vector<size_t> kept = bench.places(table, where);
        for (size_t p = 0; p < table.parts().size(); ++p) {
            const int64_t rows = bench.passing(*table.parts()[p], where);
            const bool isKept = std::find(kept.begin(), kept.end(), p) != kept.end();
            if (!isKept) CHECK(rows == 0);
            left += !isKept;
            passed += rows > 0;
        }
    }
    CHECK(left > 200);
    CHECK(passed > 200);
}
