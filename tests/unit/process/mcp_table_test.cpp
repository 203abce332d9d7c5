// Results are given to a language model as JSON that is bounded and marked as data.
#include "server/mcp/mcp_table.h"

#include <catch2/catch.hpp>

#include "server/mcp/mcp_tools.h"
#include "tests/support/script_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a table has columns with types, and rows up to the bound") {
    ScriptBench bench;
    const McpJson table = mcpTable(bench.run("table(1..5 as n, `a`b`c``e as s, 2024.01.01..2024.01.05 as d)"), 3);
    CHECK(table["columns"][0] == McpJson({{"name", "n"}, {"type", "INT"}}));
    CHECK(table["rows"].size() == 3);
    CHECK(table["rows"][0][1] == "a");
    CHECK(table["rowCount"] == 5);
    CHECK(table["shown"] == 3);
    CHECK_FALSE(table.contains("cut"));
    CHECK(mcpTable(bench.run("table(1..5 as n, `a`b`c``e as s)"), 9)["rows"][3][1].is_null());
}

TEST_CASE("long texts are cut between characters, and many of them end the rows") {
    ScriptBench bench;
    const McpJson table = mcpTable(bench.run("table(take(repeat(\"é\", 5000), 500) as t)"), 500);
    CHECK(table["cut"].is_string());
    CHECK(table["rows"].size() < 500);
    CHECK(table.dump().size() < McpBounds::kMaxAnswerBytes);
    CHECK(table["rows"][0][0].get<std::string>().size() < McpBounds::kMaxCellBytes + 8);
}

TEST_CASE("values that are no tables are given with their type") {
    ScriptBench bench;
    CHECK(mcpTable(bench.run("1 2 3"), 3)["value"] == McpJson({1, 2, 3}));
    CHECK(mcpTable(bench.run("2.5"), 3)["value"] == 2.5);
    CHECK(mcpTable(bench.run("dict(`a`b, 1 2)"), 3)["value"].is_string());
}
