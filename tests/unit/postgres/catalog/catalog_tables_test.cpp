#include "postgres/catalog/catalog_tables.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("the system catalog shows the tables") {
    CHECK(answer("select count(*) from pg_catalog.pg_class c join pg_namespace n on n.oid = c.relnamespace where "
                 "c.relname = 'pgItems' and n.nspname = 'public'") == "1");
    CHECK(answer("select column_name, data_type from information_schema.columns where table_name = 'pgOther' order by "
                 "ordinal_position") == "id|integer;v|integer");
    CHECK(answer("select typname from pg_type where oid = 23") == "int4");
}
