#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("aggregates have PostgreSQL's types and scales, by filters and distinct values, too") {
    CHECK(
        answer("select sum(id::bigint), avg(d), sum(id::real), sum(distinct v), avg(distinct v) filter (where v < 30) "
               "from pgitems, (select 10 as v) q where id is not null") == "11|3|11|10|10.0000000000000000");
    CHECK(
        answer(
            "select stddev_pop(id), var_samp(d), bool_or(b), every(b), corr(id, d) > 0.9 from pgitems where id < 4") ==
        "0.8164965809277260|0.5|true|false|true");
    CHECK(answer("select percentile_cont(0.25) within group (order by v desc) from pgother") == "70");
    CHECK(stateOf("select stddev(distinct id) from pgitems") == "0A000");
    CHECK(stateOf("select regr_slope(id, d) from pgitems") == "0A000");
    CHECK(stateOf("select percentile_cont(0.5) from pgitems") == "42804");
    CHECK(stateOf("select sum(s) from pgitems") == "42883");
    CHECK(stateOf("select string_agg(s) from pgitems") == "42883");
    CHECK(stateOf("select count(distinct id) over () from pgitems") == "0A000");
}

TEST_CASE("of the distinct values of a constant there is one, or none without a row") {
    CHECK(answer("select sum(distinct 16), avg(distinct 2.5), sum(distinct 7::bigint) from pgItems") ==
          "16|2.5000000000000000|7");
    CHECK(answer("select sum(distinct 16), avg(distinct 3), sum(distinct 0.5) from pgItems where id > 9") == "-|-|-");
}

TEST_CASE("sums of distinct constants are NULL where there is no row") {
    CHECK(answer("select sum(distinct - - cast(-29 as integer)), avg(distinct - - 4) from pgitems where false") ==
          "-|-");
    CHECK(answer("select sum(distinct - - cast(-29 as integer)) from pgitems") == "-29");
}
