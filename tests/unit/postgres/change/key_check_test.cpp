#include "postgres/change/key_check.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("no two rows have one primary key") {
    ChangedTables tables;
    tables.run("create table t (a int, b text, c int, primary key (b, a))");
    CHECK(tables.run("insert into t values (1, 'x', 1), (1, 'y', 1), (2, 'x', 1)") == "INSERT 0 3");
    CHECK(tables.run("insert into t values (3, 'x', 1), (3, 'x', 2)") == "23505");
    CHECK(tables.run("insert into t values (3, 'x', 1), (1, 'y', 2)") == "23505");
    CHECK(tables.run("insert into t select a, b, c + 1 from t where c = 1") == "23505");
    CHECK(tables.run("insert into t values (null, 'x', 1)") == "23502");
    CHECK(tables.run("update t set a = 5") == "0A000");
    CHECK(tables.run("update t set c = 5") == "UPDATE 3");
    CHECK(tables.run("delete from t where a = 2") == "DELETE 1");
    CHECK(tables.run("insert into t values (2, 'x', 7)") == "INSERT 0 1");
    CHECK(tables.rows("select a, b, c from t order by a, b") == "1|x|5;1|y|5;2|x|7");
}
