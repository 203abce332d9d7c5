#include "devtools/lsp/diagnostics.h"

#include <catch2/catch.hpp>

#include "tests/support/language_functions.h"
#include "tests/support/script_document.h"

using namespace pelorus;
using pelorus::testing::ScriptDocument;

namespace {

// "code: text of its place" of each diagnostic.
std::vector<std::string> placesOf(ScriptDocument& script) {
    testing::knowLanguageFunctions();
    std::vector<std::string> places;
    for (const Json& entry : diagnosticsOf(script.view()))
        places.push_back(entry["code"].get<std::string>() + ": " + script.textOf(entry["range"]));
    return places;
}

std::vector<std::string> placesIn(const std::string& text) {
    ScriptDocument script(text);
    return placesOf(script);
}

// The text after the preferred remedy of the first diagnostic.
std::string mended(const std::string& text) {
    testing::knowLanguageFunctions();
    ScriptDocument script(text);
    const DocumentView view = script.view();
    const Json diagnostics = diagnosticsOf(view);
    REQUIRE(!diagnostics.empty());
    const Json actions = codeActions(view, {{"context", {{"diagnostics", Json::array({diagnostics[0]})}}}});
    if (actions.empty()) return "nothing";
    CHECK(actions[0]["isPreferred"] == true);
    const Json& edit = actions[0]["edit"]["changes"][ScriptDocument::kUri][0];
    std::string after = view.document.text.text();
    const size_t begin = view.offsetOf(edit["range"]["start"]), end = view.offsetOf(edit["range"]["end"]);
    return after.replace(begin, end - begin, edit["newText"].get<std::string>());
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("a name is unknown where it can come from nowhere else") {
    CHECK(placesIn("x = summ(1 2)\n") == Strings{"unknown-name: summ"});
    CHECK(placesIn("def f(x) { return x + lost }\n") == Strings{"unknown-name: lost"});
    // A variable of the session, a column, a method, what another module or script may define.
    CHECK(placesIn("x = anything + 1\n").empty());
    CHECK(placesIn("def f(t) { return select a, lost from t }\n").empty());
    CHECK(placesIn("x.someMethod(1)\n").empty());
    CHECK(placesIn("use not::here\nx = summ(1)\n").empty());
    CHECK(placesIn("run(\"other.dos\")\nx = summ(1)\n").empty());
}

TEST_CASE("functions of the session and of modules of the workspace are known") {
    class Session final : public SessionNames {
    public:
        NameKind kindOf(std::string_view name) const override {
            return name == "ofSession" ? NameKind::Function : NameKind::Unknown;
        }
    };
    ScriptDocument script("use desk::p\nx = ofSession(1) + priceOf(2) + lostOne(3)\n");
    script.withOther("file:///scripts/p.dos", "module desk::p\ndef priceOf(x) { return x }\n");
    script.workspace.setSessionNames([] { return std::make_shared<Session>(); });
    CHECK(placesOf(script) == Strings{"unknown-name: lostOne"});
}

TEST_CASE("an error of syntax stands at its word, without the line in its message") {
    ScriptDocument script("x = 1\ny = x +* 2\nz = 3\n");
    const Json diagnostics = diagnosticsOf(script.view());
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0]["severity"] == 1);
    CHECK(script.textOf(diagnostics[0]["range"]) == "*");
    CHECK(diagnostics[0]["message"].get<std::string>().find("[line") == std::string::npos);
    CHECK(placesIn("").empty());
    CHECK(placesIn("x = (1\n").size() == 1);
}

TEST_CASE("what is wrong can be mended by its remedy") {
    CHECK(mended("x = f(1, 2\n") == "x = f(1, 2)\n");
    CHECK(mended("def f(x) {\n    return x\n") == "def f(x) {\n    return x\n}\n");
    CHECK(mended("x = SUM(1 2)\n") == "x = sum(1 2)\n");
    CHECK(mended("x = summ(1 2)\n") == "x = sum(1 2)\n");
    CHECK(mended("x = \"open\ny = 1\n") == "x = \"open\"\ny = 1\n");
}

TEST_CASE("a diagnostic that the source no longer has is mended by nothing") {
    ScriptDocument script("x = 1\n");
    const Json stale = {
        {"code", "unknown-name"},
        {"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 0}, {"character", 1}}}}}};
    CHECK(
        codeActions(script.view(), {{"context", {{"diagnostics", Json::array({stale, 7, Json::object()})}}}}).empty());
    CHECK(codeActions(script.view(), {{"context", {{"diagnostics", "none"}}}}).empty());
    CHECK_THROWS_WITH(codeActions(script.view(), Json::object()), "The parameters lack context.");
}
