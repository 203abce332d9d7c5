#include "devtools/lsp/outline.h"

#include <catch2/catch.hpp>

#include "tests/support/script_document.h"

using namespace pelorus;
using pelorus::testing::ScriptDocument;

namespace {

std::vector<std::string> namesOf(const Json& symbols) {
    std::vector<std::string> names;
    for (const Json& symbol : symbols) names.push_back(symbol.at("name"));
    return names;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("the outline has functions, classes with their methods, and variables of the top level") {
    ScriptDocument script(
        "limit = 3\n"
        "def f(x, y=1) {\n    inner = x\n    return inner\n}\n"
        "class Counter {\n    total :: INT\n    def Counter() { total = 0 }\n    def more(n) { total += n }\n}\n");
    const Json outline = documentSymbols(script.view());
    REQUIRE(namesOf(outline) == Strings{"limit", "f", "Counter"});
    CHECK(outline[0]["kind"] == 13);
    CHECK(outline[1]["kind"] == 12);
    CHECK(outline[1]["detail"].get<std::string>().starts_with("f(x, "));
    CHECK(script.textOf(outline[1]["selectionRange"]) == "f");
    CHECK(script.textOf(outline[1]["range"]).starts_with("def f(x"));
    CHECK(script.textOf(outline[1]["range"]).ends_with("}"));
    CHECK(outline[2]["kind"] == 5);
    const Strings methods = namesOf(outline[2]["children"]);
    CHECK(std::find(methods.begin(), methods.end(), "more") != methods.end());
    CHECK(documentSymbols(ScriptDocument("").view()) == Json::array());
}

TEST_CASE("functions of the workspace are found by some of their letters in order") {
    ScriptDocument script("def priceOf(x) { return x }\nprices = 1\n");
    script.withOther("file:///scripts/z.dos", "module desk::p\ndef putInCorner(x) { return x }\n");
    script.view();
    const auto found = [&](const char* query) {
        return namesOf(workspaceSymbols(script.workspace, {{"query", query}}));
    };
    CHECK(found("PIC") == Strings{"priceOf", "putInCorner"});
    CHECK(found("pof") == Strings{"priceOf"});
    CHECK(found("") == Strings{"priceOf", "putInCorner"});
    CHECK(found("fop").empty());
    const Json symbol = workspaceSymbols(script.workspace, {{"query", "corner"}})[0];
    CHECK(symbol["containerName"] == "desk::p");
    CHECK(symbol["location"]["uri"] == "file:///scripts/z.dos");
    CHECK(symbol["location"]["range"]["start"]["line"] == 1);
    CHECK_THROWS_WITH(workspaceSymbols(script.workspace, Json::object()), "The parameters lack query.");
}

TEST_CASE("brackets and comments of several lines fold, and the closing bracket stays in sight") {
    ScriptDocument script(
        "/* one\n   two */\n"
        "// a\n// b\n\n// alone\n"
        "def f(x) {\n    y = [1,\n        2]\n    return y\n}\n"
        "g = (1, 2)\n");
    std::vector<std::string> folded;
    for (const Json& range : foldingRanges(script.view())) {
        folded.push_back(range["startLine"].dump() + "-" + range["endLine"].dump() +
                         (range.contains("kind") ? " " + range["kind"].get<std::string>() : ""));
    }
    std::sort(folded.begin(), folded.end());
    CHECK(folded == Strings{"0-1 comment", "2-3 comment", "6-9"});
    CHECK(foldingRanges(ScriptDocument("/* open\n").view()).is_array());
    CHECK(foldingRanges(ScriptDocument("}}])\n").view()) == Json::array());
}
