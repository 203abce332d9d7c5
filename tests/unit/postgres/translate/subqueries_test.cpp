#include "postgres/translate/select_translator.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("sub-queries, with, union and windows") {
    CHECK(answer("select id from pgitems where id = (select max(id) from pgother where v < 70)") == "2");
    CHECK(answer("select id from pgitems where id in (select id from pgother) order by id") == "1;2");
    CHECK(answer("select id from pgitems i where exists (select 1 from pgother o where o.id = i.id and o.v > 10) order "
                 "by id") == "2");
    CHECK(answer("select id, (select sum(v) from pgother o where o.id = i.id) from pgitems i order by id") ==
          "1|10;2|41;3|-;5|-;-|-");
    CHECK(stateOf("select (select v from pgother)") == "21000");
    CHECK(answer("with w as (select id * 2 as d from pgitems where id < 4) select sum(d) from w") == "12");
    CHECK(answer("select id from pgother union select 3 order by 1") == "1;2;3;7;-");
    CHECK(answer("select id from pgother intersect select id from pgitems order by 1") == "1;2;-");
    CHECK(answer("select id from pgitems except select id from pgother order by 1") == "3;5");
    CHECK(answer("select id, row_number() over (partition by s order by id) from pgitems where id is not null order by "
                 "id") == "1|1;2|1;3|2;5|2");
    CHECK(answer("select sum(id) over (order by id rows between 1 preceding and current row) from pgitems where id is "
                 "not null order by 1") == "1;3;5;8");
    CHECK(answer("values (1, 'a'), (2, null)") == "1|a;2|-");
    CHECK(answer("select * from generate_series(1, 3) as g(i)") == "1;2;3");
}

TEST_CASE("in, any and all of sub-queries that read the outer row, or compare by other operators") {
    CHECK(answer("select id from pgitems i where id in (select o.id from pgother o where o.id = i.id and o.v > 10) "
                 "order by id") == "2");
    CHECK(answer("select id, id not in (select o.id from pgother o where o.id <> i.id) from pgitems i order by id") ==
          "1|true;2|true;3|true;5|true;-|true");
    CHECK(answer("select id from pgitems where id > all (select id from pgother where id < 3) order by id") == "3;5");
    CHECK(answer("select id from pgitems where id < any (select id from pgother) order by id") == "1;2;3;5");
    CHECK(answer("select 5 > all (select id from pgother), 0 > any (select id from pgother where id > 9)") ==
          "false|false");
    CHECK(answer("select 9 > all (select id from pgother)") == "-");
    CHECK(answer("select 'b' >= all (select s from pgitems where s < 'a')") == "true");
    CHECK(stateOf("select 1 in (select id, v from pgother)") == "42601");
    CHECK(stateOf("select 'x' ~ any (select s from pgitems)") == "0A000");
}
