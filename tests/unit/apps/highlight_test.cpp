#include "devtools/editing/highlight.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "tests/unit/apps/console_session.h"

using namespace pelorus;

namespace {

// One letter per byte: k(eyword), f(unction), s(tring), y for symbols, n(umber), c(omment), m(atching), u(nmatched).
std::string stylesOf(std::string_view text, size_t cursor = std::string::npos) {
    constexpr std::string_view kLetters = ".kfsyncmu";
    std::string letters;
    for (const TextStyle style : highlight(text, cursor, consoleSession().names()).styles) {
        letters += kLetters[static_cast<size_t>(style)];
    }
    return letters;
}

std::string openOf(std::string_view text) {
    std::string open;
    for (const char c : highlight(text, text.size(), consoleSession().names()).open) open += c ? c : '.';
    return open;
}

}  // namespace

TEST_CASE("names, literals and comments have their colours") {
    REQUIRE(stylesOf("x = mavg(1 2, 3) // a") == "....ffff.n.n..n..cccc");
    REQUIRE(stylesOf("for (i in 1..3) {}") == "kkk....ff.n..n....");
    REQUIRE(stylesOf("d = 2024.01.02 + `ab") == "....nnnnnnnnnn...yyy");
    REQUIRE(stylesOf("s = \"a b\"") == "....sssss");
    REQUIRE(stylesOf("nosuchname(1)") == "...........n.");
}

TEST_CASE("functions of scripts have the colour of functions and variables none") {
    runInSession("def ownFunction(x) { return x }\n abs1 = 1");
    REQUIRE(stylesOf("ownFunction(abs1)") == "fffffffffff......");
}

TEST_CASE("clause words are keywords inside of queries only") {
    REQUIRE(stylesOf("select a from t where b") == "kkkkkk...kkkk...kkkkk..");
    REQUIRE(stylesOf("left(s, 1)") == "ffff....n.");
    REQUIRE(stylesOf("select a from t\nx = limit") == "kkkkkk...kkkk............");
}

TEST_CASE("the bracket at the cursor shows its pair") {
    REQUIRE(stylesOf("(a)", 0) == "m.m");
    REQUIRE(stylesOf("(a)", 3) == "m.m");
    REQUIRE(stylesOf("((a))", 4) == "m...m");
    REQUIRE(stylesOf("(a]", 9) == "u.u");
    REQUIRE(stylesOf("(a", 9) == "..");
}

TEST_CASE("text without an end keeps its colour") {
    REQUIRE(stylesOf("\"abc") == "ssss");
    REQUIRE(stylesOf("/* a\nb") == "cccccc");
    REQUIRE(stylesOf("1 ~ _ 2") == "n.....n");
}

TEST_CASE("each line knows what is open where it begins") {
    REQUIRE(openOf("f(\n{\n\"a\nb\"\n}\n)\n") == ".({\"{(.");
    REQUIRE(openOf("a /* b\nc */\nd") == ".*.");
    REQUIRE(openOf("") == ".");
}

TEST_CASE("five thousand characters are coloured in a millisecond") {
    std::string text;
    while (text.size() < 5000)
        text += "t1 = select mavg(price, 10) as m from quotes where sym = `IBM, date > 2024.01.02\n";
    auto least = std::chrono::nanoseconds::max();
    for (int i = 0; i < 20; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        const Highlighting result = highlight(text, text.size(), consoleSession().names());
        least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - begin);
        REQUIRE(result.styles.size() == text.size());
    }
    INFO("microseconds: " << least.count() / 1000);
    CHECK(least <
          std::chrono::milliseconds(5));  // 0.2 ms; more for sanitizers and machines that do something else, too
}
