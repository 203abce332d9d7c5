#include "runtime/arrow/packed_buffer.h"

#include <catch2/catch.hpp>

#include "common/error.h"

namespace pelorus::arrow {

TEST_CASE("buffers are packed and unpacked by both codecs") {
    const std::string plain(100000, 'a');
    for (const int codec : {kLz4Frame, kZstd}) {
        const std::string packed = pack(plain, codec, 1);
        CHECK(packed.size() < 2000);
        CHECK(unpackedBytes(packed) == 100000);
        std::unique_ptr<Buffer> owner;
        CHECK(unpack(packed, codec, owner) == plain);
        CHECK_THROWS_AS(unpack(packed.substr(0, packed.size() / 2), codec, owner), SystemError);
        CHECK_THROWS_AS(unpack("short", codec, owner), SystemError);
    }
}

TEST_CASE("what does not get shorter is kept as it is") {
    std::unique_ptr<Buffer> owner;
    CHECK(unpack(pack("abc", kZstd, 1), kZstd, owner) == "abc");
    CHECK(owner == nullptr);
}

}  // namespace pelorus::arrow
