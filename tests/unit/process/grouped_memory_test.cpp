// Groups are the same to the bit whatever memory they are granted and however many threads make them.
#include <tbb/global_control.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "common/thread/thread_pool.h"
#include "runtime/memory/broker.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/table/spill_file.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;

namespace {

// 1.2 million rows in memory are three leaves; on disk two partitions of other sizes, and one with few rows.
constexpr const char* kTables =
    "setRandomSeed(17)\n"
    "n = 1200000\n"
    "few = rand(50, n)\n"
    "share table(few as few, rand(2000, n) as some, rand(1000000l, n) * 7919 as many, rand(1.0, n) as x, "
    "rand(10.0, n) - 5 as y, symbol('s' + string(rand(300, n))) as s, string(rand(400000, n)) as text, "
    "2020.01.01 + rand(900, n) as d, decimal64(rand(1000.0, n), 3) as m, rand(100h, n) as h, 1..n / 2 as place) "
    "as groups_in_memory\n"
    "update groups_in_memory set x = NULL where some < 20\n"
    "update groups_in_memory set many = NULL where some == 7\n"
    "update groups_in_memory set text = NULL where some == 9\n"
    "db = database('dfs://groups_on_disk', VALUE, 0..2)\n"
    "rows = select *, iif(place < 50000, 2, iif(place < 400000, 0, 1)) as part from groups_in_memory\n"
    "db.createPartitionedTable(rows, `t, `part).append!(rows)";

// "count(*) as a0, sum(x) as a1"
std::string listed(const std::set<std::string>& elements, const std::string& name) {
    std::string string;
    for (const std::string& element : elements) {
        const auto number = std::distance(elements.begin(), elements.find(element));
        string += (number > 0 ? ", " : "") + element + " as " + name + std::to_string(number);
    }
    return string;
}

struct Draw {
    std::mt19937 random;

    size_t below(size_t end) { return random() % end; }
    std::string one(const std::vector<std::string>& of) { return of[below(of.size())]; }

    // Keys of few and of many groups, in order and in none, by columns of all widths and by expressions.
    std::string query(const std::string& table) {
        const std::vector<std::string> keys{"few",      "some", "many", "s",     "text",  "d",        "h",
                                            "some * 3", "1",    "m",    "place", "x > y", "month(d)", "many % 100000"};
        const std::vector<std::string> aggregates{
            "count(*)",      "count(NULL)", "sum(3)",   "sum(x)",        "avg(x * y)",
            "std(x)",        "var(y)",      "first(x)", "last(text)",    "min(many)",
            "max(y)",        "max(text)",   "sum(m)",   "sum(some)",     "wavg(x, y)",
            "corr(x, y)",    "skew(x)",     "count(x)", "nunique(some)", "nunique(s)",
            "nunique(text)", "med(x)",      "first(s)", "last(m)",       "sum(x) / count(y)",
            "min(d)"};
        std::set<std::string> by;
        for (size_t i = 0, count = 1 + below(3); i < count; ++i) by.insert(one(keys));
        std::set<std::string> elements;
        for (size_t i = 0, count = 1 + below(4); i < count; ++i) elements.insert(one(aggregates));
        std::string string = "select " + listed(elements, "a") + " from " + table;
        if (below(3) == 0) string += " where x > 0.3";
        string += " group by " + listed(by, "k");
        if (below(6) == 0) string += " order by a0 limit 1000";
        return string;
    }
};

std::string answerTo(const std::string& query) {
    std::string bytes;
    encodeValue(testing::wholeProcess().run(query), Peer::Node, bytes);
    return bytes;
}

}  // namespace

TEST_CASE("groups do not depend on the memory that they are granted or on threads", "[groups]") {
    constexpr size_t kThreads = 7;  // more than this machine may have cores
    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, kThreads);
    setWorkerCount(kThreads);
    testing::wholeProcess().run(kTables);
    const char* given = std::getenv("PELORUS_GROUPED_QUERIES");
    const int queries = given ? std::atoi(given) : 4;
    const uint64_t filesBefore = SpillFile::madeCount();
    Draw draw{std::mt19937(20261123)};
    for (int i = 0; i < queries; ++i) {
        const std::string table = i % 2 == 0 ? "groups_in_memory" : "loadTable('dfs://groups_on_disk', `t)";
        const std::string query = draw.query(table);
        INFO(query);
        memory::setLargestGrantBytes(0);
        const std::string whole = answerTo(query);
        CHECK(whole.size() > 100);
        for (const int64_t grant : {int64_t{1} << 20, int64_t{4} << 20}) {
            memory::setLargestGrantBytes(grant);
            CHECK(answerTo(query) == whole);
        }
        const SerialWork oneThread;
        CHECK(answerTo(query) == whole);
        memory::setLargestGrantBytes(0);
        CHECK(answerTo(query) == whole);
    }
    CHECK(SpillFile::madeCount() > filesBefore);
    testing::wholeProcess().run("dropDatabase('dfs://groups_on_disk')");
}
