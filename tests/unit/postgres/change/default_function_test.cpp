#include "postgres/change/default_function.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a foreign key sets the default of its column, computed anew") {
    ChangedTables tables;
    tables.run("create table p (id int primary key) using rows");
    tables.run(
        "create table c (id int primary key, a int default 1 + 1 references p on delete set default) using rows");
    tables.run("insert into p values (1), (2)");
    tables.run("insert into c values (1, 1)");
    CHECK(tables.run("delete from p where id = 1") == "DELETE 1");
    CHECK(tables.rows("select a from c") == "2");
    CHECK(tables.run("delete from p where id = 2") == "23503");
    CHECK(tables.rows("select id from p") == "2");
}
