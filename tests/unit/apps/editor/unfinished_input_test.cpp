#include "apps/editor/unfinished_input.h"

#include <catch2/catch.hpp>

#include "tests/unit/apps/console_session.h"

using namespace pelorus;

TEST_CASE("an input that stops in the middle of something is unfinished") {
    for (const char* text : {"def f(x) {", "x = (1,", "x = [1, 2", "x = 1 +", "\"open", "if (x) {\n    y = 1\n",
                             "/* a comment", "select a from"}) {
        INFO(text);
        CHECK(isUnfinished(text));
    }
}

TEST_CASE("a whole statement is finished, and so is one that is wrong") {
    for (const char* text : {"", "x = 1", "def f(x) { return x }", "x = )", "a b c", "// only a comment", "1 + 1;"}) {
        INFO(text);
        CHECK(!isUnfinished(text));
    }
}

TEST_CASE("columns wait for their table until an empty line or a semicolon, and values need none") {
    consoleSession();  // makes the functions known
    CHECK(isUnfinished("select a, b"));
    CHECK(isUnfinished("exec sum(price)"));
    CHECK(isUnfinished("select *"));
    CHECK(!isUnfinished("select a, b\n"));
    CHECK(!isUnfinished("select a, b;"));
    CHECK(!isUnfinished("select 1 + 1"));
    CHECK(!isUnfinished("select now()"));
    CHECK(!isUnfinished("select a from t"));
    CHECK(!isUnfinished("select a\nfrom t"));
}
