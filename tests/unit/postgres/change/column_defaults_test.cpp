#include "postgres/change/column_defaults.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("columns that an insert leaves out have their defaults") {
    ChangedTables tables;
    for (const char* engine : {"rows", "columns"}) {
        tables.run("drop table if exists t");
        REQUIRE(tables.run(std::string("create table t (a int default 7, b text default 'x' || 'y', c date default "
                                       "date '2026-01-02' + 1, d numeric(6,2) default 1.005, e int) using ") +
                           engine) == "CREATE TABLE");
        CHECK(tables.run("insert into t default values") == "INSERT 0 1");
        CHECK(tables.run("insert into t (e) values (1), (2)") == "INSERT 0 2");
        CHECK(tables.run("insert into t values (default, 'own', default, 3, default), (1)") == "42601");
        CHECK(tables.run("insert into t values (default, 'own', default, 3, default), (1, null, null, null, 4)") ==
              "INSERT 0 2");
        CHECK(tables.run("insert into t (e, a) select e + 10, 8 from t where e = 1") == "INSERT 0 1");
        CHECK(tables.rows("select * from t order by e, a") ==
              "7|xy|2026-01-03|1.01|1;7|xy|2026-01-03|1.01|2;1|-|-|-|4;8|xy|2026-01-03|1.01|11;"
              "7|xy|2026-01-03|1.01|-;7|own|2026-01-03|3.00|-");
    }
}

TEST_CASE("a default is one value of a statement, unless its functions have another for each row") {
    ChangedTables tables;
    tables.run("create table t (a int, at timestamptz default now(), r float8 default random()) using rows");
    CHECK(tables.run("insert into t (a) values (1), (2), (3)") == "INSERT 0 3");
    CHECK(tables.rows("select count(distinct at), count(distinct r) from t") == "1|3");
}

TEST_CASE("a default that is no value of its column is refused when the table is made") {
    ChangedTables tables;
    CHECK(tables.run("create table t (a int default 'x') using rows") == "22P02");
    CHECK(tables.run("create table t (a int default true) using rows") == "42804");
    CHECK(tables.run("create table t (a int, b int default a) using rows") == "0A000");
    CHECK(tables.run("create table t (a int default (select 1)) using rows") == "0A000");
    CHECK(tables.run("create table t (a int default nothing()) using rows") == "42883");
    CHECK(tables.run("create table t (a int default 1 default 2) using rows") == "42601");
    CHECK(tables.run("create table t (a varchar(2) default 'long' not null) using rows") == "CREATE TABLE");
    CHECK(tables.run("insert into t default values") == "22001");
}

TEST_CASE("set to default is the default of the column, or NULL") {
    ChangedTables tables;
    tables.run("create table t (a int default 3, b int, s serial) using rows");
    tables.run("insert into t (a, b) values (1, 1), (2, 2)");
    CHECK(tables.returned("update t set a = default, b = default where s = 1 returning *") == "3|-|1");
    CHECK(tables.returned("update t set s = default returning s") == "3;4");
}
