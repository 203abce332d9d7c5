#include "common/io/base64.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("bytes become digits with padding, as in the RFC") {
    const std::pair<std::string, std::string> cases[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foobar", "Zm9vYmFy"},
                                                         {"\xff\xfe", "//4="},
                                                         {std::string(3, '\0'), "AAAA"}};
    for (const auto& [bytes, digits] : cases) {
        CHECK(toBase64(bytes) == digits);
        std::string back = "before";
        CHECK(fromBase64(digits, back));
        CHECK(back == bytes);
    }
}

TEST_CASE("all bytes come back, whatever their number") {
    std::string bytes;
    for (int i = 0; i < 300; ++i) {
        std::string back;
        REQUIRE(fromBase64(toBase64(bytes), back));
        REQUIRE(back == bytes);
        bytes += static_cast<char>(i * 7);
    }
}

TEST_CASE("white space is passed over, and what is no base64 is refused") {
    std::string bytes;
    CHECK(fromBase64(" Zm9v\r\n\tYmFy \n", bytes));
    CHECK(bytes == "foobar");
    for (const char* string :
         {"Z", "Zm9", "Zm9vY", "Zg=", "Zg===", "====", "Z===", "Zg==Zg==", "Z=g=", "Zm9-", "Zm\xc3\xa9"})
        CHECK(!fromBase64(string, bytes));
}
