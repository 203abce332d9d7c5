#include "postgres/definition/rename.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("tables, constraints and indexes are renamed, and indexes dropped") {
    ChangedTables tables;
    tables.run("create table t (a int primary key, b int check (b > 0)) using rows");
    tables.run("create index i on t (b)");
    CHECK(tables.run("alter table t rename to u") == "ALTER TABLE");
    CHECK(tables.run("insert into u values (1, 1)") == "INSERT 0 1");
    CHECK(tables.run("insert into t values (1, 1)") == "42P01");
    CHECK(tables.run("alter table u rename constraint t_b_check to positive") == "ALTER TABLE");
    CHECK(tables.run("alter table u rename constraint none to other") == "42704");
    CHECK(tables.run("alter index i rename to j") == "ALTER TABLE");
    CHECK(tables.rows("select conname from pg_constraint order by 1") == "positive;t_pkey");
    CHECK(tables.run("drop index t_pkey") == "2BP01");
    CHECK(tables.run("drop index i") == "42704");
    CHECK(tables.run("drop index if exists i") == "DROP INDEX");
    CHECK(tables.run("drop index j") == "DROP INDEX");
    CHECK(tables.rows("select count(*) from pg_index") == "1");
    tables.run("create table other (a int)");
    CHECK(tables.run("alter table u rename to other") == "42P07");
    CHECK(tables.run("alter table u rename column a to b") == "42701");
    CHECK(tables.run("alter table u rename column z to y") == "42703");
}
