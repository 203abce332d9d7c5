// Rows stand where their numbers say, whichever part comes first.
#include "sql/spill/placed_rows.h"

#include <catch2/catch.hpp>

#include "runtime/value/print.h"
#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

Value longs(const std::vector<int64_t>& numbers) {
    return Value::of(Vector::of(Type::Long, numbers));
}

}  // namespace

TEST_CASE("rows are put in their places") {
    PlacedRows rows(5);
    const MemoryTable late({"x", "s"}, {longs({40, 20}), Value::of(Vector::ofStrings({"e", "c"}))});
    const MemoryTable early({"x", "s"}, {longs({10, 0, 30}), Value::of(Vector::ofStrings({"b", "a", "d"}))});
    REQUIRE(rows.add(late, longs({4, 2})));
    REQUIRE(rows.add(early, longs({1, 0, 3})));
    const Ref<MemoryTable> table = rows.finish();
    CHECK(display(table->column(0)) == "[0,10,20,30,40]");
    CHECK(display(table->column(1)) == "[\"a\",\"b\",\"c\",\"d\",\"e\"]");
}

TEST_CASE("a column of another type, or of lists, is not placed") {
    PlacedRows rows(2);
    REQUIRE(rows.add(MemoryTable({"x"}, {longs({1})}), longs({0})));
    CHECK_FALSE(
        rows.add(MemoryTable({"x"}, {Value::of(Vector::of(Type::Double, std::vector<double>{1}))}), longs({1})));
    PlacedRows lists(1);
    CHECK_FALSE(lists.add(MemoryTable({"x"}, {Value::of(makeRef<Tuple>(std::vector<Value>{longs({1})}))}), longs({0})));
}
