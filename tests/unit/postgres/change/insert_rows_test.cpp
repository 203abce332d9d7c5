#include "postgres/change/insert_rows.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("numbers of a sequence are taken for each row of a select") {
    ChangedTables tables;
    tables.run("create sequence s start 100");
    tables.run("create table source (x int)");
    tables.run("insert into source values (1), (2), (3)");
    tables.run("create table t (a bigint, x int, id serial) using rows");
    CHECK(tables.run("insert into t (a, x) select nextval('s'), x from source where x > 1") == "INSERT 0 2");
    CHECK(tables.run("insert into t values (nextval('s'), 7, default)") == "INSERT 0 1");
    CHECK(tables.rows("select a, id from t order by a") == "100|1;101|2;102|3");
}

TEST_CASE("a statement that fails has taken its numbers all the same") {
    ChangedTables tables;
    tables.run("create table t (id serial, a int not null) using rows");
    CHECK(tables.run("insert into t (a) values (null)") == "23502");
    CHECK(tables.returned("insert into t (a) values (1) returning id") == "2");
}
