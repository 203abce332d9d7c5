#include "postgres/steps/recursive_rows.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a recursion ends when a round makes no row") {
    CHECK(answer("with recursive t(n) as (select 1 union all select n + 1 from t where n < 5) select sum(n) from t") ==
          "15");
    CHECK(answer("with recursive t(n) as (values (1) union all select n * 2 from t where n < 40) "
                 "select n from t order by n desc limit 2") == "64;32");
    CHECK(answer("with recursive t as (select 1 as n where false union all select n + 1 from t) select * from t")
              .empty());
}

TEST_CASE("a recursion without all ends where it comes to rows that it has had") {
    CHECK(answer("with recursive t(a) as (select 0 union select (a + 2) % 6 from t) select a from t order by a") ==
          "0;2;4");
    CHECK(answer("with recursive e(a, b) as (values (1, 2), (2, 3), (3, 1)), "
                 "p(a) as (select 1 union select e.b from p join e on e.a = p.a) select a from p order by a") ==
          "1;2;3");
}

TEST_CASE("a recursion of another form is refused") {
    CHECK(stateOf("with recursive t as (select n from t) select * from t") == "42P19");
    CHECK(stateOf("with recursive t(n) as (select 1 union all select count(*) from t) select * from t") == "42P19");
    CHECK(stateOf("with recursive t(n) as (select 1 union all select n + 1.5 from t) select * from t") == "42804");
    CHECK(stateOf("with recursive t(n) as (select 1 union all select n, n from t) select * from t") == "42601");
    CHECK(stateOf("with recursive t(n) as (select 1 union all select n from t) select * from t limit 1") == "54000");
}
