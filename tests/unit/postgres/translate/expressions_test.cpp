#include "postgres/translate/select_translator.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("NULL is unknown") {
    CHECK(answer("select id < 3 from pgitems order by id") == "true;true;false;false;-");
    CHECK(answer("select id from pgitems where not (id < 3) order by id") == "3;5");
    CHECK(answer("select id from pgitems where id in (1, 2, null) order by id") == "1;2");
    CHECK(answer("select count(*) from pgitems where id not in (1, 2, null)") == "0");
    CHECK(answer("select null = null, null is null, true or null, false and null") == "-|true|true|false");
    CHECK(answer("select 1 where null") == "");
}

TEST_CASE("long lists are searched, whatever stands to the left of them") {
    std::string list = "0";
    for (int i = 1; i < 20'000; ++i) list += "," + std::to_string(i);
    CHECK(answer("select 1 where 19999 in (" + list + ")") == "1");
    CHECK(answer("select 1 where 20000 in (" + list + ")") == "");
}
