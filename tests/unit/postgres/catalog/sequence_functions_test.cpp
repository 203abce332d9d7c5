#include "postgres/catalog/sequence_functions.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("each row has a number of its own, and none is taken while a query is bound") {
    ChangedTables tables;
    tables.run("create sequence s");
    const auto statement = parseStatements("select nextval('s'), x from generate_series(1, 3) as x").at(0);
    prepareQuery(*statement, {}, tables.facts(), tables.context());
    CHECK(tables.rows("select nextval('s'), x from generate_series(1, 3) as x") == "1|1;2|2;3|3");
    CHECK(tables.rows("select nextval('s') + 1") == "5");
    CHECK_THROWS_WITH(tables.rows("select nextval('nothing')"), Catch::Contains("does not exist"));
    CHECK_THROWS_WITH(tables.rows("select setval('s', 0)"), Catch::Contains("out of bounds"));
}
