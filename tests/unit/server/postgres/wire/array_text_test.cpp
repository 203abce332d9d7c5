#include "server/postgres/wire/array_text.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"

using namespace pelorus::postgres;

namespace {

std::string again(std::string_view text) {
    return arrayText(parseArray(text));
}

std::string stateOf(std::string_view text) {
    try {
        parseArray(text);
    } catch (const SqlError& error) {
        return error.state();
    }
    return "";
}

}  // namespace

TEST_CASE("arrays come back as they are written") {
    for (const char* text : {"{}", "{1,2}", "{NULL,\"NULL\",\"\"}", "{\"a b\",\"c,d\",\"e\\\"f\\\\g\",\"{h}\"}"})
        CHECK(again(text) == text);
    CHECK(again(" { 1 , null } ") == "{1,NULL}");
    CHECK(again("[0:1]={1,2}") == "{1,2}");
    CHECK(parseVector("1 22  333").size() == 3);
}

TEST_CASE("what is no array of one dimension is refused") {
    for (const char* text : {"", "1", "{", "{1", "{1,}", "{,1}", "{1}2", "{\"a", "{a\"b\"}", "{1,\\", "[0:1]"})
        CHECK(stateOf(text) == "22P02");
    CHECK(stateOf("{{1}}") == "0A000");
}
