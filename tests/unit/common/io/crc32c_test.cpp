#include "common/io/crc32c.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("crc32c gives the published check value and continues from a seed") {
    REQUIRE(crc32c("123456789") == 0xE3069283u);
    REQUIRE(crc32c("56789", crc32c("1234")) == crc32c("123456789"));
    REQUIRE(crc32c("") == 0u);
    REQUIRE(crc32c(std::string(32, '\0')) == 0x8A9136AAu);
}
