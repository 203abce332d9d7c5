#include "common/outside_json.h"

#include <catch2/catch.hpp>
#include <string>

using namespace pelorus;

namespace {

std::string nested(int depth, const std::string& open, const std::string& inside, const std::string& close) {
    std::string string;
    for (int i = 0; i < depth; ++i) string += open;
    string += inside;
    for (int i = 0; i < depth; ++i) string += close;
    return string;
}

}  // namespace

TEST_CASE("JSON is parsed down to its greatest depth, and no deeper") {
    for (const auto& [open, close] :
         {std::pair<std::string, std::string>{"[", "]"}, {"{\"a\":", "}"}, {"[{\"a\":", "}]"}}) {
        const int levels = open.size() > 5 ? 2 : 1;
        const int most = kMaxJsonDepth / levels;
        CHECK_FALSE(parseJson(nested(most, open, "1", close)).is_discarded());
        for (const int depth : {most + 1, 1000, 1'000'000}) {
            CHECK(parseJson(nested(depth, open, "1", close)).is_discarded());
            CHECK(parseJson(nested(depth, open, "", "")).is_discarded());  // an end never comes
        }
    }
}

TEST_CASE("brackets within strings are no levels of JSON") {
    const std::string brackets(1000, '[');
    CHECK(jsonDepth("\"" + brackets + "\"") == 0);
    CHECK(jsonDepth("[\"\\\"" + brackets + "\", {}]") == 2);
    CHECK(parseJson("{\"a\": \"" + brackets + "\"}").at("a") == brackets);
    CHECK(parseJson("{\"a\": ").is_discarded());
    CHECK(parseJson("").is_discarded());
}
