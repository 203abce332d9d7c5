#include "storage/rows/row_key_index.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace pelorus;

static RowCells cellsOf(int32_t number) {
    RowCells cells;
    cells.add({reinterpret_cast<const char*>(&number), sizeof number});
    return cells;
}

TEST_CASE("an index holds what a set of pairs holds, in the same order") {
    const RowColumns columns = {{Type::Int, 0}, {Type::String, 0}};
    for (const int column : {0, 1}) {
        RowKeyIndex index({"i", {column}, false}, columns);
        const LatchWriter latch(index.latch());
        std::set<std::pair<std::string, uint64_t>> expected;
        std::mt19937 random(7);
        for (int step = 0; step < 3000; ++step) {
            RowCells cells;
            if (column == 0)
                cells = cellsOf(static_cast<int32_t>(random() % 40));
            else
                cells.add("common beginning of all keys " + std::to_string(random() % 40));
            const std::string key = index.keyOf(cells);
            const uint64_t row = random() % 5;
            if (random() % 3 != 0) {
                CHECK(index.add(key, row) == expected.emplace(key, row).second);
            } else {
                index.erase(key, row);
                expected.erase({key, row});
            }
        }
        CHECK(index.size() == expected.size());
        std::vector<RowKeyIndex::Entry> entries;
        index.entriesFrom("", 0, SIZE_MAX, entries);
        REQUIRE(entries.size() == expected.size());
        size_t i = 0;
        for (const auto& [key, row] : expected) {
            CHECK((entries[i].key == key && entries[i].row == row));
            ++i;
            CHECK(index.rowsWith(key).size() > 0);
        }
    }
}

TEST_CASE("a walk in pieces goes on behind the last entry") {
    RowKeyIndex index({"i", {0}, true}, {{Type::Int, 0}});
    const LatchWriter latch(index.latch());
    for (int i = 0; i < 10; ++i) index.add(index.keyOf(cellsOf(i / 2)), static_cast<uint64_t>(i));
    std::vector<RowKeyIndex::Entry> entries;
    std::vector<uint64_t> rows;
    std::string key;
    uint64_t from = 0;
    do {
        entries.clear();
        index.entriesFrom(key, from, 3, entries);
        for (const auto& entry : entries) rows.push_back(entry.row);
        if (!entries.empty()) {
            key = entries.back().key;
            from = entries.back().row + 1;
        }
    } while (entries.size() == 3);
    CHECK(rows == std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("an index knows keys that uniqueness does not concern") {
    RowKeyIndex index({"i", {0}, true}, {{Type::Int, 0}});
    CHECK(index.hasNull(cellsOf(INT32_MIN)));
    CHECK_FALSE(index.hasNull(cellsOf(0)));
}
