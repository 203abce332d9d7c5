#include "postgres/translate/select_translator.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("names that are not there have their state") {
    CHECK(stateOf("select nothing from pgitems") == "42703");
    CHECK(stateOf("select 1 from nothing_here") == "42P01");
    CHECK(stateOf("select nothing(1)") == "42883");
    CHECK(stateOf("select $1 is null") == "42P18");
    CHECK(stateOf("select a.id from pgitems a, pgitems a") == "42712");
    CHECK(stateOf("select id from pgitems, pgother") == "42702");
}
