#include "postgres/definition/temporary_tables.h"

#include "postgres/catalog/table_names.h"
#include "postgres/definition/definition_scope.h"
#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("a schema of temporary tables goes with its session, or by the next one that is made") {
    ChangedTables tables;
    const std::string own = makeTemporarySchema(71, tables.context());
    CHECK(isTemporarySchema(own));
    CHECK_FALSE(isTemporarySchema("public"));
    for (const char* method : {"rows", "columns"}) {
        const std::string name = own + ".of_" + method;
        CHECK(tables.run("create table " + name + " (id serial, s text) using " + method) == "CREATE TABLE");
        CHECK(tables.run("insert into " + name + " (s) values ('x')") == "INSERT 0 1");
    }
    // A process that was killed has left its schema.
    CHECK(tables.run("create table public.stays (a int)") == "CREATE TABLE");
    callBuiltin(tables.context(), "database",
                {Value::ofString("dfs://pg_temp_72"), Value::ofInt(1), Value::of(Vector::of<int32_t>(Type::Int, {0}))});
    const std::string other = makeTemporarySchema(73, tables.context());
    CHECK_FALSE(findSchema("pg_temp_72", tables.context()));
    CHECK(findSchema(own, tables.context()) == own);
    dropTemporarySchema(own, *tables.context().services);
    CHECK_FALSE(findSchema(own, tables.context()));
    CHECK(findSchema(other, tables.context()) == other);
    dropTemporarySchema(other, *tables.context().services);
    CHECK(tables.rows("select count(*) from stays") == "0");
}

TEST_CASE("without a session there are no temporary tables") {
    ChangedTables tables;
    CHECK(tables.run("create temp table t (a int)") == "3F000");
    CHECK(tables.run("create temp table public.t (a int)") == "42P16");
    CHECK(tables.run("create temp table t (a int) on commit drop") == "0A000");
    CHECK(tables.run("create temp sequence s") == "3F000");
    CHECK(tables.run("create temp sequence public.s") == "42P16");
}
