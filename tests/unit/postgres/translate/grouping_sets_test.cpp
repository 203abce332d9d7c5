#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("rollup, cube and grouping sets give the rows of each set") {
    CHECK(answer("select s, count(*), grouping(s) from \"pgItems\" group by rollup(s) order by grouping(s), s") ==
          "x|2|0;y|2|0;z|1|0;-|5|1");
    CHECK(answer("select s, b, count(*) from \"pgItems\" group by grouping sets ((s), (b), ()) order by s, b") ==
          "x|-|2;y|-|2;z|-|1;-|false|2;-|true|2;-|-|1;-|-|5");
    CHECK(answer("select count(*) from (select s, b from \"pgItems\" group by cube(s, b)) q") == "11");
    CHECK(answer("select s, b, sum(id) from \"pgItems\" group by s, rollup(b) having grouping(b) = 1 order by 1") ==
          "x|-|4;y|-|7;z|-|-");
}

TEST_CASE("keys of other sets are NULL, also in expressions") {
    CHECK(answer("select coalesce(s, 'all') as k, max(id) from \"pgItems\" group by rollup(s) order by max(id), k "
                 "limit 2 offset 2") == "y|5;z|-");
    CHECK(answer("select grouping(s, b), count(*) from \"pgItems\" group by cube(s, b) order by 1 desc limit 1") ==
          "3|5");
    CHECK(answer("select sum(id) from \"pgItems\" where false group by grouping sets ((), (s))") == "-");
}

TEST_CASE("what grouping sets do not have is refused") {
    CHECK(stateOf("select grouping(id) from \"pgItems\" group by s") == "42803");
    CHECK(stateOf("select distinct s from \"pgItems\" group by rollup(s)") == "0A000");
    CHECK(stateOf("select 1 from \"pgItems\" group by cube(s, id, d, day, b), cube(s, id)") == "54000");
}

TEST_CASE("constants are keys of grouping sets, equal keys are refused") {
    CHECK(answer("select 2, s, count(*) from pgitems where false group by rollup(1, 2)") == "-|-|0");
    CHECK(answer("select 7, count(*) from pgitems group by grouping sets ((1), ()) order by 1") == "7|5;-|5");
    CHECK(stateOf("select s, s, count(*) from pgitems group by cube(1, 2)") == "0A000");
}
