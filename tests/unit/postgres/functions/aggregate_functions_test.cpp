#include "postgres/functions/postgres_functions.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("texts, arrays and percentiles of groups") {
    CHECK(answer("select string_agg(s, '-' order by id desc nulls last), array_agg(id order by id), array_agg(s order "
                 "by s desc) from pgitems") == "y-x-y-x-z|{1,2,3,5,NULL}|{z,y,y,x,x}");
    CHECK(answer("select percentile_cont(0.5) within group (order by id), percentile_disc(0.5) within group (order by "
                 "id), mode() within group (order by s) from pgitems") == "2.5|2|x");
    CHECK(answer("select string_agg(s, ',') from pgitems where id > 100") == "-");
    CHECK(stateOf("select percentile_cont(2) within group (order by id) from pgitems") == "2201F");
    CHECK(answer("select string_agg(distinct s, ',' order by s) from pgitems") == "x,y,z");
    CHECK(answer("select string_agg('a', ','), array_agg(1), string_agg(upper('b'), '') from generate_series(1, 3)") ==
          "a,a,a|{1,1,1}|BBB");
    CHECK(answer("select string_agg('a', ','), array_agg(1)") == "a|{1}");
    CHECK(answer("select string_agg('a', ','), array_agg(1) from pgitems where id > 100") == "-|-");
}
