#include "common/io/md5.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

std::string digestOf(std::string_view bytes) {
    std::string string;
    for (const uint8_t byte : md5(bytes)) {
        constexpr const char* kDigits = "0123456789abcdef";
        string += kDigits[byte >> 4];
        string += kDigits[byte & 15];
    }
    return string;
}

}  // namespace

TEST_CASE("digests are those of the RFC") {
    CHECK(digestOf("") == "d41d8cd98f00b204e9800998ecf8427e");
    CHECK(digestOf("a") == "0cc175b9c0f1b6a831c399e269772661");
    CHECK(digestOf("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
    CHECK(digestOf("12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
          "57edf4a22be3c955ac49da2e2107b67a");
}

TEST_CASE("the padding has its own block when the last one has no room for it") {
    // 55 bytes leave room for the length, 56 and 64 do not.
    CHECK(digestOf(std::string(55, 'a')) == "ef1772b6dff9a122358552954ad0df65");
    CHECK(digestOf(std::string(56, 'a')) == "3b0c8ac703f828b04c6c197006d17218");
    CHECK(digestOf(std::string(64, 'a')) == "014842d480b571495a4a0363793f7367");
    CHECK(digestOf(std::string("a\0b", 3)) != digestOf("ab"));
}
