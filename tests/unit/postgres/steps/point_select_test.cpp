#include "postgres/steps/point_select.h"

#include "tests/unit/postgres/answers.h"
#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("few rows of a row table are selected as the engine selects them") {
    ChangedTables tables;
    tables.run("create table t (w int, d int, s text, x numeric(8,2), primary key (w, d)) using rows");
    tables.run("insert into t select 1 + i / 10, i % 10, 's' || i % 3, i from generate_series(0, 49) i");
    tables.run("insert into t values (9, 1, '', 1), (9, 2, null, null)");
    CHECK(tables.rows("select d, s from t where w = 2 and d > 6 order by d desc limit 2") == "9|s1;8|s0");
    CHECK(tables.rows("select d from t where w in (2, 3) and d between 4 and 5 order by x desc") == "5;4;5;4");
    CHECK(tables.rows("select x from t where (w, d) in ((1, 2), (4, 4), (7, 7)) order by x") == "2.00;34.00");
    CHECK(tables.rows("select d from t where w = 9 and s = ''") == "1");
    CHECK(tables.rows("select d from t where w = 9 and s is null") == "2");
    CHECK(tables.rows("select d from t where w = 9 and x > 0") == "1");
    CHECK(tables.rows("select d from t where w = 9 and d < 2 and d > 2").empty());
}
