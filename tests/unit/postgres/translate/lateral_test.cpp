#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("lateral sub-queries and functions read columns of the tables before them") {
    CHECK(answer("select i.id, x.v from \"pgItems\" i, lateral (select o.v from \"pgOther\" o where o.id = i.id "
                 "order by o.v desc limit 1) x order by i.id") == "1|10;2|21");
    CHECK(answer("select i.id, g from \"pgItems\" i cross join lateral generate_series(1, i.id) g where i.id <= 2 "
                 "order by 1, 2") == "1|1;2|1;2|2");
    CHECK(answer("select i.id, g from \"pgItems\" i, generate_series(i.id, i.id + 1) as g where i.id = 5 order by g") ==
          "5|5;5|6");
    CHECK(answer("select i.id, x.n from \"pgItems\" i left join lateral (select count(*) as n from \"pgOther\" o "
                 "where o.id = i.id) x on true order by i.id") == "1|1;2|2;3|0;5|0;-|0");
}

TEST_CASE("rows without a match stay in a left join with lateral") {
    CHECK(answer("select i.id, x.v from \"pgItems\" i left join lateral (select o.v from \"pgOther\" o "
                 "where o.id = i.id) x on x.v > 15 order by i.id, x.v") == "1|-;2|20;2|21;3|-;5|-;-|-");
    CHECK(
        answer("select i.id, x.v, y.w from \"pgItems\" i, lateral (select o.v from \"pgOther\" o where o.id = i.id) x, "
               "lateral (select x.v + i.id as w) y order by 1, 2") == "1|10|11;2|20|22;2|21|23");
}

TEST_CASE("a source that is not lateral sees no other table") {
    CHECK(stateOf("select 1 from \"pgItems\" i, (select i.id) x") == "42P01");
    CHECK(stateOf("select 1 from \"pgItems\" i right join lateral (select i.id) x on true") == "42P10");
    CHECK(stateOf("select 1 from \"pgItems\" i, lateral (select i.id) i") == "42712");
}
