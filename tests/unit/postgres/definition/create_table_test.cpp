#include "postgres/definition/create_table.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("indexes of constraints have PostgreSQL's names, and one of the same columns is one") {
    ChangedTables tables;
    CHECK(tables.run("create table t (a int primary key unique, b int unique, c int, unique (b, c), constraint own "
                     "unique (c)) using rows") == "CREATE TABLE");
    CHECK(tables.rows("select conname, contype from pg_constraint order by 1") ==
          "own|u;t_b_c_key|u;t_b_key|u;t_pkey|p");
    CHECK(tables.rows("select count(*) from pg_index") == "4");
    CHECK(tables.run("create table u (a int constraint x unique, b int constraint x unique) using rows") == "42P07");
}

TEST_CASE("a table that is not made leaves no sequence") {
    ChangedTables tables;
    CHECK(tables.run("create table t (id serial, id2 serial default 3) using rows") == "42601");
    CHECK(tables.run("create table t (id serial, a int check (z > 1)) using rows") == "42703");
    CHECK(tables.rows("select count(*) from pg_sequence") == "0");
    CHECK(tables.run("create table t (id serial) using rows") == "CREATE TABLE");
    CHECK(tables.run("create table t (id serial) using rows") == "42P07");
    CHECK(tables.run("create table if not exists t (id serial) using rows") == "CREATE TABLE");
    CHECK(tables.rows("select relname from pg_class where relkind = 'S'") == "t_id_seq");
}
