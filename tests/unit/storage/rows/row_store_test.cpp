#include "storage/rows/row_store.h"

#include <catch2/catch.hpp>

#include "row_samples.h"

using namespace pelorus;

TEST_CASE("a store names the first log file with changes of a table that exists") {
    RowStore store([] { return 1; }, [](uint64_t) { return 1; });
    CHECK(store.beginLogFile(3).firstFile == 0);
    store.make(10, kSampleColumns);
    CHECK(store.beginLogFile(4).firstFile == 3);
    store.make(11, kSampleColumns);
    CHECK(store.beginLogFile(5).firstFile == 3);
    store.drop(10);
    CHECK(store.beginLogFile(6).firstFile == 4);
    store.drop(11);
    CHECK(store.beginLogFile(7).firstFile == 0);
    CHECK(store.find(11) == nullptr);
}

TEST_CASE("replayed changes make the table, and columns that came later") {
    RowStore store([] { return 9; }, [](uint64_t) { return 9; });
    RowEdits edits{5, {{Type::Int, 0}}, {}};
    RowChange& change = edits.changes.emplace_back();
    change.row = 2000;
    change.columns = {0};
    change.cells.add(SampleRow(7, "").numberCell());
    store.replay(9, edits);
    store.endReplay(2);
    const auto rows = store.make(5, kSampleColumns);
    RowCells cells;
    REQUIRE(rows->part->read(2000, {9}, {0, 1}, cells));
    CHECK(numberIn(cells[0]) == 7);
    CHECK(cells[1].empty());
    CHECK(store.reads().keeps(9));
    CHECK_FALSE(store.reads().keeps(8));  // versions from before the start are gone
    store.purge(0);
}
