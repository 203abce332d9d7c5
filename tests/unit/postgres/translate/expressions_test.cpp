#include "postgres/translate/select_translator.h"

#include <fmt/format.h>

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

TEST_CASE("a case of many branches is computed, whatever they compare") {
    const auto chosen = [](const std::string& condition) {
        std::string text = "select case";
        for (int i = 0; i < 60; ++i) text += fmt::format(fmt::runtime(" when " + condition + " then {0} + 100"), i);
        return answer(text + " else -1 end from pgItems where id < 4 order by id");
    };
    CHECK(chosen("id = {0}") == "101;102;103");
    CHECK(chosen("id in ({0}, 1000 + {0}) and not (d is null and id <> {0})") == "101;102;103");
    CHECK(chosen("id + 0 = {0}") == "101;102;103");
    // A branch behind the one that is taken is not computed.
    CHECK(answer("select case when id = 1 then 0 when 6 / (id - 1) = 6 then 1 when 6 / (id - 1) = 3 then 2 end from "
                 "pgItems where id < 4 order by id") == "0;1;2");
}
