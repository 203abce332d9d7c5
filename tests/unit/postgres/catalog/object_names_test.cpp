#include "postgres/catalog/object_names.h"

#include "postgres/catalog/object_numbers.h"
#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("numbers of regclass and its kin are shown as names") {
    ChangedTables tables;
    CHECK(tables.run("create schema market") == "CREATE SCHEMA");
    CHECK(tables.run("create table market.\"Trades\" (a int primary key)") == "CREATE TABLE");
    CHECK(tables.run("create table t (a int)") == "CREATE TABLE");
    CHECK(tables.rows("select 't'::regclass::text, 'pg_class'::regclass::text, 0::oid::regclass::text") ==
          "t|pg_class|-");
    CHECK(tables.rows("select 'market.\"Trades\"'::regclass::text || '!'") == "market.\"Trades\"!");
    CHECK(tables.rows("select indexrelid::regclass::text, indrelid::regclass::text from pg_index") ==
          "market.\"Trades_pkey\"|market.\"Trades\"");
    CHECK(tables.rows("select 'market'::regnamespace::text, 'int4'::regtype::text, 'admin'::regrole::text") ==
          "market|integer|admin");
    const Value numbers = Value::of(Vector::of<int64_t>(Type::Long, {tableNumber("market", "Trades"), 7}));
    const Value names = namesOfNumbers(numbers, oid::kRegclass, "market,public", tables.context());
    CHECK(names.at(0).string() == "\"Trades\"");
    CHECK(names.at(1).string() == "7");
    CHECK(namesOfNumbers(Value::nullOf(Type::Long), oid::kRegclass, "public", tables.context()).isNull());
}

TEST_CASE("a table in two schemas is shown without its schema only where the path finds it first") {
    ChangedTables tables;
    tables.run("create schema market");
    tables.run("create table market.t (a int)");
    tables.run("create table t (a int)");
    const Value number = Value::ofLong(tableNumber("market", "t"));
    CHECK(namesOfNumbers(number, oid::kRegclass, "public,market", tables.context()).string() == "market.t");
    CHECK(namesOfNumbers(number, oid::kRegclass, "market,public", tables.context()).string() == "t");
}
