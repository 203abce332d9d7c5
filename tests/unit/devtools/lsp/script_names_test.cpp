#include "devtools/lsp/script_names.h"

#include <catch2/catch.hpp>

#include "tests/support/script_document.h"

using namespace pelorus;
using pelorus::testing::ScriptDocument;

namespace {

class Session final : public SessionNames {
public:
    NameKind kindOf(std::string_view name) const override {
        return name == "held" || name == "limit" ? NameKind::Table : NameKind::Unknown;
    }
    std::vector<NameInfo> names() const override { return {{"held", NameKind::Table}, {"limit", NameKind::Table}}; }
    std::vector<std::string> membersOf(std::string_view name) const override {
        return name == "held" ? std::vector<std::string>{"sym"} : std::vector<std::string>();
    }
};

// What is known at the cursor.
struct Known {
    explicit Known(const std::string& marked) : script(marked), view(script.view()) {
        script.workspace.setSessionNames([] { return std::make_shared<Session>(); });
    }
    ScriptNames names() { return {*view.analysis, view.offsetOf(script.here().at("position")), script.workspace}; }
    std::map<std::string, NameKind> all() {
        std::map<std::string, NameKind> found;
        for (const NameInfo& info : names().names()) CHECK(found.emplace(info.name, info.kind).second);
        return found;
    }
    ScriptDocument script;
    DocumentView view;
};

}  // namespace

TEST_CASE("at the top level names are those of the script, then those of the session") {
    Known known("limit = 3\nt = table(1 2 as a, 3 4 as b)\nd = dict(`x`y, 1 2)\ndef f(p) { q = p; return q }\n|\n");
    const auto all = known.all();
    CHECK(all.at("limit") == NameKind::Variable);
    CHECK(all.at("t") == NameKind::Table);
    CHECK(all.at("d") == NameKind::Dictionary);
    CHECK(all.at("f") == NameKind::Function);
    CHECK(all.at("held") == NameKind::Table);
    CHECK(all.count("p") + all.count("q") == 0);
    CHECK(known.names().membersOf("t") == std::vector<std::string>{"a", "b"});
    CHECK(known.names().membersOf("held") == std::vector<std::string>{"sym"});
    CHECK(known.names().kindOf("limit") == NameKind::Variable);
    CHECK(known.names().kindOf("nobody") == NameKind::Unknown);
    CHECK(known.names().signatureOf("f") == "f(p)");
}

TEST_CASE("a named function sees its own names and functions, but no variable of script or session") {
    Known known(
        "limit = 3\nt = table(1 2 as a)\ndef g() { return 1 }\ndef f(p) {\n    q = p\n    |\n    return q\n}\n");
    const auto all = known.all();
    CHECK(all.count("p") == 1);
    CHECK(all.count("q") == 1);
    CHECK(all.at("g") == NameKind::Function);
    CHECK(all.count("limit") + all.count("held") == 0);
    // Queries find the script's tables nevertheless.
    CHECK(all.at("t") == NameKind::Table);
    CHECK(known.names().kindOf("t") == NameKind::Table);
}

TEST_CASE("functions of a used module are known, and those of others are not") {
    Known known("use desk::p\n|\n");
    known.script.withOther("file:///scripts/p.dos", "module desk::p\ndef priceOf(x) { return x }\nhidden = 1\n");
    known.script.withOther("file:///scripts/q.dos", "module desk::q\ndef other(x) { return x }\n");
    const auto all = known.all();
    CHECK(all.at("priceOf") == NameKind::Function);
    CHECK(all.count("other") + all.count("hidden") == 0);
    CHECK(known.names().kindOf("desk::p::priceOf") == NameKind::Function);
    CHECK(known.names().signatureOf("priceOf") == "priceOf(x)");
    CHECK(known.names().signatureOf("other").empty());
}

TEST_CASE("a table of a database has the columns that another script of the workspace tells") {
    Known known("db = database(\"dfs://ticks\")\nt = loadTable(db, `trades)\n|\n");
    known.script.withOther("file:///scripts/make.dos",
                           "db = database(\"dfs://ticks\", VALUE, 1..3)\n"
                           "createPartitionedTable(db, table(1:0, `sym`price, [SYMBOL, DOUBLE]), `trades, `sym)\n");
    CHECK(known.names().databaseOf("db") == "dfs://ticks");
    CHECK(known.names().databaseOf("t").empty());
    CHECK(known.names().membersOf("t") == std::vector<std::string>{"sym", "price"});
    CHECK(known.names().tablesOf("dfs://ticks") == std::vector<std::string>{"trades"});
    CHECK(known.names().databases() == std::vector<std::string>{"dfs://ticks"});
}
