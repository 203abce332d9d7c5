#include "postgres/definition/column_rules.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("names of constraints are made as PostgreSQL makes them") {
    const auto isFree = [](const std::string&) { return false; };
    CHECK(madeName("t", "c", "check", isFree) == "t_c_check");
    CHECK(madeName("t", "", "pkey", isFree) == "t_pkey");
    CHECK(madeName("t", "c", "seq", [](const std::string& name) { return name == "t_c_seq"; }) == "t_c_seq1");
    const std::string made = madeName(std::string(60, 'a'), std::string(20, 'b'), "key", isFree);
    CHECK(made == std::string(38, 'a') + "_" + std::string(20, 'b') + "_key");
    CHECK(madeName(std::string(60, 'a'), "", "pkey", isFree).size() == 63);
}

TEST_CASE("checks refuse rows for which they are false, and take NULL") {
    ChangedTables tables;
    REQUIRE(
        tables.run("create table t (a int check (a > 0), b int, s varchar(5) constraint short check (length(s) < 4), "
                   "check (b > a), constraint sum check (a + b < 100)) using rows") == "CREATE TABLE");
    CHECK(
        tables.rows("select conname, pg_get_constraintdef(oid) from pg_constraint order by 1") ==
        "short|CHECK ((length(s) < 4));sum|CHECK (((a + b) < 100));t_a_check|CHECK ((a > 0));t_check|CHECK ((b > a))");
    CHECK(tables.run("insert into t values (1, 2, 'abc'), (null, null, null), (null, 5, 'x')") == "INSERT 0 3");
    CHECK(tables.run("insert into t values (1, 2, 'abc'), (0, 5, 'x')") == "23514");
    CHECK(tables.run("insert into t values (5, 4)") == "23514");
    CHECK(tables.run("insert into t values (50, 60)") == "23514");
    CHECK(tables.run("insert into t values (1, 2, 'abcd')") == "23514");
    CHECK(tables.run("update t set a = a + 1") == "23514");
    CHECK(tables.run("update t set b = b + 1") == "UPDATE 3");
    CHECK(tables.rows("select * from t order by a, b") == "1|3|abc;-|6|x;-|-|-");
    tables.reopen();
    CHECK(tables.run("update t set a = -1 where a = 1") == "23514");
}

TEST_CASE("a check that is no condition of the table is refused when it is made") {
    ChangedTables tables;
    CHECK(tables.run("create table t (a int check (a)) using rows") == "42804");
    CHECK(tables.run("create table t (a int check (z > 0)) using rows") == "42703");
    CHECK(tables.run("create table t (a int check (a > 'x')) using rows") == "22P02");
    CHECK(tables.run("create table t (a int check (a in (select 1))) using rows") == "0A000");
    CHECK(tables.run("create table t (a int constraint c check (a > 0) constraint c check (a > 1)) using rows") ==
          "42710");
    CHECK(tables.run("create table t (a int check (a > 0))") == "0A000");
    CHECK(tables.run("create table t (a int check (a > 0) check (a < 9)) using rows") == "CREATE TABLE");
    CHECK(tables.rows("select conname from pg_constraint order by 1") == "t_a_check;t_a_check1");
}
