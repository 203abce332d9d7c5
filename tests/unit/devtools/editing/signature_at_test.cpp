#include "devtools/editing/signature_at.h"

#include <catch2/catch.hpp>

#include "tests/support/language_functions.h"

using namespace pelorus;

namespace {

std::vector<Token> tokensOf(std::string_view text) {
    std::vector<Token> tokens = scanTokens(text);
    tokens.pop_back();  // the end
    return tokens;
}

// The name of the call that is open behind the text, and the number of its argument.
std::pair<std::string, size_t> openIn(std::string_view text) {
    const std::vector<Token> tokens = tokensOf(text);
    size_t argument = 0;
    const size_t call = openCall(tokens, &argument);
    if (call == kNoToken) return {};
    return {std::string(tokens[call].source), argument};
}

// A session that has one function, of a built-in's name or of another.
class OneFunction final : public SessionNames {
public:
    OneFunction(std::string name, std::string signature) : name_(std::move(name)), signature_(std::move(signature)) {}
    NameKind kindOf(std::string_view name) const override {
        return name == name_ ? NameKind::Function : NameKind::Unknown;
    }
    std::string signatureOf(std::string_view name) const override { return name == name_ ? signature_ : ""; }

private:
    const std::string name_, signature_;
};

using Strings = std::vector<std::string>;
using Open = std::pair<std::string, size_t>;

}  // namespace

TEST_CASE("the open call is the innermost one, and commas count in its own brackets") {
    CHECK(openIn("f(") == Open("f", 0));
    CHECK(openIn("f(a, g(1, 2), ") == Open("f", 2));
    CHECK(openIn("f(a, g(1, ") == Open("g", 1));
    CHECK(openIn("f([1, 2], (3, 4), ") == Open("f", 2));
    CHECK(openIn("f(x)") == Open());
    CHECK(openIn("f(a); g") == Open());
    CHECK(openIn("f([1, ") == Open());
    CHECK(openIn("(1, ") == Open());
    CHECK(openIn("") == Open());
    CHECK(openIn(")") == Open());
}

TEST_CASE("parameters are the names in a signature, whatever their defaults hold") {
    CHECK(parametersOfSignature("f(a, [b=1], mutable c)") == Strings{"a", "b", "c"});
    CHECK(parametersOfSignature("f(x, args...)") == Strings{"x", "args..."});
    CHECK(parametersOfSignature("f()") == Strings{});
    CHECK(parametersOfSignature("no signature") == Strings{});
    CHECK(parametersOfSignature("f(a, b=[1,2], c)") == Strings{"a", "b", "c"});
    CHECK(parametersOfSignature("f(a, b=g(1, 2), [c=(3, 4)])") == Strings{"a", "b", "c"});
    CHECK(parametersOfSignature("f(a, b=\"x, y)\", c)") == Strings{"a", "b", "c"});
}

TEST_CASE("the active parameter follows the arguments, and a variadic one goes on") {
    const OneFunction names("own", "own(a, b, rest...)");
    const auto at = [&](std::string_view text) { return signatureAt(tokensOf(text), names); };
    CHECK(at("own(").active == 0);
    CHECK(at("own(1, ").active == 1);
    CHECK(at("own(1, 2, 3, 4, ").active == 2);
    // The object before the dot is the first argument.
    CHECK(at("x.own(").active == 1);
    CHECK(at("own(1").signature == "own(a, b, rest...)");
    CHECK(at("other(1").signature.empty());
    const OneFunction few("few", "few(a)");
    const SignatureAtCursor beyond = signatureAt(tokensOf("few(1, 2, "), few);
    CHECK(beyond.active == 1);
    CHECK(beyond.parameters == Strings{"a"});
}

TEST_CASE("a function of the script hides the built-in, whose documentation tells of a parameter else") {
    testing::knowLanguageFunctions();
    const SessionNames none;
    CHECK(signatureOfFunction("mavg", none).starts_with("mavg("));
    CHECK(signatureOfFunction("mavg", OneFunction("mavg", "mavg(own)")) == "mavg(own)");
    CHECK(signatureOfFunction("nobody", none).empty());
    const SignatureAtCursor call = signatureAt(tokensOf("mavg(x, "), none);
    CHECK(call.function == "mavg");
    CHECK(call.parameters.at(call.active) == "window");
}

TEST_CASE("a parameter is found in its signature as a whole word") {
    CHECK(placeInSignature("max(x, maxx, [max])", "max") == 14);
    CHECK(placeInSignature("f(ab, b)", "b") == 6);
    CHECK(placeInSignature("f(a)", "c") == std::string_view::npos);
    CHECK(placeInSignature("f(a)", "") == std::string_view::npos);
    CHECK(placeInSignature("no brackets", "no") == std::string_view::npos);
}
