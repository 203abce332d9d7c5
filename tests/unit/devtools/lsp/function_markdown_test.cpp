#include "devtools/lsp/function_markdown.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

Value noValue(Context&, Arguments) {
    return {};
}

const BuiltinFunction& registered(const std::string& signature, const FunctionDoc& doc) {
    FunctionRegistry& registry = FunctionRegistry::instance();
    registry.add(signature, noValue, doc, kReadsBeforeLogin);
    return *registry.find(signature.substr(0, signature.find('(')));
}

}  // namespace

TEST_CASE("every part of the documentation has its head, and the parameters are a list") {
    FunctionDoc doc{.summary = "Mean of what is in a window."};
    doc.parameters = "X: the values\nwindow: how many, 1 or more\nsee also mean";
    doc.units = "those of X";
    doc.nulls = "are left out";
    doc.errors = "window is 0.";
    doc.complexity = "O(n)";
    doc.source = "a textbook";
    doc.example = "shownMean(1 2, 2) -> [,1.5]";
    const BuiltinFunction& function = registered("shownMean(X, window)", doc);
    CHECK(shortMarkdownOf(function) ==
          "Mean of what is in a window.\n\n- `X`: the values\n- `window`: how many, 1 or more\n  see also mean\n");
    CHECK(markdownOf(function) ==
          "```dos\nshownMean(X, window)\n```\n\n" + shortMarkdownOf(function) +
              "\n\n**Units:** those of X\n\n**NULL:** are left out\n\n**Errors:** window is 0.\n\n**Complexity:** O(n)"
              "\n\n**Source:** a textbook\n\n```dos\nshownMean(1 2, 2) -> [,1.5]\n```");
}

TEST_CASE("what the documentation lacks leaves no head behind") {
    const BuiltinFunction& function = registered("shownPlainly()", {.summary = "Nothing at all."});
    CHECK(shortMarkdownOf(function) == "Nothing at all.");
    CHECK(markdownOf(function) == "```dos\nshownPlainly()\n```\n\nNothing at all.");
}
