#include "postgres/functions/postgres_functions.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("columns are cast row by row") {
    CHECK(answer("select id::text, id::float8, id::numeric(5,2), (id::text || '1')::int from pgitems where id < 3 "
                 "order by id") == "1|1|1.00|11;2|2|2.00|21");
    CHECK(
        answer("select day::timestamp, day::text, b::text, b::int, s::varchar(1), d::int from pgitems where id = 2") ==
        "2026-01-02 00:00:00|2026-01-02|false|0|y|2");
    CHECK(stateOf("select s::int from pgitems") == "22P02");
    CHECK(stateOf("select (id * 100000)::smallint from pgitems") == "22003");
    CHECK(stateOf("select b::date from pgitems") == "42846");
}
