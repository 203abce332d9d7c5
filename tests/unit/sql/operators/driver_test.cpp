// Which rows of a block pass, what is read to know it, and how a source is cut into pieces of work.
#include <catch2/catch.hpp>
#include <mutex>
#include <random>
#include <set>

#include "interpreter/expression/expression_program.h"
#include "runtime/value/vector.h"
#include "sql/bind/plan_select.h"
#include "sql/expression/bind_expression.h"
#include "sql/operators/driver.h"
#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : DrawnBench {
    explicit Bench(int64_t count = 60, int64_t rowsOfBlock = 5) {
        std::mt19937 random(21);
        rows = drawnRows(count, random);
        t = take(rows, "0 13 14 40 1000", rowsOfBlock);
        source.table = Ref<Table>(t);
        source.snapshot = t->takeSnapshot(0);
    }
    Filter filter(const std::string& where) {
        NodeList parts;
        if (!where.empty()) {
            for (const NodeRef& condition : conditions(where)) splitAnd(condition, parts);
        }
        return {parts, source.columns(), context};
    }

    DrawnRows rows;
    Ref<PartitionsInMemory> t;
    RowSource source;
};

ExpressionProgram column(Bench& bench, const std::string& string) {
    return bindProgram(bench.query("select " + string + " from t")->items[0].value, bench.source.columns(),
                       bench.context);
}

// Takes all rows, or those of the first blocks of a morsel.
class PlacesSink final : public Sink {
public:
    explicit PlacesSink(int64_t enough = INT64_MAX) : enough_(enough) {}
    void open(size_t morsels) override { places.resize(morsels); }
    bool wants(size_t morsel, const PartitionReader&, int) override {
        return static_cast<int64_t>(places[morsel].size()) < enough_;
    }
    void push(size_t morsel, int, BlockRows& rows, Context&) override {
        CHECK(rows.rows() > 0);
        for (const Item& item : itemsOf(rows.column(0))) places[morsel].push_back(*item);
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

}  // namespace

TEST_CASE("a block whose bounds decide is not read, and a condition that they decide is not computed") {
    Bench bench;
    const std::unique_ptr<PartitionReader> reader = bench.t->takeSnapshot(0)->open(2);  // places 14 to 39
    const auto read = [&](const std::string& where, int block) {
        Filter filter = bench.filter(where);
        bench.t->counts.blocks = 0;
        const Filter::Selection selection = filter.select(*reader, block, bench.context);
        return std::tuple(selection.all, selection.positions.size(), bench.t->counts.blocks.load());
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

TEST_CASE("columns of a block are read once, those of the conditions with them") {
    Bench bench;
    const std::unique_ptr<PartitionReader> reader = bench.t->takeSnapshot(0)->open(2);
    Filter filter = bench.filter("place > 16");
    const Filter::Selection selection = filter.select(*reader, 0, bench.context);
    BlockRows rows(*reader, 0, selection);
    bench.t->counts.blocks = 0;
    CHECK(display(rows.column(0)) == "[17,18]");
    CHECK(bench.t->counts.blocks == 0);
    rows.column(2);
    rows.evaluate(column(bench, "half * 2"), bench.context);
    CHECK(bench.t->counts.blocks == 1);
    CHECK(rows.blockRow(0) == 3);
    CHECK_FALSE(rows.bounds(0).known);  // those of the block are not those of some of its rows
    const Filter::Selection first = rows.first(1);
    BlockRows one = rows.only(first);
    CHECK(one.rows() == 1);
    CHECK(display(one.column(0)) == "[17]");
}

TEST_CASE("partitions are cut into morsels in their order, and those that conditions rule out are not opened") {
    Bench bench;
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
    Bench bench(60, 2);
    Filter none = bench.filter("");
    std::string string;
    for (const Morsel& morsel : morselsOf(bench.source, none.constraints()))
        string += std::to_string(morsel.partition) + ":" + std::to_string(morsel.firstBlock) + "-" +
                  std::to_string(morsel.endBlock) + " ";
    CHECK(string == "0:0-7 1:0-1 2:0-8 2:8-13 3:0-8 3:8-10 ");
}

TEST_CASE("a sink is given rows in the order of each morsel, until it wants no more, and closed once for each") {
    Bench bench(60, 2);
    Filter some = bench.filter("place % 3 == 0");
    for (const int64_t enough : {int64_t{INT64_MAX}, int64_t{1}, int64_t{3}}) {
        PlacesSink sink(enough);
        const std::vector<Morsel> morsels = morselsOf(bench.source, some.constraints());
        drive(morsels, some, {0}, sink, bench.context);
        REQUIRE(sink.places.size() == morsels.size());
        CHECK(sink.closed == morsels.size());
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

TEST_CASE("a request that was cancelled ends where the next morsel begins") {
    Bench bench;
    bench.request.cancelled = true;
    Filter none = bench.filter("");
    PlacesSink sink;
    CHECK_THROWS_AS(drive(morselsOf(bench.source, none.constraints()), none, {}, sink, bench.context), UserError);
}

// Drawn conditions over blocks of drawn rows, NULL among them.
TEST_CASE("rows of a block pass as they do one by one, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Bench bench(60, 4);
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
                const Filter::Selection selection = filter.select(*reader, b, bench.context);
                const bool isWhole = static_cast<int64_t>(wanted.size()) == reader->blockRows(b);
                CHECK(selection.all == isWhole);
                if (!selection.all) CHECK(selection.positions == wanted);
                (isWhole ? all : wanted.empty() ? none : some) += 1;
                if (!isWhole && !wanted.empty()) {
                    for (size_t i = 0; i < wanted.size(); ++i) CHECK(selection.mask->at(wanted[i]).integer() == 1);
                    BlockRows rows(*reader, b, selection);
                    CHECK(rows.rows() == static_cast<int64_t>(wanted.size()));
                    const std::vector<Item> twice = itemsOf(rows.evaluate(column(bench, "place * 2"), bench.context));
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
