#include "postgres/functions/postgres_functions.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("long intervals have their seconds") {
    CHECK(answer("select extract(epoch from interval '2147483647 days')") == "185542587100800.000000");
}

TEST_CASE("times are added, cut and compared as PostgreSQL's") {
    CHECK(answer("select date '2026-01-01' + 5, timestamp '2026-01-01' - interval '1 hour', timestamp '2026-01-02' - "
                 "timestamp '2026-01-01 12:00', time '10:00' + interval '15 hours'") ==
          "2026-01-06|2025-12-31 23:00:00|12:00:00|01:00:00");
    CHECK(answer("select interval '1 day' * 2.5, interval '1 month' + interval '2 days', interval '1 day' = interval "
                 "'24 hours', age(timestamp '2026-03-01', timestamp '2025-01-31')") ==
          "2 days 12:00:00|1 mon 2 days|true|1 year 1 mon 1 day");
    CHECK(answer("select extract(epoch from timestamp '2026-01-01'), date_part('hour', timestamp '2026-01-01 05:00'), "
                 "extract(second from interval '90.5 seconds')") == "1767225600.000000|5|30.500000");
    CHECK(answer("select make_date(2026, 2, 3), make_interval(days => 3), to_date('03.02.2026', 'DD.MM.YYYY'), "
                 "to_timestamp(0)") == "2026-02-03|3 days|2026-02-03|1970-01-01 00:00:00+00");
    CHECK(answer("select date_trunc('month', day) from pgitems where id = 2") == "2026-01-01 00:00:00+00");
}
