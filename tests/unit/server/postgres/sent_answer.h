// What an AnswerWriter sends, for tests.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <thread>

#include "server/postgres/answer_writer.h"
#include "tests/unit/server/postgres/postgres_exchange.h"

namespace pelorus::testing {

// Returns the bytes that are sent while `work` uses the writer, and those that it has collected at the end.
template <class Work>
std::string sentBy(Work work) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    std::string sent;
    std::thread client([&sent, fd = ends[1]] {
        std::array<char, 65536> piece{};
        for (ssize_t got; (got = ::recv(fd, piece.data(), piece.size(), 0)) > 0;)
            sent.append(piece.data(), static_cast<size_t>(got));
        ::close(fd);
    });
    {
        Connection connection(ends[0]);
        postgres::AnswerWriter out(connection);
        work(out);
        out.flush();
    }
    client.join();
    return sent;
}

}  // namespace pelorus::testing
