#include "devtools/lsp/semantic_tokens.h"

#include <catch2/catch.hpp>

#include "tests/support/language_functions.h"
#include "tests/support/script_document.h"

using namespace pelorus;
using pelorus::testing::ScriptDocument;

namespace {

// "text kind modifiers" of each token, in order.
std::vector<std::string> tokensOf(ScriptDocument& script, int64_t first = 0, int64_t end = INT64_MAX) {
    testing::knowLanguageFunctions();
    const Json legend = semanticTokensLegend();
    const Json data = semanticTokens(script.view(), first, end).at("data");
    REQUIRE(data.size() % 5 == 0);
    std::vector<std::string> tokens;
    int64_t line = 0, character = 0;
    for (size_t i = 0; i < data.size(); i += 5) {
        const auto lines = data[i].get<int64_t>(), characters = data[i + 1].get<int64_t>();
        CHECK((lines > 0 || characters > 0 || i == 0));
        line += lines;
        character = lines > 0 ? characters : character + characters;
        const Json range = {{"start", {{"line", line}, {"character", character}}},
                            {"end", {{"line", line}, {"character", character + data[i + 2].get<int64_t>()}}}};
        std::string token =
            script.textOf(range) + " " + legend["tokenTypes"].at(data[i + 3].get<size_t>()).get<std::string>();
        for (size_t bit = 0; bit < legend["tokenModifiers"].size(); ++bit) {
            if (data[i + 4].get<int64_t>() >> bit & 1) token += " " + legend["tokenModifiers"][bit].get<std::string>();
        }
        tokens.push_back(token);
    }
    return tokens;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("names have the colours of what they mean") {
    ScriptDocument script("def f(x) { return x + sum(x) }\ny = f(2)\n");
    CHECK(tokensOf(script) == Strings{"def keyword", "f function definition", "x parameter definition",
                                      "return keyword", "x parameter", "sum function defaultLibrary", "x parameter",
                                      "y variable definition", "f function", "2 number"});
}

TEST_CASE("columns of a query are properties, and the table is not") {
    ScriptDocument script("t = table(1 2 as sum, 3 4 as b)\nselect sum, b from t\n");
    const Strings tokens = tokensOf(script);
    CHECK(std::count(tokens.begin(), tokens.end(), "b property") == 1);
    CHECK(std::count(tokens.begin(), tokens.end(), "sum property") == 1);
    CHECK(std::count(tokens.begin(), tokens.end(), "t variable") == 1);
}

TEST_CASE("a comment of several lines is one token a line, without the ends of lines") {
    ScriptDocument script("/* one\r\n\r\ntwo */\n// three\n");
    CHECK(tokensOf(script) == Strings{"/* one comment", "two */ comment", "// three comment"});
}

TEST_CASE("for some lines there are their tokens alone, counted from the beginning of the text") {
    ScriptDocument script("a = 1\nb = 2\nc = 3\n");
    CHECK(tokensOf(script, 1, 2) == Strings{"b variable definition", "2 number"});
    CHECK(tokensOf(script, 7, 9).empty());
    ScriptDocument empty("");
    CHECK(tokensOf(empty).empty());
}
