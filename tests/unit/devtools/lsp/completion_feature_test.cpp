#include "devtools/lsp/completion_feature.h"

#include <catch2/catch.hpp>

#include "tests/support/language_functions.h"
#include "tests/support/script_document.h"

using namespace pelorus;

namespace {

struct Document : testing::ScriptDocument {
    explicit Document(const std::string& marked) : ScriptDocument(marked) { testing::knowLanguageFunctions(); }
    Json items() { return completionsAt(view(), here()).at("items"); }
    const Json* item(const Json& items, const std::string& label) const {
        for (const Json& entry : items) {
            if (entry.at("label") == label) return &entry;
        }
        return nullptr;
    }
    std::string hover() {
        const Json shown = hoverAt(view(), here());
        return shown.is_null() ? "" : shown.at("contents").at("value").get<std::string>();
    }
};

}  // namespace

TEST_CASE("what may follow replaces the word before the cursor, in the order of the list") {
    Document script("priceLimit = 1\ny = priceL|\n");
    const Json items = script.items();
    REQUIRE(!items.empty());
    CHECK(items[0]["label"] == "priceLimit");
    CHECK(items[0]["sortText"] == "00000");
    CHECK(script.textOf(items[0]["textEdit"]["range"]) == "priceL");
    CHECK(items[0]["textEdit"]["newText"] == "priceLimit");
    Document function("y = mav|\n");
    const Json functions = function.items();
    const Json* found = function.item(functions, "mavg");
    REQUIRE(found);
    CHECK((*found)["kind"] == 3);
    const Json resolved = resolveCompletion(*found);
    CHECK(resolved["documentation"]["kind"] == "markdown");
    CHECK(!resolved["documentation"]["value"].get<std::string>().empty());
    CHECK(resolveCompletion({{"label", "x"}, {"data", "nobody"}}) == Json({{"label", "x"}, {"data", "nobody"}}));
}

TEST_CASE("behind use the modules of the workspace are proposed, and nothing else") {
    Document script("use desk::|\n");
    script.withOther("file:///scripts/p.dos", "module desk::prices\n");
    script.withOther("file:///scripts/q.dos", "module other::q\n");
    const Json items = script.items();
    REQUIRE(items.size() == 1);
    CHECK(items[0]["label"] == "desk::prices");
    CHECK(script.textOf(items[0]["textEdit"]["range"]) == "desk::");
}

TEST_CASE("in a call its signature is shown with the active parameter") {
    Document script("// Adds them.\ndef own(first, second) { return first + second }\ny = own(1, |\n");
    const Json help = signatureHelpAt(script.view(), script.here());
    CHECK(help["activeParameter"] == 1);
    const Json& signature = help["signatures"][0];
    CHECK(signature["label"] == "own(first, second)");
    CHECK(signature["parameters"][1]["label"] == Json({11, 17}));
    CHECK(!signature.contains("documentation"));
    Document builtin("y = mavg(x, |\n");
    CHECK(signatureHelpAt(builtin.view(), builtin.here())["signatures"][0].contains("documentation"));
    Document outside("y = own(1)|\n");
    CHECK(signatureHelpAt(outside.view(), outside.here()).is_null());
}

TEST_CASE("hovering tells what a name means and what its value has") {
    CHECK(Document("// Adds one.\ndef own(x) { return x + 1 }\ny = ow|n(1)\n").hover() ==
          "```dos\ndef own(x)\n```\n\nAdds one.");
    CHECK(Document("t = table(1 2 as a, 3 4 as b)\ny = |t\n").hover() ==
          "```dos\n(variable) t\n```\n\nTable with the columns `a`, `b`");
    CHECK(Document("d = dict(`x`y, 1 2)\ny = |d\n").hover().find("Dictionary") != std::string::npos);
    CHECK(Document("db = database(\"dfs://ticks\")\ny = |db\n").hover().ends_with("\n\nDatabase dfs://ticks"));
    CHECK(Document("y = |mavg(x, 2)\n").hover().starts_with("```dos\nmavg("));
    CHECK(Document("t = table(1 2 as sum)\nselect |sum from t\n").hover() == "```dos\n(column) sum\n```");
    CHECK(Document("y = |unknown\n").hover().empty());
    CHECK(Document("y = 1|2\n").hover().empty());
    CHECK(Document("|").hover().empty());
}
