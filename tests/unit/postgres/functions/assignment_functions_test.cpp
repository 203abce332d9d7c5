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
