#include "storage/row_table/row_references.h"

#include <catch2/catch.hpp>

#include "storage/row_table/row_table.h"

using namespace pelorus;

namespace {

template <class T>
RowCells cellsOf(T value) {
    RowCells cells;
    cells.add(RowCell(reinterpret_cast<const char*>(&value), sizeof value));
    return cells;
}

}  // namespace

TEST_CASE("a number is the same key in integers of any width, and none where it does not fit") {
    const RowColumns narrow{{Type::Short, 0}}, middle{{Type::Int, 0}}, wide{{Type::Long, 0}};
    CHECK((*inTypesOf(cellsOf<int16_t>(-7), narrow, wide))[0] == cellsOf<int64_t>(-7)[0]);
    CHECK((*inTypesOf(cellsOf<int64_t>(40000), wide, middle))[0] == cellsOf<int32_t>(40000)[0]);
    CHECK_FALSE(inTypesOf(cellsOf<int64_t>(40000), wide, narrow));
    CHECK_FALSE(inTypesOf(cellsOf<int32_t>(INT16_MIN), middle, narrow));  // there it is NULL
    CHECK(hasNullCell(cellsOf<int32_t>(INT32_MIN), middle));
    CHECK_FALSE(hasNullCell(cellsOf<int32_t>(0), middle));
}
