#include "postgres/definition/definition.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("tables are made in the first schema of the search path, and dropped") {
    ChangedTables tables;
    CHECK(tables.run("create table t (a int)") == "CREATE TABLE");
    CHECK(tables.run("create table t (a int)") == "42P07");
    CHECK(tables.run("create table if not exists t (a int)") == "CREATE TABLE");
    CHECK(tables.rows("select relname from pg_class where relnamespace = 'public'::regnamespace") == "t");
    CHECK(tables.run("truncate t") == "TRUNCATE TABLE");
    tables.run("create table u (a int)");
    tables.run("insert into u values (1)");
    CHECK(tables.run("truncate t, nothing") == "42P01");
    CHECK(tables.run("truncate t, u") == "TRUNCATE TABLE");
    CHECK(tables.rows("select a from u") == "");
    CHECK(tables.run("create index on t (a)") == "CREATE INDEX");
    CHECK(tables.run("drop table t, nothing") == "42P01");
    CHECK(tables.rows("select a from t") == "");
    CHECK(tables.run("drop table t, t") == "DROP TABLE");
    CHECK(tables.run("drop table t") == "42P01");
    CHECK(tables.run("drop table if exists t") == "DROP TABLE");
    CHECK(tables.run("create table none.t (a int)") == "3F000");
}

TEST_CASE("a schema is a database") {
    ChangedTables tables;
    CHECK(tables.run("create schema s") == "CREATE SCHEMA");
    CHECK(tables.run("create schema s") == "42P06");
    CHECK(tables.run("create table s.t (a int)") == "CREATE TABLE");
    CHECK(tables.run("drop schema s") == "2BP01");
    CHECK(tables.run("drop schema s cascade") == "DROP SCHEMA");
    CHECK(tables.run("drop schema s") == "3F000");
    CHECK(tables.run("drop schema public cascade") == "0A000");
}
