#include "server/postgres/wire/frame_reader.h"

#include <sys/socket.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <array>

#include "common/error.h"
#include "net/connection.h"
#include "postgres/sql_error.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

// A connection that has received bytes, and no more come.
class Received {
public:
    explicit Received(std::string_view bytes) {
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()) == 0);
        REQUIRE(::write(ends_[0], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
        ::close(ends_[0]);
        connection_ = std::make_unique<Connection>(ends_[1]);
    }
    Connection& connection() { return *connection_; }

private:
    std::array<int, 2> ends_{};
    std::unique_ptr<Connection> connection_;
};

}  // namespace

TEST_CASE("messages are read one after another, up to the end of the stream") {
    Received received(std::string_view("Q\0\0\0\x07hi\0S\0\0\0\x04", 13));
    Frame frame;
    REQUIRE(readFrame(received.connection(), 100, frame));
    CHECK(frame.letter == 'Q');
    CHECK(frame.body == std::string("hi\0", 3));
    REQUIRE(readFrame(received.connection(), 100, frame));
    CHECK(frame.letter == 'S');
    CHECK(frame.body.empty());
    CHECK_FALSE(readFrame(received.connection(), 100, frame));
}

TEST_CASE("a length that no message has is refused before anything is read of it") {
    Frame frame;
    Received negative(std::string_view("Q\xff\xff\xff\xff", 5));
    CHECK_THROWS_AS(readFrame(negative.connection(), 100, frame), SqlError);
    Received isShort(std::string_view("Q\0\0\0\3", 5));
    CHECK_THROWS_AS(readFrame(isShort.connection(), 100, frame), SqlError);
    Received isLong(std::string_view("Q\0\0\1\0", 5));
    CHECK_THROWS_AS(readFrame(isLong.connection(), 100, frame), SqlError);
    Received cut(std::string_view("Q\0\0\0\x20hi", 7));
    CHECK_THROWS_AS(readFrame(cut.connection(), 100, frame), SystemError);
}

TEST_CASE("a password is a string in a message of its own") {
    CHECK(receivePassword(Received(std::string_view("p\0\0\0\x07pw\0", 8)).connection()) == "pw");
    CHECK_THROWS_AS(receivePassword(Received(std::string_view("Q\0\0\0\x07pw\0", 8)).connection()), SqlError);
    CHECK_THROWS_AS(receivePassword(Received(std::string_view("p\0\0\0\x07pw!", 8)).connection()), SqlError);
}
