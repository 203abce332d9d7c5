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
