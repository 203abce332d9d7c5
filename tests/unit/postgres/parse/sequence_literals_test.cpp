#include "postgres/parse/sequence_literals.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("functions of sequences take their arguments, and stand where rows are") {
    ChangedTables tables;
    tables.run("create sequence s");
    CHECK(tables.rows("select nextval('s'::regclass), nextval(x) from (select 's' as x) y") == "1|2");
    CHECK_THROWS_AS(tables.rows("select nextval()"), SqlError);
    CHECK_THROWS_AS(tables.rows("select setval('s')"), SqlError);
    CHECK_THROWS_AS(tables.rows("select nextval('s') from (select 1 as a) t group by a"), SqlError);
    CHECK(isSequenceFunction("lastval"));
}
