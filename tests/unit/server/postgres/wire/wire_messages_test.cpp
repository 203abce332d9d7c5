#include "server/postgres/wire/wire_messages.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"

using namespace pelorus::postgres;

TEST_CASE("a message has a letter, a length that counts itself, and big-endian fields") {
    MessageWriter writer;
    writer.begin('T');
    writer.int16(2);
    writer.int32(-1);
    writer.string("ab");
    writer.end();
    CHECK(writer.buffer() == std::string("T\0\0\0\x0d\0\x02\xff\xff\xff\xff"
                                         "ab\0",
                                         14));
    MessageReader reader(std::string_view(writer.buffer()).substr(5));
    CHECK(reader.int16() == 2);
    CHECK(reader.int32() == -1);
    CHECK(reader.string() == "ab");
    CHECK(reader.isAtEnd());
    writer.begin('D');
    writer.raw("half a row");
    writer.abandon();
    CHECK(writer.size() == 14);
}

TEST_CASE("a field that is not whole, and bytes behind the last one, violate the protocol") {
    const auto stateOf = [](auto read) -> std::string {
        try {
            read();
        } catch (const SqlError& error) {
            return error.state();
        }
        return "";
    };
    CHECK(stateOf([] { MessageReader("\0").int32(); }) == "08P01");
    CHECK(stateOf([] { MessageReader("no end").string(); }) == "08P01");
    CHECK(stateOf([] { MessageReader("abc").bytes(4); }) == "08P01");
    CHECK(stateOf([] { MessageReader("x").requireEnd(); }) == "08P01");
    CHECK(stateOf([] { MessageReader("").requireEnd(); }).empty());
}
