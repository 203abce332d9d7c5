#include "devtools/formatter/format_script.h"

#include <catch2/catch.hpp>

#include "interpreter/parser/parser.h"

using namespace pelorus;

TEST_CASE("blocks are indented by their brackets") {
    REQUIRE(formatScript("def f(x){\nif(x>1){\nreturn x+1\n}else{\ny=x*2\nreturn y\n}\n}\n") ==
            "def f(x) {\n    if (x > 1) {\n        return x + 1\n    } else {\n        y = x * 2\n        return y\n   "
            " }\n}\n");
}

TEST_CASE("further lines of a statement are indented by one level") {
    REQUIRE(formatScript("select a,\nb from t\nwhere a>1,b<6\n") ==
            "select a,\n    b from t\n    where a > 1, b < 6\n");
    REQUIRE(formatScript("x = f(\n1,\n[2,\n3]\n)\n") == "x = f(\n    1,\n    [2,\n        3]\n)\n");
}

TEST_CASE("a body without braces is indented, the function behind an annotation is not") {
    REQUIRE(formatScript("if (x)\ny = 1\nelse\ny = 2\n") == "if (x)\n    y = 1\nelse\n    y = 2\n");
    REQUIRE(formatScript("@jit\ndef f(x) {\nreturn x\n}\n") == "@jit\ndef f(x) {\n    return x\n}\n");
}

TEST_CASE("comments keep their text and their distance") {
    REQUIRE(formatScript("/* a\n   b */\nx=1   // one  \n\n\n\n    // two\ny=2") ==
            "/* a\n   b */\nx = 1   // one\n\n// two\ny = 2\n");
    REQUIRE(formatScript("def f() {\n// inside\nreturn 1\n// last\n}\n") ==
            "def f() {\n    // inside\n    return 1\n    // last\n}\n");
    REQUIRE(formatScript("#!/usr/bin/env pelorus\nx=1\n") == "#!/usr/bin/env pelorus\nx = 1\n");
}

TEST_CASE("blanks that have a meaning stay") {
    // A vector of three, a difference, a call with a tuple, metacode, a pair, a pattern.
    for (const char* text : {"x = 1 -2 3\n", "x = a -1\n", "f (1, 2)\n", "x = <a + b>\n", "x = 1:3\n", "x = f:E y\n",
                             "x = [1, , 3]\n", "x = \"a  b\"\n", "f(a=1, b = 2)\n", "x = a ? b : c\n"}) {
        INFO(text);
        REQUIRE(formatScript(text) == text);
    }
}

TEST_CASE("text without code stays empty or a comment") {
    REQUIRE(formatScript("") == "");
    REQUIRE(formatScript("\n\n  \n") == "");
    REQUIRE(formatScript("  // only\n\n\n") == "// only\n");
}

TEST_CASE("carriage returns at the ends of lines go") {
    REQUIRE(formatScript("x=1\r\ny=2\r\n") == "x = 1\ny = 2\n");
}

TEST_CASE("text with an error of syntax is refused with its place") {
    try {
        formatScript("x = 1\ny = (\n");
        FAIL("it was formatted");
    } catch (const SyntaxError& e) {
        REQUIRE(e.position.line == 3);
    }
}
