#include "postgres/parse/row_comparison.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("rows of values compare value by value, and with lists of rows") {
    ChangedTables tables;
    tables.run("create table t (a int, b int) using rows");
    tables.run("insert into t values (1, 1), (1, 2), (2, 1), (2, null)");
    CHECK(tables.rows("select a, b from t where (a, b) in ((1, 2), (2, 1)) order by a") == "1|2;2|1");
    CHECK(tables.rows("select a, b from t where (a, b) not in ((1, 2), (2, 1)) order by a") == "1|1");
    CHECK(tables.rows("select a, b from t where (a, b) = (2, 1)") == "2|1");
    CHECK(tables.rows("select count(*) from t where (a, b) <> (2, 1)") == "2");
    CHECK(tables.rows("select (a, b) in ((2, 1), (3, 1)) from t where b is null") == "-");
    CHECK(tables.returned("delete from t where (a, b) in ((1, 1)) returning a") == "1");
    CHECK(tables.run("delete from t where (a, b) in ((1, 1, 1))") == "42601");
    CHECK(tables.run("delete from t where (a, b) < (1, 1)") == "0A000");
}

TEST_CASE("columns that a grouped primary key determines need no group of their own") {
    ChangedTables tables;
    tables.run("create table w (id int primary key, ytd int) using rows");
    tables.run("create table h (id int, amount int) using rows");
    tables.run("insert into w values (1, 7), (2, 5)");
    tables.run("insert into h values (1, 3), (1, 4), (2, 5)");
    CHECK(tables.rows("select w.id, ytd, sum(amount) from w, h where w.id = h.id group by w.id order by 1") ==
          "1|7|7;2|5|5");
    CHECK(tables.rows("select w.id from w, h where w.id = h.id group by w.id having ytd > 5") == "1");
}
