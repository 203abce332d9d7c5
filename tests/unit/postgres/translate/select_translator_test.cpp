#include "postgres/translate/select_translator.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("columns, conditions and order are PostgreSQL's") {
    CHECK(answer("select id, s from pgitems where id > 1 order by id desc") == "5|y;3|x;2|y");
    CHECK(answer("select id from pgitems order by id") == "1;2;3;5;-");
    CHECK(answer("select id from pgitems order by 1 desc limit 2 offset 1") == "5;3");
    CHECK(answer("select p.id from pgitems as p where p.id <> 2 or p.id is null order by id") == "1;3;5;-");
    CHECK(answer("select count(*), count(id), sum(id), avg(id) from pgItems") == "5|4|11|2.7500000000000000");
    CHECK(answer("select * from pgother where v between 20 and 70 order by v") == "2|20;2|21;7|70");
}
