#include "postgres/functions/stored_text.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("a stored text is as long as its type allows") {
    CHECK(storedText("abc", {oid::kVarchar, 3 + 4}) == "abc");
    CHECK(storedText("abc  ", {oid::kVarchar, 4 + 4}) == "abc ");
    CHECK(storedText("abc  ", {oid::kBpchar, 5 + 4}) == "abc");
    CHECK(storedText("abc  ", {oid::kText, -1}) == "abc  ");
    CHECK(storedText(std::string_view("\0", 1), {oid::kText, -1}).empty());
    CHECK_THROWS_AS(storedText("abcd", {oid::kVarchar, 3 + 4}), SqlError);
}

TEST_CASE("an update checks what it stores") {
    ChangedTables tables;
    tables.run("create table t (a int not null, b char(3))");
    tables.run("insert into t values (1, 'x')");
    CHECK(tables.run("update t set a = nullif(a, 1)") == "23502");
    CHECK(tables.run("update t set b = b || 'yzw'") == "22001");
    CHECK(tables.run("update t set b = b || 'y '") == "UPDATE 1");
    CHECK(tables.rows("select b from t") == "xy");
}

TEST_CASE("'' is a value beside NULL in row tables alone") {
    ChangedTables tables;
    for (const std::string using_ : {"", " using rows"}) {
        const std::string table = using_.empty() ? "c" : "r";
        tables.run("create table " + table + " (a int, b text not null default '', c text default ''" +
                   (using_.empty() ? ")" : ", check (c = '' or length(c) > 1))") + using_);
        CHECK(tables.run("insert into " + table + " values (1, '', ''), (2, 'x', null)") == "INSERT 0 2");
        CHECK(tables.run("insert into " + table + " (a) values (3)") == "INSERT 0 1");
        CHECK(tables.run("update " + table + " set b = '', c = repeat('y', a) where a = 2") == "UPDATE 1");
    }
    CHECK(tables.rows("select a, b, c from c order by a") == "1|-|-;2|-|yy;3|-|-");
    CHECK(tables.rows("select a, b, c from r order by a") == "1||;2||yy;3||");
    CHECK(tables.rows("select count(c), count(*) from r where b = '' and b is not null") == "3|3");
    // NULL of a table of columns is equal to '' in a condition, and joins nothing.
    CHECK(tables.rows("select a from c where c = '' order by a") == "1;3");
    CHECK(tables.rows("select a from c where upper(c) = '' order by a") == "1;3");
    CHECK(tables.rows("select r.a from r join c on r.c = c.c") == "2");
    CHECK(tables.rows("select a from r where c in (select c from c) order by a") == "2");
    tables.reopen();
    CHECK(tables.rows("select a from r where c = '' order by a") == "1;3");
}
