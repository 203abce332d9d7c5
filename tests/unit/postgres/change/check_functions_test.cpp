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
