#include "postgres/definition/sequence_options.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("options of a sequence that make no sense are refused") {
    ChangedTables tables;
    for (const char* options : {"increment 0", "minvalue 5 maxvalue 4", "start 0", "maxvalue 5 start 6", "cache 0",
                                "as text", "as smallint maxvalue 40000"})
        CHECK(tables.run(std::string("create sequence s ") + options) == "22023");
    CHECK(tables.run("create sequence s maxvalue 99999999999999999999") == "22003");
    CHECK(tables.run("create sequence s as smallint increment 2 no minvalue no maxvalue cache 10") ==
          "CREATE SEQUENCE");
    CHECK(tables.rows(
              "select format_type(seqtypid, -1), seqstart, seqincrement, seqmax, seqmin, seqcycle from pg_sequence") ==
          "smallint|1|2|32767|1|false");
    CHECK(tables.run("alter sequence s restart 40000") == "22023");
    CHECK(tables.run("alter sequence s maxvalue 3") == "ALTER SEQUENCE");
    CHECK(tables.rows("select nextval('s'), nextval('s')") == "1|3");
    CHECK_THROWS_WITH(tables.rows("select nextval('s')"), Catch::Contains("reached maximum value"));
}
