#include <catch2/catch.hpp>

#include "storage/table/local_table.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

Ref<MemoryTable> rowsOf(const std::vector<std::string>& symbols, const std::vector<int32_t>& dates) {
    const auto count = static_cast<int64_t>(symbols.size());
    return makeRef<MemoryTable>(
        std::vector<std::string>{"sym", "date", "id", "price"},
        std::vector<Value>{stringVector(symbols), intVector(dates, Type::Date), longVector(idsFrom(0, count)),
                           doubleVector(std::vector<double>(symbols.size(), 1))});
}

PartitionedRows cut(const Ref<MemoryTable>& rows, bool listNewValues = false) {
    TableEntry table = tradeTable();
    table.id = 9;
    return cutByPartition(*rows, table, tradeDatabase().scheme, listNewValues);
}

std::vector<int64_t> idsOf(const ChunkRows& chunk) {
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < chunk.rows->rowCount(); ++i) ids.push_back(chunk.rows->column(2).at(i).integer());
    return ids;
}

using Ids = std::vector<int64_t>;

}  // namespace

TEST_CASE("each partition gets its rows as they arrived, and partitions come in their order") {
    const PartitionedRows rows = cut(rowsOf({"XOM", "A", "XOM", "B", "A"}, {2, 1, 1, 1, 2}));
    REQUIRE(rows.chunks.size() == 4);
    CHECK(rows.report.written == 5);
    CHECK(rows.report.outsideScheme == 0);
    CHECK(idsOf(rows.chunks[0]) == Ids{1, 3});
    CHECK(idsOf(rows.chunks[1]) == Ids{2});
    CHECK(idsOf(rows.chunks[2]) == Ids{4});
    CHECK(idsOf(rows.chunks[3]) == Ids{0});
    CHECK(rows.chunks[0].table == 9);
    CHECK(rows.chunks[3].index == std::vector<int>{1, 1});
    // Rows in order already are slices of the table.
    const PartitionedRows sorted = cut(rowsOf({"A", "A", "XOM"}, {1, 1, 3}));
    REQUIRE(sorted.chunks.size() == 2);
    CHECK(idsOf(sorted.chunks[0]) == Ids{0, 1});
    CHECK(idsOf(sorted.chunks[1]) == Ids{2});
}

TEST_CASE("rows that no partition takes are counted, and the first one is described") {
    const PartitionedRows rows = cut(rowsOf({"A", "A", "A"}, {1, 9, 8}));
    CHECK(rows.report.written == 1);
    CHECK(rows.report.outsideScheme == 2);
    CHECK(rows.report.firstOutside == "row 1: date=1970.01.10, sym=A");
    CHECK(rows.newValues.empty());
    CHECK(cut(rowsOf({"zzzz"}, {1})).chunks.empty());
}

TEST_CASE("new values of a level of values are listed once, and NULL is none") {
    const PartitionedRows rows = cut(rowsOf({"A", "A", "A", "A"}, {9, 1, 9, null<int32_t>}), true);
    REQUIRE(rows.newValues.size() == 1);
    CHECK(rows.newValues[0].first == 0);
    CHECK(rows.newValues[0].second.integer() == 9);
    CHECK(rows.report.outsideScheme == 3);
}

TEST_CASE("a table without a scheme is one chunk, and no rows are none") {
    const PartitionedRows whole = cutByPartition(*rowsOf({"A", "B"}, {1, 99}), tradeTable(), PartitionScheme(), false);
    REQUIRE(whole.chunks.size() == 1);
    CHECK(whole.chunks[0].path == "/");
    CHECK(whole.chunks[0].index.empty());
    CHECK(whole.report.written == 2);
    CHECK(cut(rowsOf({}, {})).chunks.empty());
}
