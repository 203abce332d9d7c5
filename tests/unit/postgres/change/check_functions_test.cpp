#include "postgres/change/check_functions.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("a check meets the types that columns were declared with") {
    ChangedTables tables;
    tables.run(
        "create table t (c char(3), at timestamptz, n numeric(5,1), check (c = 'a'), check (at > "
        "'2026-01-01'), check (n between 1 and 2.5)) using rows");
    CHECK(tables.run("insert into t values ('a  ', '2026-02-01', 2.5)") == "INSERT 0 1");
    CHECK(tables.run("insert into t values ('b', '2026-02-01', 2.5)") == "23514");
    CHECK(tables.run("insert into t values ('a', '2025-02-01', 2.5)") == "23514");
    CHECK(tables.run("insert into t values ('a', '2026-02-01', 2.6)") == "23514");
    CHECK(tables.run("insert into t values ('a', null, null)") == "INSERT 0 1");
}

TEST_CASE("a check that fails to compute ends the statement with its error") {
    ChangedTables tables;
    tables.run("create table t (a int check (10 / a > 1)) using rows");
    CHECK(tables.run("insert into t values (5)") == "INSERT 0 1");
    CHECK(tables.run("insert into t values (0)") == "22012");
    CHECK(tables.rows("select * from t") == "5");
}

TEST_CASE("checks are bound once and meet later rows by their own values and time") {
    ChangedTables tables;
    tables.run(
        "create table t (a int, b int, at timestamp, check (a > 0 and (b is null or a < b)), check (at <= now()), "
        "check (1 = 1)) using rows");
    CHECK(tables.run("insert into t values (1, 2, '2026-01-01'), (1, null, null)") == "INSERT 0 2");
    CHECK(tables.run("insert into t values (2, 2, null)") == "23514");
    CHECK(tables.run("insert into t values (null, 2, null)") == "INSERT 0 1");
    CHECK(tables.run("insert into t values (3, 4, '2200-01-01')") == "23514");
    CHECK(tables.run("update t set a = 5 where b = 2 and a is null") == "23514");
    CHECK(tables.run("insert into t (a, b) values (5, 6), (7, 6), (8, 9)") == "23514");
    // Another table has the same words over other columns.
    tables.run("create table u (b int, a text, check (a > 'b' and (b is null or b < 3))) using rows");
    CHECK(tables.run("insert into u values (1, 'c')") == "INSERT 0 1");
    CHECK(tables.run("insert into u values (3, 'c')") == "23514");
    CHECK(tables.run("insert into u values (1, 'a')") == "23514");
}
