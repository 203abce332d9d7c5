#include "devtools/lsp/message_stream.h"

#include <unistd.h>
#include <catch2/catch.hpp>
#include <csignal>
#include <vector>

#include "common/error.h"

using namespace pelorus;

namespace {

struct Pipe {
    Pipe() {
        if (::pipe(ends) != 0) throw SystemError("There is no pipe.");
    }
    ~Pipe() {
        closeEnd(0);
        closeEnd(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    void closeEnd(int end) {
        if (ends[end] >= 0) ::close(std::exchange(ends[end], -1));
    }

    int ends[2] = {-1, -1};
};

// A stream whose input is what the test writes, and whose output it reads.
struct Pipes {
    void write(std::string_view bytes) {
        REQUIRE(::write(in.ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    }
    std::string sent() {
        std::string bytes(4096, '\0');
        bytes.resize(static_cast<size_t>(::read(out.ends[0], bytes.data(), bytes.size())));
        return bytes;
    }
    // The messages that have come.
    std::vector<std::string> received() {
        std::vector<std::string> messages;
        while (auto message = stream.next()) messages.push_back(*message);
        return messages;
    }

    Pipe in, out;
    MessageStream stream{in.ends[0], out.ends[1]};
};

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("messages come whole, however their bytes arrive") {
    Pipes pipes;
    std::vector<std::string> watched;
    pipes.stream.watch([&](std::string_view message) { watched.emplace_back(message); });
    pipes.write("Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x\r\n\r\n[1]Content-Le");
    REQUIRE(pipes.stream.receive(0));
    CHECK(watched == Strings{"{}", "[1]"});
    CHECK(pipes.received() == Strings{"{}", "[1]"});
    pipes.write("ngth: 4\r\n\r\ntr");
    REQUIRE(pipes.stream.receive(0));
    CHECK(!pipes.stream.hasMessage());
    pipes.write("ueContent-Length: 0\r\n\r\n");
    REQUIRE(pipes.stream.receive(0));
    CHECK(pipes.received() == Strings{"true", ""});
}

TEST_CASE("nothing that comes within the time is no end, and the end of the input is") {
    Pipes pipes;
    CHECK(pipes.stream.receive(0));
    CHECK(!pipes.stream.next());
    pipes.in.closeEnd(1);
    CHECK(!pipes.stream.receive(0));
}

TEST_CASE("a header that breaks the protocol ends the stream") {
    for (const std::string& header :
         {std::string("\r\n\r\n"), std::string("Content-Type: x\r\n\r\n"), std::string("Content-Length: many\r\n\r\n"),
          std::string("Content-Length: -1\r\n\r\n"), std::string("Content-Length: 67108865\r\n\r\n"),
          std::string(16 << 10, 'x')}) {
        Pipes pipes;
        pipes.write("Content-Length: 2\r\n\r\n{}" + header);
        INFO(header.substr(0, 40));
        CHECK(!pipes.stream.receive(0));
        // What was whole before is there.
        CHECK(pipes.received() == Strings{"{}"});
    }
}

TEST_CASE("what is sent has its length in bytes, and a reader that is gone is an error") {
    Pipes pipes;
    pipes.stream.send("\u20ac");
    CHECK(pipes.sent() == "Content-Length: 3\r\n\r\n\u20ac");
    pipes.out.closeEnd(0);
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    CHECK_THROWS_WITH(pipes.stream.send("{}"), "The editor does not read any more.");
    std::signal(SIGPIPE, before);
}
