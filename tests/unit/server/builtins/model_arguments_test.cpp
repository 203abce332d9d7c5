// The arguments of the built-ins about tools and prompts.
#include "server/builtins/model_arguments.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/function/function.h"
#include "runtime/value/vector.h"

using namespace pelorus;

TEST_CASE("texts are one or several, and nothing else") {
    CHECK(textsArgument(Value::ofString("a"), 0, "names") == std::vector<std::string>{"a"});
    CHECK(textsArgument(Value::of(Vector::ofStrings({"a", "b"})), 0, "names").size() == 2);
    CHECK(textsArgument(Value::of(Vector::make(Type::Double, 0)), 0, "names").empty());
    CHECK_THROWS_AS(textsArgument(Value::ofInt(1), 0, "names"), UserError);
    CHECK_THROWS_AS(textsArgument(Value::of(Vector::make(Type::Int, 2)), 0, "names"), UserError);
    CHECK_THROWS_AS(textArgument(Value::ofString("abc"), 0, "message", 2), UserError);
    CHECK(textArgument(omitted(), 0, "message", 2).empty());
}

TEST_CASE("an empty text leaves what is there, and a blank takes it away") {
    std::string text = "before";
    changeText(text, "");
    CHECK(text == "before");
    changeText(text, "after");
    CHECK(text == "after");
    changeText(text, " ");
    CHECK(text.empty());
}

TEST_CASE("names of tools are those that models can call") {
    CHECK(entryName(Value::ofString("a.b-c_1"), McpEntry::Kind::Tool) == "a.b-c_1");
    CHECK(entryName(Value::ofString("explore"), McpEntry::Kind::Tool) == "explore");
    CHECK_THROWS_AS(entryName(Value::ofString("explore"), McpEntry::Kind::Prompt), UserError);
    CHECK_THROWS_AS(entryName(Value::ofString("é"), McpEntry::Kind::Tool), UserError);
    CHECK_THROWS_AS(entryName(Value::ofInt(1), McpEntry::Kind::Tool), UserError);
}
