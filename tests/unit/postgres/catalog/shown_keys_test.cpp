#include "postgres/catalog/shown_keys.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("primary keys are constraints and indexes of the catalog") {
    ChangedTables tables;
    CHECK(tables.run("create table \"Orders\" (note text, day date, id int, primary key (id, day))") == "CREATE TABLE");
    CHECK(tables.run("create table plain (a int)") == "CREATE TABLE");
    const std::vector<TableKey> keys = tableKeys(tables.context());
    REQUIRE(keys.size() == 1);
    CHECK(keys[0].places == std::vector<int>{3, 2});
    CHECK(constraintDefinition(keys[0]) == "PRIMARY KEY (id, day)");
    CHECK(indexDefinition(keys[0]) == "CREATE UNIQUE INDEX \"Orders_pkey\" ON public.\"Orders\" USING btree (id, day)");
    CHECK(tables.rows("select conname, contype, conkey from pg_constraint") == "Orders_pkey|p|{3,2}");
    CHECK(tables.rows("select c.relname, i.indkey, i.indisprimary from pg_index i "
                      "join pg_class c on c.oid = i.indexrelid") == "Orders_pkey|3 2|true");
    CHECK(tables.rows("select relname, relkind, relhasindex from pg_class where relname in ('Orders', 'plain', "
                      "'Orders_pkey') order by 1") == "Orders|r|true;Orders_pkey|i|false;plain|r|false");
    CHECK(tables.rows("select a.attname from pg_constraint n cross join lateral unnest(n.conkey) as k(n) "
                      "join pg_attribute a on a.attrelid = n.conrelid and a.attnum = k.n") == "id;day");
    CHECK(tables.rows("select column_name, ordinal_position from information_schema.key_column_usage") == "id|1;day|2");
    CHECK(tables.rows("select constraint_type from information_schema.table_constraints") == "PRIMARY KEY");
    CHECK(tables.rows("select relname from pg_class where relkind = 'i' and pg_table_is_visible(oid)") ==
          "Orders_pkey");
    CHECK(tables.rows("select indexdef from pg_indexes") == indexDefinition(keys[0]));
    CHECK(tables.rows("select pg_get_constraintdef(oid, true), pg_get_indexdef(conindid) from pg_constraint") ==
          "PRIMARY KEY (id, day)|" + indexDefinition(keys[0]));
}
