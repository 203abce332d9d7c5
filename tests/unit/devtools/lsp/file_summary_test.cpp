#include "devtools/lsp/file_summary.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

FileSummary summaryOfText(const std::string& text) {
    return summaryOf(*ScriptAnalysis::make(text), PositionEncoding::Utf16);
}

}  // namespace

TEST_CASE("the names of the top level are listed with their places, those of functions are not") {
    const FileSummary summary = summaryOfText(
        "module desk::risk\n"
        "use desk::prices\n"
        "// Value at risk.\n"
        "def atRisk(book, level=1) { worst = min(book); return worst }\n"
        "mostLoss = 7\n");
    CHECK(summary.moduleName == "desk::risk");
    CHECK(summary.usedModules == std::vector<std::string>{"desk::prices"});
    REQUIRE(summary.symbols.size() == 2);
    CHECK(summary.symbols[0].name == "atRisk");
    CHECK(summary.symbols[0].kind == SymbolKind::Function);
    CHECK(summary.symbols[0].signature.starts_with("atRisk(book"));
    CHECK(summary.symbols[0].comment == "Value at risk.");
    CHECK(summary.symbols[0].begin.line == 3);
    CHECK(summary.symbols[0].begin.character == 4);
    CHECK(summary.symbols[0].end.character == 10);
    CHECK(summary.symbols[1].name == "mostLoss");
    CHECK(summary.symbols[1].kind == SymbolKind::Variable);
}

TEST_CASE("databases that the source mentions are listed once, also where a statement does not parse") {
    const FileSummary summary = summaryOfText(
        "db = database(\"dfs://ticks\")\n"
        "t = loadTable('dfs://bars', `daily)\n"
        "x = (\"dfs://ticks\"\n"
        "y = \"dfs\"\n");
    CHECK(summary.databases == std::vector<std::string>{"dfs://ticks", "dfs://bars"});
}

TEST_CASE("tables are known with the columns of the schema that they are made of") {
    const FileSummary summary = summaryOfText(
        "db = database(\"dfs://ticks\", VALUE, 1..3)\n"
        "schema = table(1:0, `sym`price, [SYMBOL, DOUBLE])\n"
        "def make(x) { return createTable(db, schema, `inner) }\n"
        "createPartitionedTable(db, schema, `trades, `sym)\n"
        "createDimensionTable(dbHandle=db, table=schema, tableName=\"names\")\n"
        "loadTable(db, \"quotes\")\n"
        "loadTable(\"dfs://bars\", \"daily\")\n"
        "loadTable(somewhere(), \"lost\")\n"
        "loadTable(db, whichever)\n");
    std::vector<std::string> tables;
    std::vector<std::string> columns;
    for (const auto& stored : summary.tables) {
        tables.push_back(stored.database + " " + stored.table);
        if (stored.table == "trades") columns = stored.columns;
    }
    CHECK(std::count(tables.begin(), tables.end(), "dfs://ticks trades") == 1);
    CHECK(std::count(tables.begin(), tables.end(), "dfs://ticks names") == 1);
    CHECK(std::count(tables.begin(), tables.end(), "dfs://ticks quotes") == 1);
    CHECK(std::count(tables.begin(), tables.end(), "dfs://bars daily") == 1);
    CHECK(tables.size() <= 5);
    CHECK(columns == std::vector<std::string>{"sym", "price"});
}

TEST_CASE("a source without code has nothing to tell") {
    for (const char* text : {"", "\n\n", "// dfs://comment\n"}) {
        const FileSummary summary = summaryOfText(text);
        CHECK(summary.symbols.empty());
        CHECK(summary.databases.empty());
        CHECK(summary.tables.empty());
        CHECK(summary.moduleName.empty());
    }
}
