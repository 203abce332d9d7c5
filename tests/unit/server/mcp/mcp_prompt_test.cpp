// The places of prompts.
#include "server/mcp/mcp_prompt.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("the places of a prompt are filled once") {
    CHECK(mcpPlaces("${a} and ${b_2}, ${a}") == std::vector<std::string>{"a", "b_2"});
    CHECK(mcpFilled("${a} and ${b}, ${a}", {{"a", "${b}"}, {"b", "x"}}) == "${b} and x, ${b}");
}

TEST_CASE("what is no place of a prompt is text") {
    for (const char* text : {"", "$", "${", "${}", "${a b}", "{a}", "$a", "a}", "${a-b}"}) {
        CHECK(mcpPlaces(text).empty());
        CHECK(mcpFilled(text, {}) == text);
    }
    CHECK(mcpFilled("${${a}", {{"a", "x"}}) == "${x");
}

TEST_CASE("missing, unknown and endless arguments of a prompt are refused") {
    CHECK_THROWS_WITH(mcpFilled("${a}", {}), "The argument a of the prompt is missing.");
    CHECK_THROWS_WITH(mcpFilled("a", {{"b", ""}}), "The prompt has no place ${b}.");
    std::string many;
    for (int i = 0; i < 100; ++i) many += "${a}";
    CHECK_THROWS_AS(mcpFilled(many, {{"a", std::string(100'000, 'x')}}), UserError);
}
