#include "devtools/lsp/navigation.h"

#include <catch2/catch.hpp>

#include "tests/support/script_document.h"

using namespace pelorus;
using pelorus::testing::ScriptDocument;

namespace {

// "line:character" of the beginnings of ranges, with the names of other documents.
std::vector<std::string> placesOf(const Json& entries) {
    std::vector<std::string> places;
    for (const Json& entry : entries) {
        const Json& start = entry.at("range").at("start");
        const std::string uri = entry.value("uri", ScriptDocument::kUri);
        places.push_back((uri == ScriptDocument::kUri ? "" : uri.substr(uri.rfind('/') + 1) + " ") +
                         start.at("line").dump() + ":" + start.at("character").dump());
    }
    return places;
}

std::string refusalOf(ScriptDocument& script, const std::string& newName) {
    Json parameters = script.here();
    parameters["newName"] = newName;
    try {
        renameAt(script.view(), parameters);
    } catch (const RequestError& error) {
        CHECK(error.code == kRequestFailed);
        return error.what();
    }
    return "it was renamed";
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("a name leads to where it is defined, and all its places are found, but no other name's") {
    ScriptDocument script("x = 1\ndef f(x) { return x }\ny = |x + f(x)\n");
    CHECK(placesOf(Json::array({definitionAt(script.view(), script.here())})) == Strings{"0:0"});
    CHECK(placesOf(referencesAt(script.view(), script.here())) == Strings{"0:0", "2:4", "2:10"});
    Json without = script.here();
    without["context"] = {{"includeDeclaration", false}};
    CHECK(placesOf(referencesAt(script.view(), without)) == Strings{"2:4", "2:10"});
    const Json highlights = highlightsAt(script.view(), script.here());
    CHECK(placesOf(highlights) == Strings{"0:0", "2:4", "2:10"});
    CHECK(highlights[0]["kind"] == 3);
    CHECK(highlights[1]["kind"] == 2);
    ScriptDocument builtin("y = |sum(1)\n");
    CHECK(definitionAt(builtin.view(), builtin.here()).is_null());
    CHECK(referencesAt(builtin.view(), builtin.here()).empty());
}

TEST_CASE("a function of a module is followed into all scripts that use it") {
    ScriptDocument script("use desk::p\ny = |priceOf(1)\n");
    script.withOther("file:///scripts/p.dos", "module desk::p\ndef priceOf(x) { return x }\nz = priceOf(2)\n");
    script.withOther("file:///scripts/q.dos", "use desk::p\nw = desk::p::priceOf(3)\n");
    script.withOther("file:///scripts/r.dos", "def priceOf(x) { return x }\n");
    CHECK(placesOf(Json::array({definitionAt(script.view(), script.here())})) == Strings{"p.dos 1:4"});
    CHECK(placesOf(referencesAt(script.view(), script.here())) ==
          Strings{"1:4", "p.dos 1:4", "p.dos 2:4", "q.dos 1:13"});
    ScriptDocument user("use |desk::p\n");
    user.withOther("file:///scripts/p.dos", "module desk::p\n");
    CHECK(placesOf(Json::array({definitionAt(user.view(), user.here())})) == Strings{"p.dos 0:0"});
}

TEST_CASE("a name is changed at all its places") {
    ScriptDocument script("def f(lo|ng) {\n    y = long\n    return long + y\n}\nlong2 = f(1)\n");
    CHECK(prepareRename(script.view(), script.here()).at("placeholder") == "long");
    Json parameters = script.here();
    parameters["newName"] = "short1";
    const Json edits = renameAt(script.view(), parameters).at("changes").at(ScriptDocument::kUri);
    CHECK(placesOf(edits) == Strings{"0:6", "1:8", "2:11"});
    for (const Json& edit : edits) CHECK(edit["newText"] == "short1");
}

TEST_CASE("a new name that is none, is taken, or would catch another use is refused") {
    ScriptDocument script("|a = 1\nb = 2\nc = a + fromSession\ndef f(x) { return x }\n");
    CHECK(refusalOf(script, "2x").starts_with("2x is not a name: "));
    CHECK(refusalOf(script, "x y").starts_with("x y is not a name: "));
    CHECK(refusalOf(script, "m::x").starts_with("m::x is not a name: "));
    CHECK(refusalOf(script, "").ends_with("letters, digits and underscores."));
    CHECK(refusalOf(script, "return") == "return is a word of the language.");
    CHECK(refusalOf(script, "b") == "b is taken: line 2 has this name.");
    CHECK(refusalOf(script, "fromSession") == "fromSession is taken: line 3 has this name.");
    CHECK(refusalOf(script, "x") == "it was renamed");
    ScriptDocument builtin("y = |sum(1)\n");
    CHECK(refusalOf(builtin, "total") == "Only names that scripts of this workspace define can be renamed.");
    CHECK_THROWS_AS(prepareRename(builtin.view(), builtin.here()), RequestError);
}
