#include "postgres/functions/postgres_functions.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("arrays are made, indexed and searched") {
    CHECK(
        answer(
            "select array[1, 2, null], array[id, 7], (array['a', 'b'])[2], (array[1])[5] from pgitems where id = 2") ==
        "{1,2,NULL}|{2,7}|b|-");
    CHECK(answer("select id from pgitems where id = any('{1,5}') order by id") == "1;5");
    CHECK(answer("select id from pgitems where s = any(array['x']) and id <> all(array[3]) order by id") == "1");
    CHECK(answer("select unnest from unnest(array[3, 1]) order by 1") == "1;3");
    CHECK(stateOf("select '{1'::int[]") == "22P02");
}
