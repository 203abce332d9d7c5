#include "devtools/formatter/blank_rules.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

// The text of one line with the blanks that the rules want.
std::string spaced(std::string_view text) {
    const RecoveredScript script = parseRecovering(text);
    std::vector<Token> tokens = script.tokens;
    if (!tokens.empty() && tokens.back().kind == TokenKind::End) tokens.pop_back();
    const std::vector<TokenPlace> places = placeTokens(text, tokens, script.ranges);
    std::string line;
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (i > 0 && wantsBlank(tokens, places, i)) line += ' ';
        line += tokens[i].source;
    }
    return line;
}

}  // namespace

TEST_CASE("operators between operands get their blanks") {
    CHECK(spaced("x=a+b*c") == "x = a + b * c");
    CHECK(spaced("y=a==b&&c!=d") == "y = a == b && c != d");
    CHECK(spaced("x+=f(1)-(2)") == "x += f(1) - (2)");
    CHECK(spaced("z=x->x+1") == "z = x -> x + 1");
}

TEST_CASE("blanks that have a meaning stay as they are written") {
    // A vector of three numbers, a sign, a pair, a range, a pattern with its function.
    for (const char* text : {"x = 1 -2 3", "x = -1", "x = 1:3", "x = 1..3", "x = f:E y", "f (1)", "x = a -1"}) {
        CHECK(spaced(text) == text);
    }
}

TEST_CASE("commas and brackets have blanks on one side") {
    CHECK(spaced("f(a,b ,c)") == "f(a, b, c)");
    CHECK(spaced("x = [ 1,2 ]") == "x = [1, 2]");
    CHECK(spaced("x = [1, , 3]") == "x = [1, , 3]");
    CHECK(spaced("f( )") == "f()");
}

TEST_CASE("a keyword argument is as it is written, and an assignment is not") {
    CHECK(spaced("f(a=1, b = 2)") == "f(a=1, b = 2)");
    CHECK(spaced("x=f(a=1)") == "x = f(a=1)");
}

TEST_CASE("words of statements stand apart from their brackets, and blocks from their braces") {
    CHECK(spaced("if(x>1){y=2}else{y=3}") == "if (x > 1) { y = 2 } else { y = 3 }");
    CHECK(spaced("def f(x){}") == "def f(x) {}");
    CHECK(spaced("for(i in 1..3){f(i)}") == "for (i in 1..3) { f(i) }");
    CHECK(spaced("x = {a:1}") == "x = {a:1}");
}
