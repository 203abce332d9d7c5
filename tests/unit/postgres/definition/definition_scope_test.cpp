#include "postgres/definition/definition_scope.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("tables, indexes and sequences of a schema share their names") {
    ChangedTables tables;
    tables.run("create table t (id serial primary key, a int unique) using rows");
    DefinitionScope scope(tables.facts(), tables.context());
    for (const char* name : {"t", "t_pkey", "t_a_key", "t_id_seq"}) CHECK(scope.exists("public", name));
    CHECK_FALSE(scope.exists("public", "t_b_key"));
    CHECK(scope.schemaFor("") == "public");
    CHECK_THROWS_AS(scope.schemaFor("none"), SqlError);
    CHECK(tables.run("create sequence t_pkey") == "42P07");
    CHECK(tables.run("create table t_a_key (a int)") == "42P07");
    CHECK(tables.run("create index t_id_seq on t (a)") == "42P07");
}
