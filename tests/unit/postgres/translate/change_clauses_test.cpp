#include "postgres/change/prepared_change.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a parameter takes the type of the column that it is written to") {
    ChangedTables tables;
    tables.run("create table t (a bigint, b date, c varchar(3))");
    const auto statements = postgres::parseStatements("insert into t values ($2, $1, $3), (default, null, upper($3))");
    const auto change = postgres::prepareChange(*statements.at(0), {}, tables.facts(), tables.context());
    CHECK(change->parameterTypes() ==
          std::vector<postgres::Oid>{postgres::oid::kDate, postgres::oid::kInt8, postgres::oid::kVarchar});
    CHECK(
        change->run({{Value::scalar(Type::Date, 0), Value::ofLong(5), Value::ofString("x")}}, tables.context()).count ==
        2);
    CHECK(tables.rows("select * from t order by a") == "5|1970-01-01|x;-|-|X");
}

TEST_CASE("lists of values are of one length, and name no column") {
    ChangedTables tables;
    tables.run("create table t (a int, b int)");
    CHECK(tables.run("insert into t values (1, 2), (3)") == "42601");
    CHECK(tables.run("insert into t values (a, 2)") == "42703");
    CHECK(tables.run("insert into t values ((select count(*) from t), 2)") == "INSERT 0 1");
    CHECK(tables.run("insert into t values (count(*), 2)") == "42803");
    CHECK(tables.rows("select * from t") == "0|2");
}
