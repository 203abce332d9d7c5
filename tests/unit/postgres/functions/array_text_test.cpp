#include "postgres/functions/array_text.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("arrays are read and written with quotes where they must be") {
    const std::vector<ArrayItem> items = {"a", std::nullopt, "b c", "x\"y\\", "NULL", ""};
    const std::string text = arrayText(items);
    CHECK(text == "{a,NULL,\"b c\",\"x\\\"y\\\\\",\"NULL\",\"\"}");
    CHECK(arrayItems(text) == items);
    CHECK(arrayItems("{}").empty());
    CHECK(arrayItems("{ 1 , 2 }") == std::vector<ArrayItem>{"1", "2"});
    for (const char* wrong : {"", "{", "1,2", "{1,}", "{\"a}", "{{1}}", "{a}b}"})
        CHECK_THROWS_AS(arrayItems(wrong), SqlError);
}
