#include "net/stream.h"

#include <sys/socket.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

namespace {

struct Ends {
    Ends() {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        first = std::make_unique<PlainStream>(ends[0]);
        second = std::make_unique<PlainStream>(ends[1]);
    }
    std::unique_ptr<PlainStream> first, second;
};

}  // namespace

TEST_CASE("bytes go both ways, and a call that would wait says for what") {
    const Ends ends;
    char bytes[16];
    CHECK(ends.second->readSome(bytes, sizeof bytes).state == IoState::WouldRead);
    CHECK(ends.first->writeSome("hello", 5).bytes == 5);
    const IoResult got = ends.second->readSome(bytes, 3);
    CHECK(got.state == IoState::Done);
    CHECK(std::string(bytes, got.bytes) == "hel");
    CHECK(ends.second->readSome(bytes, sizeof bytes).bytes == 2);
    const std::string large(1 << 20, 'x');
    IoResult sent{IoState::Done};
    size_t total = 0;
    while ((sent = ends.first->writeSome(large.data(), large.size())).state == IoState::Done) total += sent.bytes;
    CHECK(sent.state == IoState::WouldWrite);
    CHECK(total > 0);
}

TEST_CASE("a direction that is closed has ended for its reader, and the other one goes on") {
    const Ends ends;
    ends.first->writeSome("last", 4);
    ends.first->closeForWriting();
    char bytes[16];
    CHECK(ends.second->readSome(bytes, sizeof bytes).bytes == 4);
    CHECK(ends.second->readSome(bytes, sizeof bytes).state == IoState::Ended);
    CHECK(ends.second->writeSome("back", 4).state == IoState::Done);
    CHECK(ends.first->readSome(bytes, sizeof bytes).bytes == 4);
}

TEST_CASE("a peer that is gone ends both, without a signal") {
    Ends ends;
    ends.second.reset();
    char byte = 0;
    CHECK(ends.first->writeSome("x", 1).state == IoState::Ended);
    CHECK(ends.first->readSome(&byte, 1).state == IoState::Ended);
    const Ends shut;
    shut.first->shutdown();
    CHECK(shut.second->readSome(&byte, 1).state == IoState::Ended);
    CHECK(shut.second->writeSome("x", 1).state == IoState::Ended);
}

TEST_CASE("an error that is no end of the stream is thrown, and may be tried again") {
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    PlainStream noSocket(pipe[0]);
    ::close(pipe[1]);
    char byte = 0;
    try {
        noSocket.readSome(&byte, 1);
        FAIL("it was read");
    } catch (const SystemError& error) {
        CHECK(std::string(error.what()).starts_with("Reading from a connection failed: "));
        CHECK(error.retryable());
    }
    CHECK_THROWS_WITH(noSocket.writeSome("x", 1), Catch::StartsWith("Writing to a connection failed: "));
}
