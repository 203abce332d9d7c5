#include "postgres/definition/foreign_keys.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("foreign keys are defined with a table or later, and kept in the catalog") {
    ChangedTables tables;
    CHECK(tables.run("create table p (id int primary key, part bigint, u text unique) using rows") == "CREATE TABLE");
    CHECK(tables.run("create table c (a bigint references p on delete cascade, b text, constraint own foreign key (b) "
                     "references p (u) on update set null deferrable initially deferred) using rows") ==
          "CREATE TABLE");
    CHECK(tables.rows("select conname, contype, confdeltype, confupdtype, condeferred, conkey, confkey from "
                      "pg_constraint where contype = 'f' order by 1") ==
          "c_a_fkey|f|c|a|false|{1}|{1};own|f|a|n|true|{2}|{3}");
    CHECK(tables.rows("select pg_get_constraintdef(oid) from pg_constraint where contype = 'f' order by conname") ==
          "FOREIGN KEY (a) REFERENCES p(id) ON DELETE CASCADE;"
          "FOREIGN KEY (b) REFERENCES p(u) ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED");
    CHECK(tables.rows("select constraint_name, unique_constraint_name, delete_rule from "
                      "information_schema.referential_constraints order by 1") ==
          "c_a_fkey|p_pkey|CASCADE;own|p_u_key|NO ACTION");
    tables.run("insert into p values (1, 1, 'a')");
    CHECK(tables.run("insert into c values (2, 'a')") == "23503");
    CHECK(tables.run("insert into c values (1, 'a')") == "INSERT 0 1");
    CHECK(tables.run("alter table p drop constraint p_pkey") == "2BP01");
    tables.reopen();
    CHECK(tables.run("delete from p") == "DELETE 1");
    CHECK(tables.rows("select count(*) from c") == "0");
    CHECK(tables.run("alter table p drop constraint p_pkey cascade") == "ALTER TABLE");
    CHECK(tables.run("insert into c values (2, null)") == "INSERT 0 1");
    CHECK(tables.run("alter table c drop constraint own") == "ALTER TABLE");
    CHECK(tables.rows("select count(*) from pg_constraint where contype = 'f'") == "0");
}

TEST_CASE("a foreign key that cannot be is refused as PostgreSQL does") {
    ChangedTables tables;
    tables.run("create table p (id int primary key, part bigint, u text unique) using rows");
    tables.run("create table plain (id int) using rows");
    tables.run("create table columns (id int primary key)");
    const auto refused = [&](const std::string& columns) {
        return tables.run("create table c (" + columns + ") using rows");
    };
    CHECK(refused("a int references nowhere") == "42P01");
    CHECK(refused("a int references plain") == "42704");
    CHECK(refused("a int references p (part)") == "42830");
    CHECK(refused("a int references p (nobody)") == "42703");
    CHECK(refused("a int, foreign key (b) references p") == "42703");
    CHECK(refused("a int, b int, foreign key (a, b) references p") == "42830");
    CHECK(refused("a text references p") == "42804");
    CHECK(refused("a numeric(10,2) references p") == "0A000");
    CHECK(refused("a int references columns") == "0A000");
    CHECK(refused("a int references p match full") == "0A000");
    CHECK(refused("a int unique deferrable") == "0A000");
    CHECK(refused("a int constraint k check (a > 0) constraint k references p") == "42710");
    CHECK(tables.run("create table d (a int references p)") == "0A000");
    tables.run("insert into plain values (5)");
    CHECK(tables.run("alter table plain add foreign key (id) references p") == "23503");
    CHECK(tables.rows("select count(*) from pg_constraint where contype = 'f'") == "0");
}
