// Parts on disk are put together in the order that is wanted, whatever an operator gives for each.
#include "sql/operators/window/windows_in_parts.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "runtime/code/query.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/table/spill_file.h"
#include "sql/expression/bind_expression.h"
#include "sql/plan/row_source.h"
#include "tests/support/partitioned_bench.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// Rows with a whole number and a text as keys.
struct Bench : PartitionedBench {
    Bench() {
        services.add(std::make_shared<SpillFolder>(folder.path(), FileSystem::posix()));
        run("n = long(0..9999)\n"
            "m = table(n as row, n * 7919 % 503 as k, \"s\" + string(n * 31 % 307) as s, double(n % 97) as v)");
        table = share("t", "m", "row", "0 3000 3001 100000");
    }

    // Returns what `compute` gives over parts by the keys, of the rows that pass the condition.
    Ref<MemoryTable> inParts(const NodeList& keys, PartsOrder order, const GroupsOfPart& compute) {
        const Ref<Query> all = query("select * from t where v < 90");
        RowSource source;
        source.table = Ref<Table>(table);
        source.snapshot = table->takeSnapshot(0);
        SpillableSource rows(source, all->where, context);
        std::vector<ExpressionProgram> programs;
        for (const NodeRef& key : keys) programs.push_back(bindProgram(key, source.columns(), context));
        REQUIRE(areKeysOfParts(programs));
        return computedInParts(rows, programs, {0, 1, 2, 3}, order, compute, context);
    }
    NodeRef column(const char* name) { return makeRef<Name>(name, SourcePosition{}); }

    const TemporaryFolder folder;
    Ref<PartitionsInMemory> table;
};

// Gives every third row of a part.
Ref<MemoryTable> eachThird(const Ref<MemoryTable>& rows, std::vector<int32_t>& sources) {
    for (int32_t row = 0; row < rows->rowCount(); row += 3) sources.push_back(row);
    return rows->gather(sources.data(), std::ssize(sources));
}

bool isAscending(const Value& column) {
    for (int64_t i = 1; i < column.size(); ++i) {
        if (compareElements(column.vector(), i - 1, column.vector(), i) > 0) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("one row for each comes in the order of the input") {
    Bench bench;
    size_t parts = 0;
    const Ref<MemoryTable> rows =
        bench.inParts({bench.column("k")}, PartsOrder::EachRow, [&](const auto& part, auto& sources) {
            ++parts;
            sources.resize(static_cast<size_t>(part->rowCount()));
            std::iota(sources.begin(), sources.end(), 0);
            return part->copy();
        });
    REQUIRE(rows);
    CHECK(parts > 10);
    const Value expected = bench.answer("select * from m where v < 90");
    for (int c = 0; c < 4; ++c)
        CHECK(identical(rows->column(c), static_cast<MemoryTable&>(expected.table()).column(c)));
}

TEST_CASE("some of the rows come in the order of the input, or by their keys") {
    Bench bench;
    const Ref<MemoryTable> byRow = bench.inParts({bench.column("s")}, PartsOrder::Rows, eachThird);
    REQUIRE(byRow);
    CHECK(byRow->columnCount() == 4);
    CHECK(byRow->rowCount() > 2500);
    CHECK(isAscending(byRow->column(0)));
    const Ref<MemoryTable> byNumber =
        bench.inParts({bench.column("k")}, PartsOrder::Keys, [&](const auto& part, auto& s) {
            const std::vector<OrderKey> order = {{part->column(1)}};
            s = sortPositions(order, part->rowCount());
            return part->gather(s.data(), std::ssize(s));
        });
    REQUIRE(byNumber);
    CHECK(isAscending(byNumber->column(1)));
    const Ref<MemoryTable> byText =
        bench.inParts({bench.column("s")}, PartsOrder::Keys, [&](const auto& part, auto& s) {
            const std::vector<OrderKey> order = {{part->column(2)}};
            s = sortPositions(order, part->rowCount());
            return part->gather(s.data(), std::ssize(s));
        });
    REQUIRE(byText);
    CHECK(isAscending(byText->column(2)));
    CHECK(byText->rowCount() == byNumber->rowCount());
}

TEST_CASE("parts whose results no file holds are not put together, and constants cut nothing") {
    Bench bench;
    const auto lists = [&](const Ref<MemoryTable>& part, std::vector<int32_t>& sources) {
        auto result = makeRef<MemoryTable>();
        result->setColumn("x", Value::of(makeRef<Tuple>(std::vector<Value>{part->column(0)})));
        sources.assign(1, 0);
        return result;
    };
    CHECK_FALSE(bench.inParts({bench.column("s")}, PartsOrder::Rows, lists));
    const TableSchema columns = bench.table->columns();
    CHECK_FALSE(areKeysOfParts({}));
    CHECK_FALSE(
        areKeysOfParts({bindProgram(makeRef<Constant>(Value::ofInt(1), SourcePosition{}), columns, bench.context)}));
}
