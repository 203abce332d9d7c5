#include "storage/catalog/sort_rule.h"

#include <catch2/catch.hpp>

#include "storage/catalog/catalog.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;
using Keep = SortRule::Keep;

namespace {

using Positions = std::optional<std::vector<int32_t>>;

Positions positions(std::vector<int32_t> expected) {
    return expected;
}

Positions of(const std::vector<Value>& keys, Keep keep) {
    return orderedPositions(keys, keep, keys[0].size());
}

}  // namespace

TEST_CASE("rows are ordered by their keys, and equal ones stay as they arrived") {
    const Value symbols = stringVector({"B", "A", "B", "A"}), times = longVector({2, 9, 1, 9});
    CHECK(of({symbols, times}, Keep::All) == positions({1, 3, 2, 0}));
    CHECK(of({symbols}, Keep::All) == positions({1, 3, 0, 2}));
}

TEST_CASE("rows that are in order already need no positions") {
    CHECK(of({longVector({1, 1, 2})}, Keep::All) == std::nullopt);
    CHECK(of({longVector({1, 2, 3})}, Keep::First) == std::nullopt);
    CHECK(of({longVector({})}, Keep::Last) == std::nullopt);
}

TEST_CASE("of rows with equal keys the first or the last that arrived counts") {
    const Value keys = longVector({5, 3, 5, 3, 4});
    CHECK(of({keys}, Keep::First) == positions({1, 4, 0}));
    CHECK(of({keys}, Keep::Last) == positions({3, 4, 2}));
    CHECK(of({longVector({1, 1, 1})}, Keep::Last) == positions({2}));
    // NULL is a key like others, and strings are compared by their bytes.
    CHECK(of({longVector({null<int64_t>, 1, null<int64_t>})}, Keep::First) == positions({0, 1}));
    CHECK(of({stringVector({"a", "b", "a"}, Type::String)}, Keep::Last) == positions({2, 1}));
}

TEST_CASE("the rule of a table names its columns by their positions") {
    TableEntry table = tradeTable();
    CHECK(!sortRuleOf(table).isOrdered());
    table.sortColumns = {"id", "sym", "gone"};
    table.keepDuplicates = "LAST";
    const SortRule rule = sortRuleOf(table);
    CHECK(rule.columns == std::vector<int>{2, 0});
    CHECK(rule.keep == Keep::Last);
    const Ref<MemoryTable> rows = trades(0, 4)->gather(std::vector<int32_t>{3, 1, 3, 0}.data(), 4);
    const Ref<MemoryTable> inOrder = ordered(rows, rule);
    REQUIRE(inOrder->rowCount() == 3);
    CHECK(inOrder->column(2).at(0).integer() == 0);
    CHECK(inOrder->column(2).at(2).integer() == 3);
    CHECK(ordered(rows, SortRule()) == rows);
}
