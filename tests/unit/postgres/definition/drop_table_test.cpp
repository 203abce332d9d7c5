#include "postgres/definition/drop_table.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a table that others refer to goes with them, or by cascade alone") {
    ChangedTables tables;
    const auto make = [&] {
        tables.run("create table p (id int primary key, q int) using rows");
        tables.run("create table c (id int primary key, a int references p) using rows");
    };
    make();
    CHECK(tables.run("drop table p") == "2BP01");
    CHECK(tables.run("drop table p, c") == "DROP TABLE");
    make();
    CHECK(tables.run("drop table p cascade") == "DROP TABLE");
    CHECK(tables.run("insert into c values (1, 7)") == "INSERT 0 1");
    tables.run("drop table c");
    make();
    CHECK(tables.run("alter table p add foreign key (q) references c") == "ALTER TABLE");
    CHECK(tables.run("drop table c, p") == "DROP TABLE");
    CHECK(tables.rows("select count(*) from pg_constraint") == "0");
}

TEST_CASE("a table that others refer to is emptied with them alone") {
    ChangedTables tables;
    tables.run("create table p (id int primary key) using rows");
    tables.run("create table c (id int primary key, a int references p) using rows");
    tables.run("insert into p values (1)");
    tables.run("insert into c values (1, 1)");
    CHECK(tables.run("truncate p") == "0A000");
    CHECK(tables.run("truncate p, c") == "TRUNCATE TABLE");
    CHECK(tables.rows("select count(*) from p") == "0");
    tables.run("insert into p values (1)");
    tables.run("insert into c values (1, 1)");
    CHECK(tables.run("truncate p cascade") == "TRUNCATE TABLE");
    CHECK(tables.rows("select count(*) from c") == "0");
}
