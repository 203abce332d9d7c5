#include "postgres/translate/function_calls.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("texts and times") {
    CHECK(answer("select 'a' || 1, length(''), substring('hello' from 2 for 3), position('l' in 'hello'), 'Hello' like "
                 "'H_l%'") == "a1|0|ell|3|true");
    CHECK(answer("select date '2026-01-31' + interval '1 month', date '2026-03-01' - date '2026-02-01', extract(year "
                 "from date '2026-05-06')") == "2026-02-28 00:00:00|28|2026");
    CHECK(answer("select date_trunc('hour', timestamp '2026-01-01 10:35:12'), to_char(timestamp '2026-01-01 10:35:12', "
                 "'YYYY-MM-DD HH24:MI')") == "2026-01-01 10:00:00|2026-01-01 10:35");
    CHECK(answer(
              "select id from pgitems where day >= '2026-01-02' and day < date '2026-01-05' order by id nulls first") ==
          "-;2");
    CHECK(stateOf("select date '2026-02-30'") == "22008");
    CHECK(stateOf("select 'x'::int") == "22P02");
}
