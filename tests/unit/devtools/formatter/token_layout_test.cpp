#include "devtools/formatter/token_layout.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

struct Layout {
    explicit Layout(std::string source) : text(std::move(source)), script(parseRecovering(text)) {
        places = placeTokens(text, script.tokens, script.ranges);
        REQUIRE(places.size() == script.tokens.size());
    }
    // The levels of the lines that have tokens.
    std::vector<int> levels() const {
        std::vector<int> found;
        for (size_t i = 0; i < places.size(); ++i) {
            if (script.tokens[i].kind != TokenKind::End && (i == 0 || script.tokens[i].newlineBefore))
                found.push_back(places[i].level);
        }
        return found;
    }
    const TokenPlace& of(std::string_view source, int which = 0) const {
        for (size_t i = 0; i < places.size(); ++i) {
            if (script.tokens[i].source == source && which-- == 0) return places[i];
        }
        FAIL("there is no such token");
        return places[0];
    }

    std::string text;
    RecoveredScript script;
    std::vector<TokenPlace> places;
};

using Levels = std::vector<int>;

}  // namespace

TEST_CASE("a block is one level further in, and several brackets of one line are one level") {
    CHECK(Layout("def f(x) {\nif (x) {\nreturn 1\n} else {\nreturn 2\n}\n}\n").levels() == Levels{0, 1, 2, 1, 2, 1, 0});
    CHECK(Layout("x = f(g([\n1,\n2\n]))\ny = 1\n").levels() == Levels{0, 1, 1, 0, 0});
}

TEST_CASE("the further lines of a statement are one level in, and its words of parts are not") {
    CHECK(Layout("x = 1 +\n2 +\n3\ny = 1\n").levels() == Levels{0, 1, 1, 0});
    CHECK(Layout("select a\nfrom t\nwhere b\n").levels() == Levels{0, 1, 1});
    CHECK(Layout("try {\nf()\n}\ncatch(e) {\ng()\n}\n").levels() == Levels{0, 1, 0, 0, 1, 0});
}

TEST_CASE("a body without braces is one level in") {
    CHECK(Layout("if (x)\ny = 1\nelse\ny = 2\nz = 3\n").levels() == Levels{0, 1, 0, 1, 0});
    CHECK(Layout("for (i in 1..3)\nif (i)\nf(i)\ng()\n").levels() == Levels{0, 1, 2, 0});
}

TEST_CASE("braces of statements are told from those of a dictionary") {
    const Layout layout("def f(x) { return {a: 1} }\ng = {}\nif (x) {}\n");
    CHECK(layout.of("{", 0).opensBlock);
    CHECK(!layout.of("{", 1).opensBlock);
    CHECK(!layout.of("{", 2).opensBlock);
    CHECK(layout.of("{", 3).opensBlock);
    CHECK(!layout.of("}", 0).closesBlock);
    CHECK(layout.of("}", 1).closesBlock);
    CHECK(layout.of("a").bracket == '{');
    CHECK(layout.of("x").bracket == '(');
    CHECK(layout.of("g").bracket == '\0');
}

TEST_CASE("each token knows its statement of the top level, and stray brackets do no harm") {
    const Layout layout("a = 1\nb = (2 + c)\nd = 3\n");
    CHECK(layout.of("a").statement == 0);
    CHECK(layout.of("c").statement == 1);
    CHECK(layout.of("d").statement == 2);
    CHECK(Layout(")\n}\n]\nx = 1\n").levels().size() == 4);
    CHECK(Layout("").levels().empty());
}
