#include "interpreter/parser/lexer.h"

#include <catch2/catch.hpp>
#include <string>

#include "interpreter/parser/parser.h"

using namespace pelorus;

namespace {

// Returns the sources of the tokens, with ! before invalid and ~ before unfinished ones.
std::string scanned(std::string_view text) {
    std::string sources;
    for (const Token& token : scanTokens(text)) {
        if (token.kind == TokenKind::Invalid) sources += '!';
        if (token.kind == TokenKind::Unfinished) sources += '~';
        sources += std::string(token.source) + '|';
    }
    return sources;
}

}  // namespace

TEST_CASE("text that is being written has tokens, too") {
    REQUIRE(scanned("x = \"a b") == "x|=|~\"a b||");
    REQUIRE(scanned("x /* y") == "x|~/* y||");
    REQUIRE(scanned("1 ~ _ 2") == "1|!~|!_|2||");
    REQUIRE(scanned("_\"a") == "~_\"a||");
    REQUIRE(scanned("") == "|");
    REQUIRE(scanned(std::string_view("a\0b", 3)) == std::string("a|!\0|b||", 8));
}

TEST_CASE("whole text has the same tokens when it is scanned") {
    const std::string_view text = "def f(x) { return x + `a.b, 2024.01.02 } // f\nselect * from t where s = \"x\"";
    const std::vector<Token> whole = tokenize(text), scan = scanTokens(text);
    REQUIRE(whole.size() == scan.size());
    for (size_t i = 0; i < whole.size(); ++i) {
        REQUIRE(whole[i].kind == scan[i].kind);
        REQUIRE(whole[i].source == scan[i].source);
        REQUIRE(whole[i].newlineBefore == scan[i].newlineBefore);
    }
    REQUIRE_THROWS_AS(tokenize("\"a"), SyntaxError);
}
