// Descriptions one by one.
#include "stdlib/instruments/each_described.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/instruments/descriptions.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a description is itself or JSON, alone or one of several") {
    (void)called("abs", {Value::ofInt(1)});  // fills the registry
    TestContext test;
    CHECK(memberOf(describedBy(test.context, text(R"({"a": "b"})"), 0), "a").string() == "b");
    CHECK(describedBy(test.context, bondOf(), 0).isDictionary());
    CHECK_THROWS_AS(describedBy(test.context, text("3"), 0), UserError);
    const auto count = [](const Value&) { return Value::ofInt(1); };
    CHECK(mapDescribed(test.context, bondOf(), count).asLong() == 1);
    CHECK(mapDescribed(test.context, tupleOf({bondOf(), bondOf()}), count).size() == 2);
}
