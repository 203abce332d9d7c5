// Tests the language server and the formatter with every script of the tests: whole, cut and broken.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "devtools/formatter/format_script.h"
#include "devtools/lsp/language_server.h"
#include "interpreter/parser/recovered_script.h"
#include "runtime/format/to_source.h"
#include "tests/unit/apps/console_session.h"

using namespace pelorus;
using Json = nlohmann::json;

namespace {

struct ScriptFile {
    std::string path, text;
};

// The scripts under tests/script and examples, in the order of their paths.
std::vector<ScriptFile> allScripts() {
    consoleSession();  // the registry is filled
    std::vector<ScriptFile> scripts;
    const std::filesystem::path tests(PELORUS_SCRIPTS);
    for (const auto& folder : {tests, tests.parent_path().parent_path() / "examples"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
            if (entry.path().extension() != ".dos") continue;
            std::ifstream file(entry.path(), std::ios::binary);
            std::stringstream text;
            text << file.rdbuf();
            scripts.push_back({entry.path().string(), text.str()});
        }
    }
    std::sort(scripts.begin(), scripts.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return scripts;
}

// An editor that shows one document after the other, and asks everything about each.
class Editor {
public:
    Editor() : server_([this](std::string message) { take(message); }) {
        ask("initialize", {{"capabilities", Json::object()}});
    }

    // Returns the number of requests that were answered with a result. Every one must be answered.
    int show(const std::string& text, size_t cursor) {
        const Json document = {{"uri", "file:///script.dos"}};
        const auto line =
            static_cast<int64_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(cursor), '\n'));
        const size_t begin = cursor == 0 ? 0 : text.rfind('\n', cursor - 1) + 1;
        const Json place = {{"textDocument", document},
                            {"position", {{"line", line}, {"character", cursor - std::min(begin, cursor)}}},
                            {"context", {{"diagnostics", Json::array()}}},
                            {"newName", "renamed"}};
        Json opened = document;
        opened["version"] = ++version_;
        opened["text"] = text;
        tell("textDocument/didOpen", {{"textDocument", opened}});
        const int before = results_;
        for (const char* method :
             {"completion", "hover", "signatureHelp", "definition", "references", "documentHighlight", "documentSymbol",
              "foldingRange", "semanticTokens/full", "rename"}) {
            ask(std::string("textDocument/") + method, place);
        }
        while (server_.work()) {
        }
        REQUIRE(published_ == version_);
        return results_ - before;
    }

private:
    void send(const Json& message) { server_.handle(message.dump(-1, ' ', false, Json::error_handler_t::replace)); }
    void tell(const std::string& method, const Json& parameters) {
        send({{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}});
    }
    void ask(const std::string& method, const Json& parameters) {
        asked_ = ++id_;
        send({{"jsonrpc", "2.0"}, {"id", id_}, {"method", method}, {"params", parameters}});
        INFO(method);
        REQUIRE(asked_ == 0);
    }
    void take(const std::string& text) {
        const Json message = Json::parse(text);
        if (message.value("method", "") == "textDocument/publishDiagnostics") {
            published_ = message["params"]["version"];
        } else if (message.contains("id") && message["id"] == asked_) {
            asked_ = 0;
            results_ += message.contains("result");
            // Requests may be refused; none fails inside.
            if (message.contains("error")) REQUIRE(message["error"]["code"] != -32603);
        }
    }

    LanguageServer server_;
    int64_t id_ = 0, asked_ = 0, version_ = 0, published_ = 0;
    int results_ = 0;
};

// Bytes between two prefixes that are shown. PELORUS_PREFIX_STEP=1 shows every one, which takes minutes.
size_t prefixStep() {
    const char* step = std::getenv("PELORUS_PREFIX_STEP");
    return step && std::atoi(step) > 0 ? static_cast<size_t>(std::atoi(step)) : 97;
}

std::vector<std::string> codeOf(const RecoveredScript& script) {
    std::vector<std::string> code;
    for (const NodeRef& statement : script.statements) code.push_back(toSource(*statement));
    return code;
}

}  // namespace

TEST_CASE("every request is answered at the end of every prefix of a script") {
    Editor editor;
    int results = 0;
    size_t offset = 0;
    for (const ScriptFile& script : allScripts()) {
        INFO(script.path);
        // Other prefixes of each script.
        for (size_t end = ++offset % prefixStep(); end <= script.text.size(); end += prefixStep()) {
            results += editor.show(script.text.substr(0, end), end);
        }
    }
    REQUIRE(results > 10'000);
}

TEST_CASE("every request is answered in scripts with random edits") {
    Editor editor;
    std::mt19937 random(20260101);
    const auto upTo = [&](size_t limit) { return std::uniform_int_distribution<size_t>(0, limit)(random); };
    constexpr std::string_view kPieces[] = {
        "(",     ")",      "{",    "}",         "[", "]",  "\"", "'",      "`",   ";",         "\n", "select ",
        "from ", "def f(", "->",   "<",         ">", "/*", "*/", "//",     ".",   ",",         "::", "@",
        "_$",    "\xff",   "if (", "class A {", "&", "0x", "1e", "share ", "as ", "use a::b\n"};
    int shown = 0;
    for (const ScriptFile& script : allScripts()) {
        INFO(script.path);
        std::string text = script.text;
        for (int edit = 0; edit < 6; ++edit) {
            const size_t at = upTo(text.size());
            const size_t length = upTo(std::min<size_t>(40, text.size() - at));
            const auto choice = upTo(2);
            if (choice == 0) {
                text.erase(at, length);
            } else if (choice == 1) {
                text.insert(at, kPieces[upTo(std::size(kPieces) - 1)]);
            } else {
                text.insert(upTo(text.size()), text.substr(at, length));
            }
            editor.show(text, std::min(at, text.size()));
            ++shown;
        }
    }
    REQUIRE(shown > 1'000);
}

TEST_CASE("code that is nested or repeated without end is answered") {
    Editor editor;
    for (const char* piece : {"(",      "[",         "{",   "f(",       "x -> ",        "if (a) ", "select ",
                              "<",      "a.",        "-",   "{a: ",     "def f(x) {\n", "}",       ")",
                              "try { ", "class A {", "1 ",  "a ? b : ", "`a",           "x = ",    "a + ",
                              "\"",     "@",         "// ", "/* "}) {
        INFO(piece);
        std::string text;
        while (text.size() < 40'000) text += piece;
        editor.show(text, text.size());
    }
}

TEST_CASE("formatting twice changes nothing, and every script keeps its code") {
    int formatted = 0, refused = 0;
    for (const ScriptFile& script : allScripts()) {
        INFO(script.path);
        std::string once;
        try {
            once = formatScript(script.text);
        } catch (const SyntaxError&) {
            ++refused;  // scripts that show errors of syntax
            continue;
        }
        ++formatted;
        REQUIRE(formatScript(once) == once);
        REQUIRE(codeOf(parseRecovering(once)) == codeOf(parseRecovering(script.text)));
        // Tabs and other widths lead back to the same source.
        REQUIRE(formatScript(formatScript(script.text, {.indentWidth = 2})) == once);
        REQUIRE(formatScript(formatScript(script.text, {.useTabs = true})) == once);
    }
    REQUIRE(formatted > 200);
    REQUIRE(refused < 20);
}
