#include "postgres/change/conflict_clause.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("an insert updates the rows whose keys are there") {
    ChangedTables tables;
    tables.run("create table t (a int primary key, b int, c text default 'd', unique (b)) using rows");
    tables.run("insert into t values (1, 10, 'x'), (2, 20, 'y')");
    CHECK(tables.returned("insert into t values (3, 30, 'z'), (1, 11, 'n') on conflict (a) do update "
                          "set b = excluded.b + t.b, c = t.c || excluded.c returning *") == "3|30|z;1|21|xn");
    CHECK(
        tables.run("insert into t values (1, 5), (4, 40) on conflict (a) do update set b = excluded.b where t.b < 0") ==
        "INSERT 0 1");
    CHECK(tables.rows("select * from t order by a") == "1|21|xn;2|20|y;3|30|z;4|40|d");
    CHECK(tables.run("insert into t as u values (2, 0) on conflict on constraint t_pkey do update set c = default, "
                     "b = u.b + 2") == "INSERT 0 1");
    CHECK(tables.run("insert into t values (9, 40) on conflict (b) do update set a = excluded.a") == "INSERT 0 1");
    CHECK(tables.rows("select * from t order by a") == "1|21|xn;2|22|d;3|30|z;9|40|d");
}

TEST_CASE("a statement that would meet a row twice, or breaks another key, changes nothing") {
    ChangedTables tables;
    tables.run("create table t (a int primary key, b int unique, check (b > 0)) using rows");
    tables.run("insert into t values (1, 1), (2, 2)");
    const std::string update = " on conflict (a) do update set b = excluded.b";
    CHECK(tables.run("insert into t values (1, 5), (1, 6)" + update) == "21000");
    CHECK(tables.run("insert into t values (3, 5), (3, 6)" + update) == "21000");
    CHECK(tables.run("insert into t values (3, 5), (1, 2)" + update) == "23505");
    CHECK(tables.run("insert into t values (3, 1)" + update) == "23505");
    CHECK(tables.run("insert into t values (3, 5), (1, -2)" + update) == "23514");
    CHECK(
        tables.run("insert into t values (1, 5), (1, 6) on conflict (a) do update set b = excluded.b where excluded.b "
                   "= 6") == "INSERT 0 1");
    CHECK(tables.run("insert into t values (3, 5), (3, 6) on conflict (a) do nothing") == "INSERT 0 1");
    CHECK(tables.rows("select * from t order by a") == "1|6;2|2;3|5");
}

TEST_CASE("what a conflict clause names must be there") {
    ChangedTables tables;
    tables.run("create table t (a int primary key, b int) using rows");
    CHECK(tables.run("insert into t values (1, 1) on conflict (b) do nothing") == "42P10");
    CHECK(tables.run("insert into t values (1, 1) on conflict do update set b = 1") == "42601");
    CHECK(tables.run("insert into t values (1, 1) on conflict (a) do update set b = b") == "42702");
    CHECK(tables.run("insert into t values (1, 1) on conflict (a) do update set b = excluded.z") == "42703");
    CHECK(tables.run("insert into t values (1, 1) on conflict on constraint none do nothing") == "42704");
    CHECK(tables.run("insert into t values (1, 1) on conflict (a) do update set b = 'x'") == "22P02");
    CHECK(tables.run("insert into t values (1, 1) on conflict (z) do nothing") == "42703");
    CHECK(tables.rows("select count(*) from t") == "0");
}

TEST_CASE("an update that moves a key frees it for the rows behind, and takes the new one") {
    ChangedTables tables;
    tables.run("create table t (a int primary key, b int) using rows");
    tables.run("insert into t values (1, 1)");
    const std::string move = " on conflict (a) do update set a = 9";
    CHECK(tables.run("insert into t values (1, 2), (9, 3)" + move) == "21000");
    CHECK(tables.run("insert into t values (1, 2), (1, 3), (1, 4)" + move) == "21000");
    CHECK(tables.rows("select * from t") == "1|1");
    CHECK(tables.run("insert into t values (1, 2), (1, 3)" + move) == "INSERT 0 2");
    CHECK(tables.rows("select * from t order by a") == "1|3;9|1");
}
