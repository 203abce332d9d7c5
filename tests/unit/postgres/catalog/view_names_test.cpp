// Views are found along the search path, as tables are, and shown in the catalog.
#include "postgres/catalog/view_names.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("a view is found along the search path, up to a table of the name") {
    ChangedTables tables;
    for (const char* text : {"create schema other", "create table t (a int) using rows",
                             "create view other.v as select a from t", "create view other.t as select 1 as b"})
        REQUIRE(tables.run(text).starts_with("CREATE"));
    SessionFacts session;
    session.searchPath = {"public", "other"};
    CHECK(findView("", "v", session, tables.context())->database == "dfs://other");
    CHECK_FALSE(findView("", "t", session, tables.context()));
    CHECK(findView("other", "t", session, tables.context()));
    CHECK_FALSE(findView("public", "v", session, tables.context()));
    CHECK(shownViews(tables.context()).size() == 2);
    CHECK(viewsReading("dfs://public", "t", tables.context()).size() == 1);
}

TEST_CASE("catalogs show views") {
    ChangedTables tables;
    REQUIRE(tables.run("create view v(x, y) as select 1, 'a'::varchar(5)") == "CREATE VIEW");
    CHECK(tables.rows("select relkind, relnatts from pg_class where relname = 'v'") == "v|2");
    CHECK(
        tables.rows("select attname, format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'v'::regclass "
                    "order by attnum") == "x|integer;y|character varying(5)");
    CHECK(tables.rows("select viewname, definition from pg_views") == "v| select 1, 'a'::varchar(5)");
    CHECK(tables.rows("select table_name, view_definition is null from information_schema.views") == "v|false");
    CHECK(tables.rows("select table_type from information_schema.tables where table_name = 'v'") == "VIEW");
    CHECK(tables.rows("select column_name from information_schema.columns where table_name = 'v' order by 1") == "x;y");
    CHECK(tables.rows("select pg_get_viewdef('v'::regclass), ('v'::regclass)::text") ==
          " select 1, 'a'::varchar(5);|v");
    CHECK(tables.rows("select pg_table_is_visible('v'::regclass)") == "true");
}
