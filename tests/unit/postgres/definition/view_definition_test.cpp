// Views are made, replaced, read and dropped, and nothing is changed through them.
#include "postgres/definition/view_definition.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

namespace {

struct ViewedTables : ChangedTables {
    ViewedTables() {
        run("create table t (a int primary key, b text) using rows");
        run("insert into t values (1, 'x'), (2, null)");
    }
};

}  // namespace

TEST_CASE("a view has the rows of its query, under its own names") {
    ViewedTables tables;
    CHECK(tables.run("create view v (n) as select a * 10, b from t where a < 9") == "CREATE VIEW");
    CHECK(tables.run("create view v as select 1 as a") == "42P07");
    CHECK(tables.run("create table v (a int) using rows") == "42P07");
    CHECK(tables.rows("select * from v order by n") == "10|x;20|-");
    CHECK(tables.rows("select w.n, t.b from v w join t on t.a * 10 = w.n order by 1") == "10|x;20|-");
    CHECK(tables.rows("select a, (select count(*) from v where v.n = t.a * 10) from t order by a") == "1|1;2|1");
    CHECK(tables.rows("with t as (select 7 as a, 'cte' as b) select v.b from v, t order by 1") == "x;-");
    CHECK(tables.run("create or replace view v (n) as select a, b, 5 as c from t") == "CREATE VIEW");
    CHECK(tables.rows("select * from v order by n") == "1|x|5;2|-|5");
    CHECK(tables.run("create or replace view v (m) as select a, b, 5 as c from t") == "42P16");
    CHECK(tables.run("create or replace view v (n) as select b, b, 5 as c from t") == "42P16");
    CHECK(tables.run("create or replace view v as select a as n from t") == "42P16");
    CHECK(tables.run("create or replace view t as select 1 as a") == "42809");
}

TEST_CASE("the word before the query is found behind names and comments") {
    ViewedTables tables;
    CHECK(tables.run("create view \"as x\" (\"as\") /* as /* as */ select */ -- as select\n AS/**/select a from t") ==
          "CREATE VIEW");
    CHECK(tables.rows("select \"as\" from \"as x\" order by 1") == "1;2");
    CHECK(tables.run("create view values_too as values (1, 'a'), (2, 'b')") == "CREATE VIEW");
    CHECK(tables.rows("select column2 from values_too order by column1") == "a;b");
}

TEST_CASE("what a view cannot be is refused, and nothing is kept") {
    ViewedTables tables;
    for (const auto& [text, state] : {std::pair("create view v as select $1", "42P02"),
                                      std::pair("create view v as select nothing from t", "42703"),
                                      std::pair("create view v as select * from v", "42P01"),
                                      std::pair("create view v (x, y, z) as select a, b from t", "42601"),
                                      std::pair("create view v as select a, a from t", "42701"),
                                      std::pair("create temp view v as select a from t", "3F000"),
                                      std::pair("create recursive view v (n) as select 1", "0A000"),
                                      std::pair("create view v as select a from t for update", "0A000"),
                                      std::pair("create view v as select a from t with check option", "0A000"),
                                      std::pair("create view nowhere.v as select a from t", "3F000")}) {
        CAPTURE(text);
        CHECK(tables.run(text) == state);
    }
    CHECK(tables.rows("select count(*) from pg_views") == "0");
}

TEST_CASE("rows are not changed through a view") {
    ViewedTables tables;
    REQUIRE(tables.run("create view v as select a, b from t") == "CREATE VIEW");
    for (const char* text : {"insert into v values (3, 'y')", "update v set b = 'z'", "delete from v", "truncate v",
                             "alter table v add column c int", "create index on v (a)"}) {
        CAPTURE(text);
        CHECK(tables.run(text) == "0A000");
    }
    CHECK(tables.run("drop table v") == "42809");
    CHECK(tables.run("drop view t") == "42809");
    CHECK(tables.rows("select count(*) from v") == "2");
}

TEST_CASE("what a view reads goes with it, or not at all") {
    ViewedTables tables;
    REQUIRE(tables.run("create view v as select a from t") == "CREATE VIEW");
    REQUIRE(tables.run("create view w as select a from v") == "CREATE VIEW");
    CHECK(tables.run("create or replace view v as select a from w") == "42P17");
    CHECK(tables.run("drop table t") == "2BP01");
    CHECK(tables.run("drop view v") == "2BP01");
    CHECK(tables.run("drop view v, w") == "DROP VIEW");
    CHECK(tables.run("drop view v") == "42P01");
    CHECK(tables.run("drop view if exists v") == "DROP VIEW");
    REQUIRE(tables.run("create view v as select a from t") == "CREATE VIEW");
    REQUIRE(tables.run("create view w as select a from v") == "CREATE VIEW");
    CHECK(tables.run("drop table t cascade") == "DROP TABLE");
    CHECK(tables.rows("select count(*) from pg_views") == "0");
    REQUIRE(tables.run("create schema s") == "CREATE SCHEMA");
    REQUIRE(tables.run("create view s.v as select 1 as one") == "CREATE VIEW");
    CHECK(tables.run("drop schema s") == "2BP01");
    CHECK(tables.run("drop schema s cascade") == "DROP SCHEMA");
    CHECK(tables.rows("select count(*) from pg_views") == "0");
}

TEST_CASE("a view keeps its columns, and fails where it cannot") {
    ViewedTables tables;
    REQUIRE(tables.run("create view v as select * from t") == "CREATE VIEW");
    CHECK(tables.run("alter table t add column c int") == "ALTER TABLE");
    CHECK(tables.rows("select * from v order by a") == "1|x;2|-");
    CHECK(tables.run("alter table t drop column b") == "ALTER TABLE");
    CHECK_THROWS_WITH(tables.rows("select * from v"), Catch::Contains("are others now"));
}
