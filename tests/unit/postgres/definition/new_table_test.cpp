#include "postgres/definition/new_table.h"

#include <nlohmann/json.hpp>

#include "postgres/parse/tree.h"
#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("columns are kept in the engine's types, and shown in those they were declared with") {
    const auto statements = parseStatements(
        "create table s.t (a bigint primary key, b varchar(5) not null, c numeric(12,3), d timestamptz) using columns");
    const NewTable table = newTableOf(bodyOf(*statements.at(0)->tree));
    CHECK(table.schema == "s");
    CHECK(table.columns.at(0).declared.keyPlace == 1);
    CHECK(table.columns.at(0).declared.isRequired);
    CHECK(table.columns.at(1).declared.shown.modifier == 9);
    const TableEntry entry = entryOf(table);
    CHECK(entry.schema.at(2).type == Type::Decimal64);
    CHECK(entry.schema.at(3).type == Type::NanoTimestamp);
    CHECK(entry.declaredTypeOf(3) == "1184 -1 0 0");
}

TEST_CASE("what no table of columns has is refused") {
    ChangedTables tables;
    for (const char* columns : {"a int unique", "a int check (a > 0)", "a int references t", "a interval", "a int[]",
                                "a text collate \"de_DE\"", "like t", ""})
        CHECK(tables.run(std::string("create table t (") + columns + ")") == "0A000");
    CHECK(tables.run("create temp table t (a int) on commit drop") == "0A000");
    CHECK(tables.run("create table t (a int) partition by range (a)") == "0A000");
    CHECK(tables.run("create table t (a int) using heap") == "42704");
    CHECK(tables.run("create table t (a int, \"A\" int)") == "42701");
    CHECK(tables.run("create table t (a int primary key, b int, primary key (b))") == "42P16");
    CHECK(tables.run("create table t (a int, primary key (b))") == "42703");
    CHECK(tables.run("create table t (a nonsense)") == "42704");
    CHECK(tables.run("create table t (a int default null)") == "CREATE TABLE");
}
