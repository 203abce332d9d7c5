// Rows of a keyed table that are looked up by their keys are those that a scan finds.
#include "sql/plan/rules/key_lookup.h"
#include "sql/bind/plan_select.h"

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/drawn_rows.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// The tables `plain` and `keyed` with the same rows.
struct Bench : PartitionedBench {
    void share(const std::string& keys, const std::string& columns) {
        run("plain = table(" + columns + ")\nkeyed = keyedTable(" + keys + ", " + columns + ")");
    }
    // How many rows of the keyed table are still looked at.
    int64_t looked(const std::string& where) {
        RowSource source = sourceOf(rowsOf(run("keyed")));
        NodeList parts;
        for (const NodeRef& condition : conditions(where)) splitAnd(condition, parts);
        lookUpKeys(source, parts, context);
        return source.table->rowCount();
    }
    // The rows' numbers, which both tables must agree on.
    std::string found(const std::string& where) {
        const std::string scanned = shownAnswer("exec v from plain where " + where);
        CHECK(shownAnswer("exec v from keyed where " + where) == scanned);
        return scanned;
    }
};

}  // namespace

TEST_CASE("values of every column of the key leave their rows, and other conditions all") {
    Bench bench;
    bench.share("`k", "0..99 as k, 1..100 as v");
    CHECK(bench.looked("k == 7") == 1);
    CHECK(bench.looked("7 == k") == 1);
    CHECK(bench.looked("k in [1, 5, 5, 200]") == 2);
    CHECK(bench.looked("k == 7 or k == 9") == 2);
    CHECK(bench.looked("k == 7 and v > 3") == 1);
    CHECK(bench.looked("v > 3, k == 3 + 4") == 1);
    CHECK(bench.looked("k == 500") == 0);
    for (const char* where : {"k > 7", "v == 7", "k == v", "k + 1 == 7", "k == 7 or v == 7", "k != 7", "not (k == 7)",
                              "k between 7:7", "k == `a", "k in 1..1025"}) {
        INFO(where);
        CHECK(bench.looked(where) == 100);
    }
    bench.share("`a`b", "0..99 / 10 as a, 0..99 % 10 as b, 1..100 as v");
    CHECK(bench.looked("a == 3, b == 4") == 1);
    CHECK(bench.looked("a in [3, 4] and b in [1, 2, 3]") == 6);
    CHECK(bench.looked("a == 3") == 100);
    CHECK(bench.looked("a in 0..31, b in 0..31") == 100);
    CHECK(bench.looked("a in 0..32, b in 0..32") == 100);  // so many pairs are no help
}

TEST_CASE("found rows come in the order of the table, and still have to pass the conditions") {
    Bench bench;
    bench.share("`k", "[5, 3, 9, 1, 00i] as k, 1..5 as v");
    CHECK(bench.found("k in [1, 9, 5]") == "[1,3,4]");
    CHECK(bench.found("k in [1, 9, 5], v < 4") == "[1,3]");
    CHECK(bench.found("k == 00i") == "[5]");
    CHECK(bench.found("k == 3.4") == "[]");
    CHECK(bench.found("k == 3.0") == "[2]");
    CHECK(bench.found("k in [3, 00i]") == "[2,5]");
    CHECK(bench.found("k == 4294967299l") == "[]");  // 3 in the lowest 32 bits
    bench.share("`s", "`b`a`c as s, 1..3 as v");
    CHECK(bench.found("s in `c`b`x") == "[1,3]");
    CHECK(bench.found("s == \"a\"") == "[2]");
    bench.share("`d", "2024.01.01 2024.01.02 as d, 1..2 as v");
    CHECK(bench.found("d == 2024.01.02") == "[2]");
    CHECK(bench.found("d == 2024.01.02T00:00:00") == "[2]");
    CHECK(bench.found("d == 2024.01.02T00:00:01") == "[]");
    bench.share("`x", "0.0 1.5 as x, 1..2 as v");
    CHECK(bench.found("x == -0.0") == "[1]");
    CHECK(bench.found("x == 1.5f") == "[2]");
}

TEST_CASE("a fraction finds all large whole numbers that compare equal") {
    Bench bench;
    bench.share("`k", "[9007199254740992l, 9007199254740993l, 5l] as k, 1..3 as v");
    CHECK(bench.found("k == 9007199254740992.0") == "[1,2]");
    CHECK(bench.found("k in [9007199254740992.0]") == "[1,2]");
    CHECK(bench.found("k == 9007199254740993l") == "[2]");
    CHECK(bench.found("k == 5.0") == "[3]");
    bench.share("`k", "16777216 16777217 as k, 1..2 as v");
    CHECK(bench.found("k == 16777216f") == "[1,2]");
    CHECK(bench.found("k == 16777217.0") == "[2]");
}

TEST_CASE("keys are looked up as rows are found by a scan, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto one = [&](const std::vector<std::string>& of) { return of[random() % of.size()]; };
    Bench bench;
    bench.share("`a`s", "take(0..9 join 00i, 66) as a, string(0..65 / 11) as s, 1..66 as v");
    int found = 0, spared = 0;
    for (int n = 0; n < 1000; ++n) {
        const std::vector<std::string> ofA = {"a == 3",        "a in [1, 2, 30]", "a == 2 or a == 00i",
                                              "a == 4.0",      "a == 4.5",        "a < 4",
                                              "a in set(3 4)", "a == 5l",         "a in [2l, 3l]"};
        const std::vector<std::string> ofS = {"s == \"2\"", "s in [\"1\", \"x\", \"5\"]", "s == `4", "s like \"1%\"",
                                              "s == \"0\" or s == \"3\""};
        std::string where = one(ofA) + one({", ", " and "}) + one(ofS);
        if (random() % 3 == 0) where = one(ofS) + ", (" + one(ofA) + ")";
        if (random() % 4 == 0) where += ", v % 2 == 0";
        INFO(where);
        found += static_cast<int>(bench.found(where).size()) > 2;
        spared += bench.looked(where) < 66;
    }
    CHECK(found > 200);
    CHECK(spared > 300);
}
