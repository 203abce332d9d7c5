#include "postgres/translate/select_translator.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("joins leave NULL keys out") {
    CHECK(answer("select i.id, o.v from pgitems i join pgother o on i.id = o.id order by 1, 2") == "1|10;2|20;2|21");
    CHECK(answer("select i.id, o.v from pgitems i, pgother o where i.id = o.id and o.v > 10 order by 1, 2") ==
          "2|20;2|21");
    CHECK(answer("select i.id, o.v from pgitems i left join pgother o on i.id = o.id order by 1, 2") ==
          "1|10;2|20;2|21;3|-;5|-;-|-");
    CHECK(answer("select id, v from pgitems join pgother using (id) order by 2") == "1|10;2|20;2|21");
}

TEST_CASE("outer joins stand behind other sources, and around joins in parentheses") {
    CHECK(answer("select count(*) from pgother x, pgitems i left join pgother o on o.id = i.id where x.v = 10") == "6");
    CHECK(answer("select i.id, a.v from pgitems i left join (pgother a join pgother b on a.v = b.v) on a.id = i.id "
                 "where i.id < 3 order by 1, 2") == "1|10;2|20;2|21");
    CHECK(answer("select i.id from pgitems i join pgother o on o.id = i.id left join pgother p on p.id = o.id and "
                 "p.v = o.v order by 1") == "1;2;2");
    CHECK(stateOf("select 1 from pgitems i right join pgother o on i.id > o.id") == "0A000");
    CHECK(answer("select i.id, o.v from pgitems i left join pgother o on i.id > o.id and o.v > 10 order by 1, 2") ==
          "1|-;2|-;3|20;3|21;5|20;5|21;-|-");
}

TEST_CASE("joins compare columns by which an outer join has found its rows") {
    CHECK(answer("select i.id, o.v, p.v from pgItems i left join pgOther o on i.id = o.id left join pgOther p "
                 "on p.id = o.id and p.v = o.v order by 1, 2") == "1|10|10;2|20|20;2|21|21;3|-|-;5|-|-;-|-|-");
    CHECK(answer("select i.id, p.v from pgItems i left join pgOther o on i.id = o.id join pgOther p on p.id = o.id "
                 "order by 1, 2") == "1|10;2|20;2|20;2|21;2|21");
    CHECK(answer("select i.id, p.v from pgItems i left join pgOther o on i.id = o.id, pgOther p where p.id = o.id "
                 "and p.v < 21 order by 1, 2") == "1|10;2|20;2|20");
}

TEST_CASE("functions and queries of a sub-query's from read the row around it") {
    CHECK(answer("select id, (select count(*) from generate_series(1, i.id) as g), "
                 "(select max(q.v) from (select v from pgOther o where o.id = i.id) as q) "
                 "from pgItems i where id < 4 order by id") == "1|1|10;2|2|21;3|3|-");
    CHECK(stateOf("select * from generate_series(1, i.id) as g, pgItems i") == "42P01");
}

TEST_CASE("conditions of joins on the left side of an outer join hold") {
    CHECK(answer("select i.id, o.v, p.s from (pgitems i join pgother o on i.id = o.id and o.v > 10) "
                 "left join pgitems p on p.id = o.v order by 2") == "2|20|-;2|21|-");
    CHECK(answer("select i.id, o.v, p.id from (pgitems i join pgother o on i.id = o.id and o.v = 20) "
                 "right join pgitems p on p.id = i.id order by p.id") == "-|-|1;2|20|2;-|-|3;-|-|5;-|-|-");
    CHECK(answer("select count(*) from (pgitems i join pgother o on i.id = o.id and i.s = 'y') "
                 "full join pgitems p on p.id = i.id") == "6");
    CHECK(answer("select i.id, x.v from pgitems i cross join pgother x left join pgother o on o.id = i.id and o.v < 15 "
                 "where i.id = 1 and x.v = 70") == "1|70");
}
