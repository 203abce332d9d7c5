#include "postgres/translate/select_translator.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("groups, having, aggregates with filters, distinct") {
    CHECK(answer("select s, count(*) from pgitems group by s having count(*) > 1 order by s") == "x|2;y|2");
    CHECK(answer("select upper(s) as u, max(id) + 1 from pgitems group by upper(s) order by u") == "X|4;Y|6;Z|-");
    CHECK(answer("select count(*) filter (where id > 1), sum(id) filter (where s = 'y') from pgitems") == "3|7");
    CHECK(answer("select count(distinct s), string_agg(s, ',' order by id desc) from pgitems where id is not null") ==
          "2|y,x,y,x");
    CHECK(answer("select distinct s from pgitems order by s desc") == "z;y;x");
    CHECK(answer("select sum(id) from pgitems where id > 100") == "-");
    CHECK(stateOf("select id, count(*) from pgitems group by s") == "42803");
    CHECK(answer("select distinct on (s) s, id from pgitems order by s, id desc nulls last") == "x|3;y|5;z|-");
}

TEST_CASE("windows take frames of groups, and frames that leave rows out") {
    CHECK(answer("select v, count(*) over (order by id groups between 1 preceding and current row) from pgother where "
                 "id < 5 order by v") == "10|1;20|3;21|3");
    CHECK(answer("select v, sum(v) over (order by id rows between unbounded preceding and unbounded following exclude "
                 "current row) from pgother where id < 5 order by v") == "10|41;20|31;21|30");
}
