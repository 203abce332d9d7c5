#include "apps/console/embedded_names.h"

#include <catch2/catch.hpp>

#include "tests/unit/apps/console_session.h"

using namespace pelorus;

namespace {

const SessionNames& namesAfter(std::string_view script) {
    runInSession(script);
    return consoleSession().names();
}

bool contains(const std::vector<std::string>& texts, const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace

TEST_CASE("the kind of a name is that of its value now") {
    const SessionNames& names = namesAfter(
        "nkTable = table(1 2 as a)\nnkDict = dict(`x`y, 1 2)\nnkOne = 1\ndef nkFunction(a, mutable b, c=1) { return a "
        "}");
    CHECK(names.kindOf("nkTable") == NameKind::Table);
    CHECK(names.kindOf("nkDict") == NameKind::Dictionary);
    CHECK(names.kindOf("nkOne") == NameKind::Variable);
    CHECK(names.kindOf("nkFunction") == NameKind::Function);
    CHECK(names.kindOf("nkNobody") == NameKind::Unknown);
    CHECK(names.signatureOf("nkFunction") == "nkFunction(a, mutable b, [c])");
    CHECK(names.signatureOf("nkOne").empty());
    namesAfter("nkOne = table(1 as b)");
    CHECK(names.kindOf("nkOne") == NameKind::Table);
    namesAfter("undef(`nkOne, VAR)");
    CHECK(names.kindOf("nkOne") == NameKind::Unknown);
}

TEST_CASE("members are columns, keys that can be typed, attributes and methods") {
    const SessionNames& names = namesAfter(
        "nmTable = table(1 2 as sym, 3 4 as price)\n"
        "nmDict = dict([\"plain\", \"with blank\", \"2nd\", \"_x\"], 1 2 3 4)\nnmNumbers = dict(1 2, 3 4)\n"
        "class NmCounter { total :: INT\n def NmCounter() { total = 0 }\n def increase(n) { total += n } }\n"
        "nmCounter = NmCounter()");
    CHECK(names.membersOf("nmTable") == std::vector<std::string>{"sym", "price"});
    CHECK(contains(names.membersOf("nmDict"), "plain"));
    CHECK(contains(names.membersOf("nmDict"), "_x"));
    CHECK(names.membersOf("nmDict").size() == 2);
    CHECK(names.membersOf("nmNumbers").empty());
    CHECK(names.kindOf("nmCounter") == NameKind::Instance);
    CHECK(contains(names.membersOf("nmCounter"), "total"));
    CHECK(contains(names.membersOf("nmCounter"), "increase"));
    CHECK(names.membersOf("nmNobody").empty());
}

TEST_CASE("databases, their tables and columns are those of the catalog") {
    const SessionNames& names = namesAfter(
        "ndDb = database(\"dfs://named\", VALUE, 1..3)\n"
        "createPartitionedTable(ndDb, table(1 2 as id, 3 4 as price), `trades, `id)\nndPath = \"dfs://named\"\n"
        "ndNumber = 3");
    CHECK(contains(names.databases(), "dfs://named"));
    CHECK(names.tablesOf("dfs://named") == std::vector<std::string>{"trades"});
    CHECK(names.columnsOf("dfs://named", "trades") == std::vector<std::string>{"id", "price"});
    CHECK(names.columnsOf("dfs://named", "none").empty());
    CHECK(names.kindOf("ndDb") == NameKind::Database);
    CHECK(names.databaseOf("ndDb") == "dfs://named");
    CHECK(names.databaseOf("ndPath") == "dfs://named");
    CHECK(names.databaseOf("ndNumber").empty());
    CHECK(names.databaseOf("ndNobody").empty());
}
