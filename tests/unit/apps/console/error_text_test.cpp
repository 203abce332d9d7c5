#include "apps/console/error_text.h"

#include <catch2/catch.hpp>

#include "interpreter/parser/parser.h"
#include "interpreter/vm/vm.h"

using namespace pelorus;

namespace {

// The text of the script's syntax error.
std::string refusal(std::string_view name, const std::string& script, bool hasColors = false) {
    try {
        parseScript(script);
    } catch (const std::exception& error) {
        return errorText(error, name, script, hasColors);
    }
    return "it parses";
}

bool hasLines(const std::string& text, const std::string& lines) {
    return text.find(lines) != std::string::npos;
}

}  // namespace

TEST_CASE("an error has its place, its line, and a caret under the character") {
    const std::string text = refusal("load.dos", "a = 1\nb = a +* 2\n");
    CHECK(text.starts_with("load.dos:2:"));
    CHECK(hasLines(text, "\n    b = a +* 2\n    "));
    const size_t caret = text.find('^'), line = text.rfind('\n', caret) + 1;
    REQUIRE(caret != std::string::npos);
    CHECK(std::string("    b = a +* 2")[caret - line] == '*');
    CHECK(refusal("", "b = a +* 2").starts_with("Error at 1:"));
}

TEST_CASE("the caret stands under the character behind tabs and wide ones, too") {
    // A tab stays one; each of the two characters has three bytes and two columns.
    const std::string text = refusal("", "\tx = \"\u4e2d\u6587\" +* 2");
    CHECK(hasLines(text, "\n    \tx = \"\u4e2d\u6587\" +* 2\n    \t            ^"));
}

TEST_CASE("an error without a place has a message and what to do") {
    const UserError error("The disk is full.", "Remove something.");
    CHECK(errorText(error, "", "") == "Error: The disk is full.\nRemove something.");
    CHECK(errorText(error, "load.dos", "x") == "load.dos: The disk is full.\nRemove something.");
    CHECK(errorText(std::runtime_error("odd"), "", "") == "Error: odd");
    CHECK(errorText(error, "", "", true) ==
          "\033[1;31mError:\033[0m The disk is full.\n\033[36mRemove something.\033[0m");
}

TEST_CASE("a place that the script does not have shows no line") {
    try {
        parseScript("b = a +* 2");
        FAIL("it parses");
    } catch (const std::exception& error) {
        const std::string text = errorText(error, "other.dos", "");
        CHECK(text.starts_with("other.dos:1:"));
        CHECK(text.find('^') == std::string::npos);
    }
}
