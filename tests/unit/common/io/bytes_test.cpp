#include "common/io/bytes.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("what ByteWriter wrote is read back") {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.fixed<int32_t>(-5);
    writer.varint(300);
    writer.varint(UINT64_MAX);
    writer.string("abc");
    ByteReader reader(bytes);
    REQUIRE(reader.fixed<int32_t>() == -5);
    REQUIRE(reader.varint() == 300);
    REQUIRE(reader.varint() == UINT64_MAX);
    REQUIRE(reader.string() == "abc");
    REQUIRE(reader.atEnd());
}

TEST_CASE("reading past the end is an error and not a crash") {
    std::string bytes;
    ByteWriter(bytes).varint(1000);
    REQUIRE_THROWS_AS(ByteReader(bytes).string(), SystemError);
    REQUIRE_THROWS_AS(ByteReader(bytes).count(), SystemError);
    REQUIRE_THROWS_AS(ByteReader("").fixed<int64_t>(), SystemError);
    REQUIRE_THROWS_AS(ByteReader(std::string(11, '\xff')).varint(), SystemError);
}

TEST_CASE("a number of more than 64 bits is an error, not another number") {
    REQUIRE(ByteReader(std::string(9, '\xff') + '\x01').varint() == UINT64_MAX);
    REQUIRE_THROWS_AS(ByteReader(std::string(9, '\xff') + '\x02').varint(), SystemError);
    REQUIRE_THROWS_AS(ByteReader(std::string(9, '\x80') + '\x7e').varint(), SystemError);
}
