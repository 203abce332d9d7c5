#include "streaming/builtins/cache_bounds.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("bounds of a cache are a number of rows or three of time, or none where none is needed") {
    const Ref<MemoryTable> table = MemoryTable::empty({{"t", Type::Timestamp}});
    const Value size = Value::ofInt(500), none = Value();
    std::vector<Value> bySize = {size, none, none, none}, byNothing = {none, none, none, none};
    REQUIRE(cacheBoundsGiven(bySize, 0, 1, *table, true).rows == 1000);
    REQUIRE(cacheBoundsGiven(byNothing, 0, 1, *table, false).rows == 0);
    REQUIRE_THROWS_AS(cacheBoundsGiven(byNothing, 0, 1, *table, true), UserError);
    std::vector<Value> half = {none, Value::ofString("t"), none, none};
    REQUIRE_THROWS_AS(cacheBoundsGiven(half, 0, 1, *table, false), UserError);
}
