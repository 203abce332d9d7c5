#include "net/connection.h"

#include <catch2/catch.hpp>
#include <thread>

namespace pelorus {

TEST_CASE("pieces of any length arrive as one message, and long reads go straight to their place") {
    Acceptor acceptor("127.0.0.1", 0);
    const auto client = Connection::open("127.0.0.1", acceptor.port(), 5000);
    const auto server = acceptor.accept(5000);
    REQUIRE(server);
    std::string expected;
    std::vector<std::string> pieces;
    for (int i = 0; i < 300; ++i)
        pieces.emplace_back(i % 50 == 7 ? 200'000 : i % 7 * 1000, static_cast<char>('a' + i % 26));
    for (const std::string& piece : pieces) expected += piece;
    std::thread writer([&] { client->write(std::vector<std::string_view>(pieces.begin(), pieces.end())); });
    std::string got(expected.size(), '\0');
    server->read(got.data(), 10);
    server->read(got.data() + 10, got.size() - 20);
    server->read(got.data() + got.size() - 10, 10);
    writer.join();
    CHECK(got == expected);
    CHECK(server->receivedBytes() == static_cast<int64_t>(expected.size()));
    client->write(std::vector<std::string_view>{});
    client->write("end");
    client->closeForWriting();
    char end[3];
    server->read(end, 3);
    CHECK(std::string_view(end, 3) == "end");
    CHECK_THROWS_AS(server->read(got.data(), 100'000), SystemError);
}

}  // namespace pelorus
