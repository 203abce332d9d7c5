#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a recursive query reads its own rows under its name and columns") {
    CHECK(answer("with recursive t(a, b) as (select 1, 'x' union all select a + 1, b || 'y' from t where a < 3) "
                 "select a, b from t order by a") == "1|x;2|xy;3|xyy");
    CHECK(answer("with recursive t(n) as (select id from pgitems where id = 1 union all select i.id from pgitems i "
                 "join t on i.id = t.n + 1) select n from t order by n") == "1;2;3");
    CHECK(answer("with recursive a as (select 5 as n), t(n) as (select n from a union all select n - 1 from t "
                 "where n > 4) select sum(t.n), max(u.n) from t, t u") == "18|5");
}

TEST_CASE("with recursive takes queries that are not recursive, too") {
    CHECK(answer("with recursive t as (select id from pgitems where id > 2) select count(*) from t") == "2");
    CHECK(stateOf("with recursive t(n) as (select 1 union all select n from t order by 1) select 1") == "0A000");
}
