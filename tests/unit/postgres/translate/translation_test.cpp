#include "postgres/translate/translation.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("depth is bounded, whatever nests") {
    std::string sum = "select 1", parentheses = "select ";
    for (int i = 0; i < 1'000; ++i) sum += "+1";
    CHECK(answer(sum) == "1001");
    for (int i = 0; i < 4'000; ++i) sum += "+1";
    CHECK(stateOf(sum) == "54001");
    std::string queries = "select 1";
    for (int i = 0; i < 1'600; ++i) queries = "select * from (" + queries + ") q";
    CHECK(stateOf(queries) == "54001");
    CHECK(stateOf("select $70000") == "42P02");
}
