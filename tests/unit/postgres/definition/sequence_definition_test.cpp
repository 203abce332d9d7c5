#include "postgres/definition/sequence_definition.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("sequences give numbers by their options") {
    ChangedTables tables;
    CHECK(tables.run("create sequence s") == "CREATE SEQUENCE");
    CHECK(tables.run("create sequence s") == "42P07");
    CHECK(tables.run("create sequence if not exists s") == "CREATE SEQUENCE");
    CHECK(tables.rows("select nextval('s'), nextval('public.s')") == "1|2");
    CHECK(tables.rows("select currval('s'), lastval()") == "2|2");
    CHECK(tables.rows("select setval('s', 10), nextval('s')") == "10|11");
    CHECK(tables.rows("select setval('s', 10, false)") == "10");
    CHECK(tables.rows("select nextval('s')") == "10");
    CHECK(tables.run("create sequence d increment -2 start 9 minvalue 5 maxvalue 9 cycle") == "CREATE SEQUENCE");
    CHECK(tables.rows("select nextval('d') from generate_series(1, 4)") == "9;7;5;9");
    CHECK(tables.run("alter sequence s restart with 100") == "ALTER SEQUENCE");
    CHECK(tables.rows("select nextval('s')") == "100");
    CHECK(tables.run("alter sequence s increment 5 restart") == "ALTER SEQUENCE");
    CHECK(tables.rows("select nextval('s')") == "1");
    CHECK(tables.rows("select nextval('s')") == "6");
    CHECK(tables.run("drop sequence s, d") == "DROP SEQUENCE");
    CHECK(tables.run("drop sequence s") == "42P01");
    CHECK(tables.run("drop sequence if exists s") == "DROP SEQUENCE");
}

TEST_CASE("a sequence that numbers a column goes with its table, and not before") {
    ChangedTables tables;
    CHECK(
        tables.run("create table t (id serial primary key, n bigint generated always as identity, b int) using rows") ==
        "CREATE TABLE");
    CHECK(tables.returned("insert into t (b) values (5), (6) returning *") == "1|1|5;2|2|6");
    CHECK(tables.rows("select pg_get_serial_sequence('t', 'id'), currval(pg_get_serial_sequence('t', 'n'))") ==
          "public.t_id_seq|2");
    CHECK(tables.run("insert into t values (10, default, 1)") == "INSERT 0 1");
    CHECK(tables.run("insert into t values (11, 9, 1)") == "428C9");
    CHECK(tables.run("insert into t overriding system value values (11, 9, 1)") == "INSERT 0 1");
    CHECK(tables.run("insert into t overriding user value values (12, 9, 1)") == "INSERT 0 1");
    CHECK(tables.run("update t set n = 5") == "428C9");
    CHECK(tables.rows("select * from t order by id") == "1|1|5;2|2|6;10|3|1;11|9|1;12|4|1");
    CHECK(tables.run("drop sequence t_id_seq") == "2BP01");
    CHECK(tables.rows("select column_name, column_default, is_identity from information_schema.columns where "
                      "table_name = 't' order by ordinal_position") ==
          "id|nextval(('public.t_id_seq')::regclass)|NO;n|-|YES;b|-|NO");
    CHECK(tables.run("insert into t (id) values (null)") == "23502");
    CHECK(tables.run("drop table t") == "DROP TABLE");
    CHECK(tables.rows("select count(*) from pg_sequence") == "0");
    CHECK(tables.run("create table t (id serial) using rows") == "CREATE TABLE");
    CHECK(tables.returned("insert into t default values returning id") == "1");
}
