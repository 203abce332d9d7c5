#include "postgres/translate/table_functions.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("series of numbers and times") {
    CHECK(answer("select g from generate_series(5, 1, -2) g") == "5;3;1");
    CHECK(answer("select count(*), sum(g) from generate_series(1, 100000) as g") == "100000|5000050000");
    CHECK(answer("select * from generate_series(timestamp '2026-01-31', '2026-04-01', interval '1 month') g") ==
          "2026-01-31 00:00:00;2026-02-28 00:00:00;2026-03-28 00:00:00");
    CHECK(answer("select * from generate_series(1.5, 3) with ordinality") == "1.5|1;2.5|2");
    CHECK(stateOf("select * from generate_series(1, 5, 0)") == "22023");
    CHECK(stateOf("select * from generate_series(1, 9000000000000)") == "54000");
    CHECK(answer("select * from generate_series(3, 1)") == "");
}
