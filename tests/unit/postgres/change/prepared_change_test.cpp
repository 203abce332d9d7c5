#include "postgres/change/prepared_change.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("inserted rows have the values of their columns' types, and NULL where none is given") {
    ChangedTables tables;
    REQUIRE(tables.run("create table t (a int, b text, c numeric(6,2), d date)") == "CREATE TABLE");
    CHECK(tables.run("insert into t values (1, 'x', 1.239, '2026-01-02'), (2, '', 1 + 1, null)") == "INSERT 0 2");
    CHECK(tables.run("insert into t (b, a) values (3::text, 2.6)") == "INSERT 0 1");
    CHECK(tables.run("insert into t default values") == "INSERT 0 1");
    CHECK(tables.run("insert into t select a + 10, b, c * 2 from t where a = 1") == "INSERT 0 1");
    CHECK(tables.run("insert into t values ($1, $2, $3)", {Value::ofInt(7), Value::ofString("p"), Value()}) ==
          "INSERT 0 1");
    CHECK(tables.rows("select * from t order by a") ==
          "1|x|1.24|2026-01-02;2|-|2.00|-;3|3|-|-;7|p|-|-;11|x|2.48|-;-|-|-|-");
}

TEST_CASE("an insert that fails stores nothing") {
    ChangedTables tables;
    tables.run("create table t (a smallint, b varchar(3) not null, c numeric(4,2))");
    CHECK(tables.run("insert into t values (1, 'x'), (70000, 'y')") == "22003");
    CHECK(tables.run("insert into t values (1, 'x'), (2, 'long')") == "22001");
    CHECK(tables.run("insert into t values (1, 'x'), (2, null)") == "23502");
    CHECK(tables.run("insert into t (a) values (1)") == "23502");
    CHECK(tables.run("insert into t values (1, 'x', 100)") == "22003");
    CHECK(tables.run("insert into t values ('one', 'x')") == "22P02");
    CHECK(tables.run("insert into t values (true, 'x')") == "42804");
    CHECK(tables.run("insert into t values (1, 'x', 2, 3)") == "42601");
    CHECK(tables.run("insert into t (a, b) values (1)") == "42601");
    CHECK(tables.run("insert into t (a, a) values (1, 2)") == "42701");
    CHECK(tables.run("insert into t (z) values (1)") == "42703");
    CHECK(tables.run("insert into nothing values (1)") == "42P01");
    CHECK(tables.run("insert into pg_class values (1)") == "42809");
    CHECK(tables.run("delete from t returning a") == "0A000");
    CHECK(tables.run("insert into t values (1, 'x') returning z") == "42703");
    CHECK(tables.run("insert into t values (1, 'x') on conflict do nothing") == "0A000");
    CHECK(tables.rows("select count(*) from t") == "0");
    CHECK(tables.run("insert into t values (1, 'x     ')") == "INSERT 0 1");
}

TEST_CASE("updates and deletes meet the rows whose condition is true") {
    ChangedTables tables;
    tables.run("create table t (a int, b varchar(4), c int not null)");
    tables.run("insert into t values (1, 'x', 10), (2, null, 20), (null, 'y', 30)");
    CHECK(tables.run("update t set c = c + $1, b = 'new' where a < 3 and b is null", {Value::ofInt(5)}) == "UPDATE 1");
    CHECK(tables.run("update t set b = '' where a = 1") == "UPDATE 1");
    CHECK(tables.run("update t as u set c = (select max(c) from t) where not (u.a = 1)") == "UPDATE 1");
    CHECK(tables.rows("select * from t order by a") == "1|-|10;2|new|30;-|y|30");
    CHECK(tables.run("update t set c = null") == "23502");
    CHECK(tables.run("update t set b = 'longer'") == "22001");
    CHECK(tables.run("update t set b = 'a', b = 'b'") == "42601");
    CHECK(tables.run("update t set c = (select max(o.c) from t o where o.a = t.a)") == "0A000");
    CHECK(tables.run("delete from t where c = 30") == "DELETE 2");
    CHECK(tables.run("delete from t where b = 'none'") == "DELETE 0");
    CHECK(tables.rows("select a from t") == "1");
}

TEST_CASE("returning gives what was inserted, in the types of the table") {
    ChangedTables tables;
    tables.run("create table t (a int, b varchar(4), c numeric(8,2))");
    const auto statement =
        parseStatements("insert into t as n (a, c) values (1, 2), (7, 1.5) returning n.a + 1, *").at(0);
    const auto change = prepareChange(*statement, {}, tables.facts(), tables.context());
    REQUIRE(change->columns().size() == 4);
    CHECK(change->columns()[1].label == "a");
    CHECK(change->columns()[3].type == oid::kNumeric);
    const Ref<MemoryTable> made = change->rows({}, tables.context());
    const Ref<MemoryTable> rows = change->returned(made, {}, tables.context());
    REQUIRE(rows->rowCount() == 2);
    CHECK(rows->column(0).at(1).integer() == 8);
    CHECK(rows->column(2).at(0).isNull());
    CHECK(textForm(rows->column(3).at(1), oid::kNumeric, change->columns()[3].modifier) == "1.50");
}

TEST_CASE("returning of a row table gives new rows of an update, and old ones of a delete") {
    ChangedTables tables;
    tables.run("create table t (a int primary key, b text, c numeric(8,2)) using rows");
    tables.run("insert into t values (1, 'x', 1), (2, 'y', 2), (3, 'z', 3)");
    CHECK(tables.returned("update t as u set c = c * 2, b = 'n' || b where a > 1 returning u.a, b, c + 1 as more") ==
          "2|ny|5.00;3|nz|7.00");
    CHECK(tables.returned("update t set b = b returning *") == "1|x|1.00;2|ny|4.00;3|nz|6.00");
    CHECK(tables.returned("update t set b = 'q' where a = 9 returning a") == "");
    CHECK(tables.returned("delete from t where a = 2 returning a, b") == "2|ny");
    CHECK(tables.returned("delete from t where a = 2 returning a") == "");
    CHECK(tables.returned("insert into t values (4, 'w', 4) returning t.*, a + 1") == "4|w|4.00|5");
}

TEST_CASE("a returning that fails leaves the rows as they were") {
    ChangedTables tables;
    tables.run("create table t (a int primary key, b int) using rows");
    tables.run("insert into t values (1, 0), (2, 1)");
    CHECK(tables.returned("update t set a = a + 10 returning 1 / b") == "22012");
    CHECK(tables.returned("delete from t returning 1 / b") == "22012");
    CHECK(tables.returned("insert into t values (3, 0) returning 1 / b") == "22012");
    CHECK(tables.returned("insert into t values (3, 0) on conflict do nothing returning 1 / b") == "22012");
    CHECK(tables.returned("insert into t values (1, 0) on conflict (a) do update set b = 0 returning 1 / t.b") ==
          "22012");
    CHECK(tables.rows("select * from t order by a") == "1|0;2|1");
}

TEST_CASE("a change notices that its table is defined anew since it was bound") {
    ChangedTables tables;
    tables.run("create table t (a int, b int default 1) using rows");
    const auto statement = parseStatements("insert into t (a) values (1)").at(0);
    const auto change = prepareChange(*statement, {}, tables.facts(), tables.context());
    change->run({}, tables.context());
    tables.run("alter table t alter column b set default 2");
    CHECK_THROWS_AS(change->run({}, tables.context()), StaleStatement);
    CHECK(tables.rows("select * from t") == "1|1");
}

TEST_CASE("numerics without a scale are shown with their own digits") {
    ChangedTables tables;
    REQUIRE(tables.run("create table t (a int, n numeric, m numeric(6,2))") == "CREATE TABLE");
    REQUIRE(tables.run("insert into t values (1, 1.5, 1.5), (2, 100, 2), (3, -0.001, 3), (4, null, null)") ==
            "INSERT 0 4");
    CHECK(tables.rows("select n, n + 1, n * m, -n, n::text || 'x' from t order by a") ==
          "1.5|2.5|2.25|-1.5|1.5x;100|101|200|-100|100x;-0.001|0.999|-0.003|0.001|-0.001x;-|-|-|-|-");
    CHECK(tables.rows("select sum(n), min(n), max(n), coalesce(max(n), 0) from t") == "101.499|-0.001|100|100");
    CHECK(tables.rows("select case when a = 1 then m else n end from t order by a") == "1.5;100;-0.001;-");
    CHECK(tables.rows("select n from t where a < 3 union all select m from t where a = 3 order by 1") == "1.5;3;100");
    CHECK(
        tables.rows("select 2.5::float8::numeric, (select n from t where a = 2), array(select n from t where a = 1)") ==
        "2.5|100|{1.5}");
}
