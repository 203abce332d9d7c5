#include "postgres/json/json_value.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"

using namespace pelorus::postgres;

namespace {

std::string stateOf(const std::string& text) {
    try {
        checkedJson(text, true);
    } catch (const SqlError& error) {
        return error.state();
    }
    return "";
}

}  // namespace

TEST_CASE("json keeps what was written, jsonb its own form") {
    CHECK(checkedJson(" {\"b\" :1, \"b\":2}", false) == " {\"b\" :1, \"b\":2}");
    CHECK(jsonText(parseJson("{\"b\":1,\"b\":[2 ,3],\"\":null}")) == "{\"b\": 1, \"b\": [2, 3], \"\": null}");
    CHECK(checkedJson("{\"b\":1, \"b\":2, \"aa\":true, \"a\":{}}", true) == "{\"a\": {}, \"b\": 2, \"aa\": true}");
    CHECK(checkedJson("\"\\u00e9\\n\\/\\u001f\\\"\"", true) == "\"é\\n/\\u001f\\\"\"");
    CHECK(checkedJson("[1e2, -1.5e-3, 0.00, 12.5e1, -0, -0.0, 100e-2, 12345678901234567890123, 1E+2]", true) ==
          "[100, -0.0015, 0.00, 125, 0, 0.0, 1.00, 12345678901234567890123, 100]");
}

TEST_CASE("what is no JSON is refused, and so is what would take too much") {
    for (const char* text :
         {"", " ", "x", "{", "[1,]", "{\"a\"}", "{a:1}", "01", "1 2", "'a'", "\"\xff\"", "nan", "\"\\x\""}) {
        INFO(text);
        CHECK(stateOf(text) == "22P02");
    }
    CHECK(stateOf(std::string(1000, '[') + std::string(1000, ']')).empty());
    CHECK(stateOf(std::string(100'000, '[') + std::string(100'000, ']')) == "54001");
    CHECK(stateOf("1e20000").size() == 5);
    CHECK(stateOf("1e-10001") == "22003");
    CHECK(stateOf("[\"\\u0000\"]") == "22P05");
    CHECK(stateOf("{\"\\u0000\": 1}") == "22P05");
}

TEST_CASE("members and elements are found") {
    const JsonValue value = parseJson("{\"a\": [1, 2], \"a\": [3, 4]}");
    REQUIRE(memberOf(value, "a"));
    CHECK(memberOf(value, "b") == nullptr);
    CHECK(elementOf(value, 0) == nullptr);
    const JsonValue& list = *memberOf(value, "a");
    CHECK(elementOf(list, 0)->text == "3");
    CHECK(elementOf(list, -1)->text == "4");
    for (const int64_t place : {int64_t{2}, int64_t{-3}, INT64_MIN, INT64_MAX})
        CHECK(elementOf(list, place) == nullptr);
    CHECK(memberOf(list, "a") == nullptr);
    CHECK(contains(parseJson("{\"a\": [1, {\"x\": 2, \"y\": 3}]}"), parseJson("{\"a\": [{\"y\": 3}]}")));
    CHECK_FALSE(contains(parseJson("{\"a\": [1]}"), parseJson("{\"a\": [2]}")));
    CHECK_FALSE(contains(parseJson("[1]"), parseJson("{}")));
}
