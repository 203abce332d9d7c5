#include "interpreter/parser/recovered_script.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

std::vector<int> linesOf(const std::vector<SyntaxError>& errors) {
    std::vector<int> lines;
    for (const SyntaxError& error : errors) lines.push_back(error.position.line);
    return lines;
}

}  // namespace

TEST_CASE("parsing goes on at the next statement after an error") {
    const std::string text = "a = = 1\nb = 2\nc = f(1,, ]\nd = 4";
    const RecoveredScript script = parseRecovering(text);
    REQUIRE(linesOf(script.errors) == std::vector<int>{1, 3});
    REQUIRE(script.statements.size() == 2);
    REQUIRE(script.ranges.size() == 4);
    REQUIRE(script.ranges[0].isRefused);
    REQUIRE_FALSE(script.ranges[1].isRefused);
}

TEST_CASE("an error in a block leaves the other statements of the block") {
    const std::string text = "def f(x) {\n    a = 1\n    b = ]\n    c = 3\n}\ny = 1";
    const RecoveredScript script = parseRecovering(text);
    REQUIRE(linesOf(script.errors) == std::vector<int>{3});
    REQUIRE(script.statements.size() == 2);
    REQUIRE(script.ranges.size() == 5);
    REQUIRE(script.ranges[1].parent == 0);
}

TEST_CASE("a bracket that stays open ends at a line that begins no further right") {
    const std::string text = "x = f(1, (2\ny = 2\nz = 3";
    const RecoveredScript script = parseRecovering(text);
    REQUIRE(script.errors.size() == 1);
    REQUIRE(script.statements.size() >= 1);
}

TEST_CASE("a block without an end keeps its statements") {
    const std::string text = "def f(x) {\n    a = 1\n";
    const RecoveredScript script = parseRecovering(text);
    REQUIRE(linesOf(script.errors) == std::vector<int>{1});
    REQUIRE(script.statements.size() == 1);
}

TEST_CASE("a string without an end ends with its line") {
    const std::string text = "x = \"abc\ny = 2";
    const RecoveredScript script = parseRecovering(text);
    REQUIRE(linesOf(script.errors) == std::vector<int>{1});
    REQUIRE(script.statements.size() == 1);
}

TEST_CASE("text without errors parses as it does at once") {
    const std::string text = "x = 1\ngo\ndef f(a) { return a }\nf(x)";
    REQUIRE(parseRecovering(text).errors.empty());
    REQUIRE(parseRecovering(text).statements.size() == parseScript(text).size());
}

TEST_CASE("the number of errors is limited") {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "x = = 1\n";
    REQUIRE(parseRecovering(text).errors.size() == kMaxErrors);
}
