#include "devtools/lsp/language_server.h"

#include <catch2/catch.hpp>

#include "devtools/lsp/feature.h"
#include "tests/support/language_functions.h"

using namespace pelorus;

namespace {

struct Editor {
    Editor() : server([this](std::string message) { sent.push_back(Json::parse(message)); }, {.readsFiles = false}) {
        testing::knowLanguageFunctions();
    }
    // Sends a request; returns its answer.
    Json ask(const std::string& method, const Json& parameters) {
        sent.clear();
        server.handle(Json({{"jsonrpc", "2.0"}, {"id", ++id}, {"method", method}, {"params", parameters}}).dump());
        REQUIRE(sent.size() == 1);
        CHECK(sent[0]["id"] == id);
        return sent[0];
    }
    void tell(const std::string& method, const Json& parameters) {
        server.handle(Json({{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}}).dump());
    }
    void open(const std::string& text) {
        ask("initialize", Json::object());
        tell("textDocument/didOpen", {{"textDocument", {{"uri", "untitled:a"}, {"text", text}, {"version", 1}}}});
    }
    Json textDocument() const { return {{"textDocument", {{"uri", "untitled:a"}}}}; }
    // The diagnostics that are published when nothing else waits.
    Json published() {
        sent.clear();
        while (server.work()) {
        }
        return sent.empty() ? Json() : sent.back()["params"];
    }

    std::vector<Json> sent;
    LanguageServer server;
    int id = 0;
};

}  // namespace

TEST_CASE("the server takes the encoding that suits it of those that the editor has") {
    const auto chosen = [](const Json& offered) {
        Editor editor;
        return editor.ask(
            "initialize",
            {{"capabilities",
              {{"general", {{"positionEncodings", offered}}}}}})["result"]["capabilities"]["positionEncoding"];
    };
    CHECK(chosen({"utf-16", "utf-8"}) == "utf-8");
    CHECK(chosen({"utf-16", "utf-32"}) == "utf-32");
    CHECK(chosen({"utf-16"}) == "utf-16");
    CHECK(chosen("utf-8") == "utf-16");
}

TEST_CASE("a message that is no request is answered with what is wrong, and the server goes on") {
    Editor editor;
    editor.server.handle("{");
    CHECK(editor.sent.back()["error"]["code"] == kParseError);
    editor.server.handle("{\"id\":1}");
    CHECK(editor.sent.back()["error"]["code"] == kInvalidRequest);
    CHECK(editor.ask("textDocument/hover", Json::object())["error"]["message"] ==
          "The first request must be initialize.");
    CHECK(editor.ask("nothing/here", Json::object())["error"]["code"] == kMethodNotFound);
    editor.ask("initialize", Json::object());
    CHECK(editor.ask("initialize", Json::object())["error"]["message"] == "The server was initialized before.");
    CHECK(editor.ask("textDocument/hover", {{"textDocument", {{"uri", "untitled:b"}}}})["error"]["message"] ==
          "The document untitled:b is not open.");
    editor.sent.clear();
    editor.server.handle("{\"id\":1,\"result\":null}");
    CHECK(editor.sent.empty());
    editor.tell("textDocument/didOpen", {{"textDocument", {{"uri", 7}}}});
    REQUIRE(editor.sent.size() == 1);
    CHECK(editor.sent[0]["params"]["message"] == "textDocument/didOpen: uri must be a string.");
}

TEST_CASE("edits change the document, and its diagnostics follow") {
    Editor editor;
    editor.open("x = (1\n");
    CHECK(editor.published()["diagnostics"].size() == 1);
    CHECK(editor.published().is_null());
    Json change = {{"textDocument", {{"uri", "untitled:a"}, {"version", 2}}}};
    change["contentChanges"] =
        Json::array({{{"range", {{"start", {{"line", 0}, {"character", 6}}}, {"end", {{"line", 0}, {"character", 6}}}}},
                      {"text", ")"}}});
    editor.tell("textDocument/didChange", change);
    const Json published = editor.published();
    CHECK(published["diagnostics"].empty());
    CHECK(published["version"] == 2);
}

TEST_CASE("formatting changes the lines that differ, and refuses what does not parse") {
    Editor editor;
    editor.open("a = 1\nb=2\nc = 3\n");
    const Json edits = editor.ask("textDocument/formatting", editor.textDocument())["result"];
    REQUIRE(edits.size() == 1);
    CHECK(edits[0]["newText"] == "b = 2\n");
    CHECK(edits[0]["range"]["start"]["line"] == 1);
    Json part = editor.textDocument();
    part["range"] = {{"start", {{"line", 2}, {"character", 0}}}, {"end", {{"line", 2}, {"character", 3}}}};
    CHECK(editor.ask("textDocument/rangeFormatting", part)["result"].empty());
    editor.tell("textDocument/didOpen",
                {{"textDocument", {{"uri", "untitled:a"}, {"text", "x = (\n"}, {"version", 3}}}});
    const Json refused = editor.ask("textDocument/formatting", editor.textDocument());
    CHECK(refused["error"]["message"].get<std::string>().starts_with("What does not parse is not formatted. "));
}

TEST_CASE("a request that was cancelled is not computed, and the server ends as it is told") {
    Editor editor;
    editor.open("a = 1\n");
    editor.server.noteCancelled(Json({{"method", "$/cancelRequest"}, {"params", {{"id", editor.id + 1}}}}).dump());
    CHECK(editor.ask("textDocument/documentSymbol", editor.textDocument())["error"]["code"] == kRequestCancelled);
    CHECK(editor.ask("textDocument/documentSymbol", editor.textDocument())["result"].size() == 1);
    CHECK(editor.server.exitStatus() == 1);
    CHECK(editor.ask("shutdown", Json::object())["result"].is_null());
    CHECK(editor.ask("textDocument/documentSymbol", editor.textDocument())["error"]["message"] ==
          "The server was shut down.");
    CHECK(!editor.server.hasExited());
    editor.tell("exit", Json::object());
    CHECK(editor.server.hasExited());
    CHECK(editor.server.exitStatus() == 0);
}
