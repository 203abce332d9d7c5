#include "streaming/builtins/given.h"

#include <catch2/catch.hpp>

#include "common/error.h"

namespace pelorus {

TEST_CASE("arguments are read or refused by the name of their parameter") {
    std::vector<Value> a{Value::ofString("t1"), Value::ofInt(5), Value(), Value::ofString("1t"), Value::ofBool(true)};
    REQUIRE(textGiven(a, 0, "name") == "t1");
    REQUIRE(identifierGiven(a, 0, "name") == "t1");
    REQUIRE(integerGiven(a, 1, "n", 0, 0) == 5);
    REQUIRE(integerGiven(a, 2, "n", 7, 0) == 7);
    REQUIRE(integerGiven(a, 9, "n", 7, 0) == 7);
    REQUIRE(flagGiven(a, 4, "flag", false));
    REQUIRE(namesGiven(a, 0, "names") == std::vector<std::string>{"t1"});
    REQUIRE_THROWS_AS(textGiven(a, 1, "name"), UserError);
    REQUIRE_THROWS_AS(identifierGiven(a, 3, "name"), UserError);
    REQUIRE_THROWS_AS(integerGiven(a, 1, "n", 0, 6), UserError);
    REQUIRE_THROWS_AS(integerGiven(a, 1, "n", 0, 0, 4), UserError);
    REQUIRE_THROWS_AS(integerGiven(a, 0, "n", 0, 0), UserError);
    REQUIRE_THROWS_AS(flagGiven(a, 0, "flag", false), UserError);
    REQUIRE_THROWS_AS(namesGiven(a, 1, "names"), UserError);
    REQUIRE_THROWS_AS(streamTableGiven(a, 1, "table"), UserError);
}

}  // namespace pelorus
