#include "postgres/translate/row_sets.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("functions of a select list that return rows make as many as the longest has") {
    CHECK(answer("select id, unnest(array[id, 9]) from pgother where id = 1") == "1|1;1|9");
    CHECK(answer("select generate_series(1, 3) as g order by g desc limit 2") == "3;2");
    CHECK(answer("select unnest(array['a', 'b', 'c']), generate_series(1, 2)") == "a|1;b|2;c|-");
    CHECK(answer("select s, generate_series(1, id) from pgitems where id < 3 order by 1, 2") == "x|1;y|1;y|2");
    CHECK(answer("select unnest(array[]::text[])") == "");
    CHECK(answer("select sum(g) from (select generate_series(1, 4) as g) q") == "10");
    CHECK(stateOf("select unnest(1)") == "42883");
    CHECK(stateOf("select generate_series(1, 900000000000)") == "54000");
}

TEST_CASE("an array is expanded to its items with their places") {
    CHECK(answer("select (information_schema._pg_expandarray('7 9'::int2vector)).n, "
                 "information_schema._pg_expandarray('7 9'::int2vector) as k") == "1|(7,1);2|(9,2)");
    CHECK(answer("select (q.k).x + (q.k).n from (select information_schema._pg_expandarray(array[5, 6]) as k) as q") ==
          "6;8");
    CHECK(answer("select array[1, 2] || array[3], array['a'] || null::text[]") == "{1,2,3}|{a}");
}
