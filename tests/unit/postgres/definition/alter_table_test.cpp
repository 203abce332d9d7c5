#include "postgres/definition/alter_table.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("columns come, go and are renamed, with what is said of them") {
    ChangedTables tables;
    tables.run("create table t (a int primary key, b int check (b > 0), check (b > a)) using rows");
    tables.run("insert into t values (1, 2), (2, 3)");
    CHECK(tables.run("alter table t add column c text default 'x' not null") == "ALTER TABLE");
    CHECK(tables.run("alter table t add column d serial") == "ALTER TABLE");
    CHECK(tables.rows("select * from t order by a") == "1|2|x|1;2|3|x|2");
    CHECK(tables.run("alter table t add column c int") == "42701");
    CHECK(tables.run("alter table t add column if not exists c int") == "ALTER TABLE");
    CHECK(tables.run("alter table t add column e int not null") == "23502");
    CHECK(tables.run("alter table t rename column b to \"New b\"") == "ALTER TABLE");
    CHECK(tables.rows("select conname, pg_get_constraintdef(oid) from pg_constraint where contype = 'c' order by 1") ==
          "t_b_check|CHECK ((\"New b\" > 0));t_check|CHECK ((\"New b\" > a))");
    CHECK(tables.run("insert into t values (5, 4)") == "23514");
    CHECK(tables.run("insert into t values (5, 6)") == "INSERT 0 1");
    CHECK(tables.run("alter table t drop column \"New b\", drop column if exists nothing") == "ALTER TABLE");
    CHECK(tables.run("alter table t drop column a") == "ALTER TABLE");
    CHECK(tables.run("alter table t drop column a") == "42703");
    CHECK(tables.rows("select * from t order by d") == "x|1;x|2;x|4");
    CHECK(tables.rows("select count(*) from pg_constraint") == "0");
    CHECK(tables.run("alter table t drop column d") == "ALTER TABLE");
    CHECK(tables.rows("select count(*) from pg_sequence") == "0");
}

TEST_CASE("constraints are added where the rows satisfy them") {
    ChangedTables tables;
    tables.run("create table t (a int, b int) using rows");
    tables.run("insert into t values (1, 1), (2, null)");
    CHECK(tables.run("alter table t add constraint c check (a > 1)") == "23514");
    CHECK(tables.run("alter table t add check (b > 0)") == "ALTER TABLE");
    CHECK(tables.run("alter table t add primary key (b)") == "23502");
    CHECK(tables.run("alter table t add primary key (a), add unique (b)") == "ALTER TABLE");
    CHECK(tables.run("alter table t add primary key (b)") == "42P16");
    CHECK(tables.run("insert into t values (1, 5)") == "23505");
    CHECK(tables.run("insert into t values (3, 1)") == "23505");
    CHECK(tables.run("insert into t values (null, 6)") == "23502");
    CHECK(tables.run("alter table t drop constraint t_b_key, drop constraint t_b_check") == "ALTER TABLE");
    CHECK(tables.run("insert into t values (3, -1), (4, -1)") == "INSERT 0 2");
    CHECK(tables.run("alter table t add constraint u unique (b)") == "23505");
    CHECK(tables.run("alter table t drop constraint none") == "42704");
    CHECK(tables.run("alter table t drop constraint if exists none") == "ALTER TABLE");
    CHECK(tables.run("alter table t drop constraint t_pkey") == "ALTER TABLE");
    CHECK(tables.run("insert into t values (4, 9)") == "INSERT 0 1");
    CHECK(tables.run("alter table t alter column a drop not null") == "ALTER TABLE");
    CHECK(tables.run("insert into t values (null, 9)") == "INSERT 0 1");
    CHECK(tables.run("alter table t alter column a set not null") == "23502");
}

TEST_CASE("all commands of an alter table are carried out, or none") {
    ChangedTables tables;
    tables.run("create table t (a int) using rows");
    tables.run("insert into t values (1)");
    CHECK(tables.run("alter table t add column b int, add constraint c check (a > 5)") == "23514");
    CHECK(tables.run("alter table t add column b int, alter column z set not null") == "42703");
    CHECK(tables.rows("select * from t") == "1");
    CHECK(tables.run("alter table t add column b int, add constraint c check (b > 5), alter b set default 9") ==
          "ALTER TABLE");
    CHECK(tables.returned("insert into t (a) values (2) returning *") == "2|9");
    CHECK(tables.run("insert into t values (2, 3)") == "23514");
    CHECK(tables.run("alter table none add column b int") == "42P01");
    CHECK(tables.run("alter table if exists none add column b int") == "ALTER TABLE");
}

TEST_CASE("a default is set and dropped, and a type is made wider") {
    ChangedTables tables;
    tables.run("create table t (a int, s varchar(3))");
    CHECK(tables.run("alter table t alter column a set default 4") == "ALTER TABLE");
    CHECK(tables.returned("insert into t (s) values ('x') returning a") == "4");
    CHECK(tables.run("alter table t alter column a drop default") == "ALTER TABLE");
    CHECK(tables.returned("insert into t (s) values ('x') returning a") == "-");
    CHECK(tables.run("alter table t alter column a set default 'x'") == "22P02");
    CHECK(tables.run("insert into t values (1, 'long')") == "22001");
    CHECK(tables.run("alter table t alter column s type varchar(4)") == "ALTER TABLE");
    CHECK(tables.run("insert into t values (1, 'long')") == "INSERT 0 1");
    CHECK(tables.run("alter table t alter column s type varchar(2)") == "0A000");
    CHECK(tables.run("alter table t alter column a type text") == "0A000");
    CHECK(tables.run("alter table t owner to admin") == "ALTER TABLE");
}
