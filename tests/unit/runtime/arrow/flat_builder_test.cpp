#include "runtime/arrow/flat_builder.h"

#include <catch2/catch.hpp>

#include "runtime/arrow/flat_view.h"

namespace pelorus::arrow {

TEST_CASE("fields of every kind are read back, and absent ones are told") {
    FlatBuilder child;
    child.addText(1, "child");
    FlatBuilder root;
    root.add(0, int16_t{-7});
    root.add(5, int64_t{1} << 40);
    root.addText(1, "a text");
    root.addTable(2, child);
    root.addTables(3, {child, FlatBuilder(), child});
    root.addStructs(4, std::string(32, 'x'), 2);
    const std::string bytes = root.finish();
    const FlatView view(bytes);
    CHECK(view.number<int16_t>(0, 0) == -7);
    CHECK(view.number<int64_t>(5, 0) == int64_t{1} << 40);
    CHECK(view.number<int32_t>(6, 42) == 42);
    CHECK(view.text(1) == "a text");
    CHECK(view.table(2).text(1) == "child");
    REQUIRE(view.tableCount(3) == 3);
    CHECK(view.tableAt(3, 2).text(1) == "child");
    CHECK(view.tableAt(3, 1).text(1).empty());
    CHECK(view.structs(4, 16) == std::string(32, 'x'));
    CHECK_FALSE(view.has(9));
    CHECK_THROWS_AS(view.table(9), SystemError);
}

}  // namespace pelorus::arrow
