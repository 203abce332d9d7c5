#include "postgres/translate/operator_calls.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("numbers have PostgreSQL's types") {
    CHECK(answer("select 7 / 2, -7 / 2, 7 % 3, 7.0 / 2, 7 / 2.0::float8, 2 ^ 3") == "3|-3|1|3.5000000000000000|3.5|8");
    CHECK(answer("select 1.50 + 2.25, 1.5 * 1.5, round(2.567, 2), -1.5, 10000000000") ==
          "3.75|2.25|2.57|-1.5|10000000000");
    CHECK(stateOf("select 1 / 0") == "22012");
    CHECK(stateOf("select 2147483647 + 1") == "22003");
    CHECK(stateOf("select 'x' + 1") == "22P02");
    CHECK(stateOf("select id + s from pgitems") == "42883");
    CHECK(answer("select case when id <> 1 then 6 / (id - 1) else 0 end from pgitems where id < 4 order by id") ==
          "0;6;3");
}

TEST_CASE("integers have operators of their bits") {
    CHECK(answer("select 12 & 10, 12 | 3::smallint, 12 # 10::bigint, '6' & 3, null & 1") == "8|15|6|2|-");
    CHECK(stateOf("select 1.5 & 1") == "42883");
    CHECK(answer("select id & 1 from pgItems where id < 4 order by id") == "1;0;1");
}
