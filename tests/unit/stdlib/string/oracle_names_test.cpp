// Oracle's names for functions.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("decode takes the first search that is equal, and the default else") {
    const Value result =
        calledWith("decode", {Value::ofInt(2), Value::ofInt(1), text("one"), Value::ofInt(2), text("two")});
    CHECK(result.string() == "two");
    CHECK(calledWith("decode", {Value::ofInt(9), Value::ofInt(1), text("one"), text("more")}).string() == "more");
}

TEST_CASE("places of a part count from 1, and from the end where the position is below 0") {
    CHECK(called("instr", {text("banana"), text("an"), Value::ofInt(1), Value::ofInt(2)}).integer() == 4);
    CHECK(called("instr", {text("banana"), text("an"), Value::ofInt(-1), Value::ofInt(1)}).integer() == 4);
    CHECK(called("instr", {text("banana"), text("x")}).integer() == 0);
}

TEST_CASE("letters beyond ASCII are written as their UTF-16") {
    CHECK(called("asciistr", {text("a\xC3\xA4")}).string() == "a\\00E4");
    CHECK(called("asciistr", {text("\xF0\x9F\x98\x80")}).string() == "\\D83D\\DE00");
}

TEST_CASE("the elements of a group are joined without NULL") {
    CHECK(called("listagg", {numbers({1, null<double>, 3}), text("-")}).string() == "1-3");
    CHECK(called("trunc", {Value::ofDouble(-12.789), Value::ofInt(1)}).real() == -12.7);
}
