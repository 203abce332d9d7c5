#include "postgres/catalog/sequence_names.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("names in a string are folded where they have no quotes") {
    CHECK(namesInText("Public.\"My \"\"seq\"") == std::vector<std::string>{"public", "My \"seq"});
    for (const char* wrong : {"", "a.", ".a", "\"a", "\"a\"b", "\"\""}) CHECK_THROWS_AS(namesInText(wrong), SqlError);
}

TEST_CASE("a sequence is found along the search path, and written with its schema") {
    ChangedTables tables;
    tables.run("create schema other");
    tables.run("create sequence \"My seq\"");
    tables.run("create sequence other.s");
    CHECK(sequenceText(findSequence("\"My seq\"", {"other", "public"}, tables.context())) == "public.\"My seq\"");
    CHECK_THROWS_AS(findSequence("s", {"public"}, tables.context()), SqlError);
    CHECK(findSequence("other.s", {}, tables.context()).name == "s");
    CHECK(shownSequences(tables.context()).size() == 2);
}
