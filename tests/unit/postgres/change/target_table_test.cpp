#include "postgres/change/target_table.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("a table that is written to knows its columns' defaults, and that it was defined anew") {
    ChangedTables tables;
    tables.run("create table t (\"Id\" int generated always as identity, b text default 'x') using rows");
    const auto target = findTarget("", "t", tables.facts(), tables.context(), -1);
    CHECK(target->isRowTable);
    CHECK(target->column("id", -1).identity == TargetColumn::Identity::Always);
    CHECK(target->column("b", -1).whenMissing == "'x'");
    CHECK_THROWS_AS(target->column("z", -1), SqlError);
    target->requireUnchanged(tables.context());
    tables.run("alter table t alter column b drop default");
    CHECK_THROWS_AS(target->requireUnchanged(tables.context()), StaleStatement);
    CHECK_THROWS_AS(findTarget("pg_catalog", "pg_class", tables.facts(), tables.context(), -1), SqlError);
}
