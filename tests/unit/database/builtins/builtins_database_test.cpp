#include "database/builtins/builtins_database.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "database/service/database_service.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/value/print.h"
#include "stdlib/register_builtins.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

void registerOnce() {
    static const bool done = [] {
        FunctionRegistry& registry = FunctionRegistry::instance();
        if (registry.find("add") == nullptr) registerStandardLibrary(registry);
        if (registry.find("eval") == nullptr) registerInterpreterBuiltins(registry);
        if (registry.find("database") == nullptr) registerDatabaseBuiltins(registry);
        return true;
    }();
    (void)done;
}

// A session with a database in a separate folder; its prints are kept.
class ScriptFixture {
public:
    ScriptFixture() {
        registerOnce();
        request_.print = [this](std::string_view string) { printed += std::string(string) + "\n"; };
        reopen();
    }
    void reopen() {
        session_.reset();
        services_ = Services();
        addSharedObjects(services_);
        services_.add<DatabaseService>(
            std::make_shared<LocalDatabaseService>(LocalDatabaseService::Options{.folder = folder / "data"}));
        session_ = std::make_unique<Session>(services_);
    }
    std::string run(std::string_view script) {
        Context context(services_, request_);
        context.session = session_.get();
        return display(evaluate(script, *session_, context));
    }

    TemporaryFolder folder;
    std::string printed;

private:
    Services services_;
    Request request_{Principal::owner()};
    std::unique_ptr<Session> session_;
};

constexpr const char* kTrades = R"(
db = database("dfs://t", COMPO, [database(, VALUE, 2024.01.01..2024.01.03), database(, RANGE, `A`M`ZZZ)])
t = table(`IBM`XOM`IBM as sym, 2024.01.01 2024.01.02 2024.01.03 as date, 1.5 2.5 3.5 as price)
pt = db.createPartitionedTable(t, `trades, `date`sym)
)";

}  // namespace

TEST_CASE("a table is created, filled, found again after a restart, and dropped") {
    ScriptFixture fixture;
    REQUIRE(fixture.run(std::string(kTrades) + "tableInsert(pt, t)") == "3");
    REQUIRE(fixture.run("db") == "DB[dfs://t]");
    fixture.reopen();
    REQUIRE(fixture.run("tableInsert(loadTable(\"dfs://t\", `trades), `C, 2024.01.02, 9.5)") == "1");
    REQUIRE(fixture.run("existsTable(\"dfs://t\", `trades)") == "true");
    REQUIRE(fixture.run("getTables(database(\"dfs://t\"))") == "[\"trades\"]");
    REQUIRE(fixture.run("getClusterDFSDatabases()") == "[\"dfs://t\"]");
    fixture.run("dropTable(database(\"dfs://t\"), `trades)");
    REQUIRE(fixture.run("existsTable(\"dfs://t\", `trades)") == "false");
    fixture.run("dropDatabase(\"dfs://t\")");
    REQUIRE(fixture.run("existsDatabase(\"dfs://t\")") == "false");
}

TEST_CASE("schemes of LONG values are found again after a restart") {
    ScriptFixture fixture;
    fixture.run(R"(
t = table([1l, 9000000000000000000l] as id, 1 2 as v)
tableInsert(database("dfs://values", VALUE, t.id).createPartitionedTable(t, `pt, `id), t)
tableInsert(database("dfs://ranges", RANGE, [0l, 5000000000l, 9000000000000000001l]).createPartitionedTable(t, `pt, `id), t)
)");
    fixture.reopen();
    REQUIRE(fixture.run("schema(database(\"dfs://values\")).partitionSchema") == "[1,9000000000000000000]");
    for (const char* name : {"values", "ranges"}) {
        const std::string table = std::string("loadTable(\"dfs://") + name + "\", `pt)";
        REQUIRE(fixture.run("tableInsert(" + table + ", table([1l] as id, [3] as v))") == "1");
        REQUIRE(fixture.run("rows(" + table + ")") == "3");
        REQUIRE(fixture.run("getTabletsMeta(\"/" + std::string(name) + "/%\").rowNum") == "[2,1]");
    }
}

TEST_CASE("a database opens with its own scheme and no other") {
    ScriptFixture fixture;
    fixture.run("db = database(\"dfs://v\", VALUE, 1..10)");
    REQUIRE(fixture.run("database(\"dfs://v\", VALUE, 1..10)") == "DB[dfs://v]");
    REQUIRE_THROWS_WITH(fixture.run("database(\"dfs://v\", RANGE, 1..10)"),
                        Catch::Contains("another partition scheme"));
    REQUIRE_THROWS_WITH(fixture.run("database(\"dfs://none\")"), Catch::Contains("There is no database dfs://none"));
    REQUIRE_THROWS_WITH(fixture.run("database(\"dfs://x\", VALUE, 1.5 2.5)"),
                        Catch::Contains("The data type DOUBLE can't be used for a partition column"));
}

TEST_CASE("mistakes in tables are told by name") {
    ScriptFixture fixture;
    fixture.run(kTrades);
    REQUIRE_THROWS_WITH(fixture.run("db.createPartitionedTable(t, `trades, `date`sym)"),
                        Catch::Contains("exists already"));
    REQUIRE_THROWS_WITH(fixture.run("db.createPartitionedTable(t, `u, `date)"),
                        Catch::Contains("2 partition level(s)"));
    REQUIRE_THROWS_WITH(fixture.run("db.createPartitionedTable(t, `u, `date`price)"),
                        Catch::Contains("The data type DOUBLE can't be used"));
    REQUIRE_THROWS_WITH(fixture.run("db.createPartitionedTable(t, `u, `date`nothing)"), Catch::Contains("nothing"));
    REQUIRE_THROWS_WITH(fixture.run("loadTable(db, `nothing)"), Catch::Contains("There is no table nothing"));
    REQUIRE_THROWS_WITH(fixture.run("tableInsert(pt, table(1 2 as a))"),
                        Catch::Contains("fewer columns than the schema"));
}

TEST_CASE("rows outside the scheme are told in one line") {
    ScriptFixture fixture;
    fixture.run(kTrades);
    REQUIRE(fixture.run("tableInsert(pt, table(`A`B as s, 2024.01.01 2030.01.01 as d, 1.0 2.0 as p))") == "1");
    REQUIRE_THAT(fixture.printed, Catch::Contains("1 of 2 rows were not stored") && Catch::Contains("date=2030.01.01"));
}

TEST_CASE("schema describes tables and databases") {
    ScriptFixture fixture;
    fixture.run(kTrades);
    REQUIRE(fixture.run("schema(pt).partitionColumnName") == "[\"date\",\"sym\"]");
    REQUIRE(fixture.run("schema(pt).partitionColumnIndex") == "[1,0]");
    REQUIRE(fixture.run("schema(pt).partitionTypeName") == "[\"VALUE\",\"RANGE\"]");
    REQUIRE(fixture.run("schema(db).databaseDir") == "dfs://t");
    REQUIRE(fixture.run("schema(t).colDefs[`typeString]") == "[\"STRING\",\"DATE\",\"DOUBLE\"]");
    REQUIRE(fixture.run("schema(database(\"dfs://h\", HASH, [INT, 4])).partitionSchema") == "4");
}

TEST_CASE("partitions are added and dropped by name and value") {
    ScriptFixture fixture;
    fixture.run(kTrades);
    fixture.run("tableInsert(pt, t)");
    fixture.run("addValuePartitions(db, 2024.01.04 2024.01.05)");
    REQUIRE(fixture.run("tableInsert(pt, `C, 2024.01.05, 1.0)") == "1");
    fixture.run("dropPartition(db, \"/20240105\", `trades)");
    fixture.run("dropPartition(db, 2024.01.01)");
    REQUIRE(fixture.run("tableInsert(pt, `C, 2024.01.04, 1.0)") == "1");
    fixture.run("truncate(\"dfs://t\", `trades)");
    REQUIRE_THROWS_WITH(fixture.run("addRangePartitions(db, 1 2)"), Catch::Contains("another partition type"));
}

TEST_CASE("a text file goes into a table that is made from it") {
    ScriptFixture fixture;
    const std::string file = fixture.folder / "trades.csv";
    FileSystem::posix().create(file)->append(
        "sym,date,price\nIBM,2024-01-01,1.5\nXOM,2024-01-02,x\nXOM,2024-01-02,2.5\nA,2031-01-01,1\n");
    fixture.run("db = database(\"dfs://c\", VALUE, 2024.01.01..2024.01.03)");
    const std::string schema = "table(`sym`date`price as name, `SYMBOL`DATE`DOUBLE as type)";
    fixture.run("pt = loadTextEx(db, `trades, `date, \"" + file + "\", , " + schema + ")");
    REQUIRE_THAT(fixture.printed,
                 Catch::Contains("price: 1 field is no DOUBLE and became NULL, the first is \"x\" in line 3."));
    REQUIRE_THAT(fixture.printed, Catch::Contains("1 of 4 rows were not stored"));
    fixture.run("loadTextEx(db, `trades, `date, \"" + file + "\", , " + schema + ", , def(t) { return t })");
    REQUIRE(fixture.run("pt") == "Table[dfs://c/trades]");
    fixture.run("x = loadText(\"" + file + "\", schema=" + schema + ")");
    REQUIRE(fixture.run("tableInsert(x, x)") == "4");
    REQUIRE_THROWS_WITH(fixture.run("loadText(\"/no/such/file\")"), Catch::Contains("/no/such/file"));
}

TEST_CASE("a second process is told who has the folder") {
    ScriptFixture fixture;
    fixture.run("getClusterDFSDatabases()");
    LocalDatabaseService second({.folder = fixture.folder / "data"});
    REQUIRE_THROWS_WITH(second.storage(), Catch::Contains("in use"));
}
