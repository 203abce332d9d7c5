#include "postgres/functions/postgres_functions.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("and, or and not know unknown") {
    CHECK(answer("select b and id > 1, b or id > 1, not b from pgitems order by id") ==
          "false|true|false;false|true|true;-|true|-;false|true|true;-|true|false");
    CHECK(answer("select s like 'x%', s ~ '[xz]' from pgitems order by id limit 2") == "true|true;false|false");
}
