#include "tests/unit/postgres/answers.h"
#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("a recursive query reads its own rows under its name and columns") {
    CHECK(answer("with recursive t(a, b) as (select 1, 'x' union all select a + 1, b || 'y' from t where a < 3) "
                 "select a, b from t order by a") == "1|x;2|xy;3|xyy");
    CHECK(answer("with recursive t(n) as (select id from pgitems where id = 1 union all select i.id from pgitems i "
                 "join t on i.id = t.n + 1) select n from t order by n") == "1;2;3");
    CHECK(answer("with recursive a as (select 5 as n), t(n) as (select n from a union all select n - 1 from t "
                 "where n > 4) select sum(t.n), max(u.n) from t, t u") == "18|5");
}

TEST_CASE("with recursive takes queries that are not recursive, too") {
    CHECK(answer("with recursive t as (select id from pgitems where id > 2) select count(*) from t") == "2");
    CHECK(stateOf("with recursive t(n) as (select 1 union all select n from t order by 1) select 1") == "0A000");
}

TEST_CASE("names in a view are found as when it was made") {
    ChangedTables tables;
    REQUIRE(tables.run("create schema s") == "CREATE SCHEMA");
    REQUIRE(tables.run("create table t (a int) using rows") == "CREATE TABLE");
    REQUIRE(tables.run("create table s.t (b int, c int) using rows") == "CREATE TABLE");
    REQUIRE(tables.run("insert into t values (1)") == "INSERT 0 1");
    REQUIRE(tables.run("create view v as select * from t") == "CREATE VIEW");
    SessionFacts session = tables.facts();
    session.searchPath = {"s"};
    const auto query = prepareQuery(*parseStatements("select * from public.v")[0], {}, session, tables.context());
    CHECK(query->columns().size() == 1);
    CHECK(query->run({}, tables.context())->rowCount() == 1);
    CHECK_FALSE(query->isShareable());
}

TEST_CASE("a query over a view that was replaced is stale") {
    ChangedTables tables;
    REQUIRE(tables.run("create view v as select 1 as a") == "CREATE VIEW");
    const auto query = prepareQuery(*parseStatements("select a from v")[0], {}, tables.facts(), tables.context());
    CHECK(query->run({}, tables.context())->rowCount() == 1);
    REQUIRE(tables.run("create or replace view v as select 2 as a") == "CREATE VIEW");
    CHECK_THROWS_AS(query->run({}, tables.context()), StaleStatement);
    REQUIRE(tables.run("drop view v") == "DROP VIEW");
    CHECK_THROWS_AS(query->run({}, tables.context()), StaleStatement);
}
