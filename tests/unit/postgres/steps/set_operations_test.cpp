#include "postgres/steps/set_operations.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("rows repeat as often as the standard says") {
    CHECK(answer("values (1), (1), (2) intersect all values (1), (1), (1) order by 1") == "1;1");
    CHECK(answer("values (1), (1), (2) except all values (1) order by 1") == "1;2");
    CHECK(answer("values (1), (null) union values (null), (1) order by 1") == "1;-");
    CHECK(answer("(select 1 union all select 2) union all select 3.5 order by 1 desc limit 2") == "3.5;2.0");
    CHECK(stateOf("select 1 union select 1, 2") == "42601");
    CHECK(stateOf("select 1 union select date '2026-01-01'") == "42804");
}
