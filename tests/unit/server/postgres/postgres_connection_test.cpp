#include "server/postgres/postgres_connection.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/postgres/postgres_exchange.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

const std::string kTerminate = message('X', "");

}  // namespace

TEST_CASE("a client that is trusted is told the settings and its key, and may go on") {
    PostgresExchange exchange;
    const Answer answer = exchange(startup("admin", std::string("application_name\0tool\0", 22)) + kTerminate);
    CHECK(answer.bodies('Z') == std::vector<std::string>{"I"});
    CHECK(answer.bodies('K').at(0).size() == 8);
    const auto settings = answer.bodies('S');
    CHECK(std::count(settings.begin(), settings.end(), "application_name|tool|") == 1);
    CHECK(std::count(settings.begin(), settings.end(), "server_encoding|UTF8|") == 1);
    CHECK(exchange.sessions().all().empty());
}

TEST_CASE("a password is asked for, and a wrong one ends the connection") {
    PostgresExchange exchange(false);
    const std::string right = startup("admin") + message('p', std::string("secret\0", 7));
    CHECK(exchange(right + kTerminate).bodies('Z') == std::vector<std::string>{"I"});
    CHECK(exchange(startup("admin") + message('p', std::string("wrong\0", 6))).states() == "28P01");
    CHECK(exchange(startup("nobody") + message('p', std::string("\0", 1))).states() == "28P01");
    CHECK(exchange(startup("admin") + query("show all")).states() == "08P01");
    CHECK(exchange(startup("admin")).messages.size() == 1);
}

TEST_CASE("what is no beginning of a session is refused in the protocol's own words") {
    PostgresExchange exchange;
    CHECK(exchange(startup("admin", std::string("database\0other\0", 15))).states() == "3D000");
    CHECK(exchange(startup("admin", std::string("nonsense\0x\0", 11))).states() == "42704");
    CHECK(exchange(startup("admin", std::string("client_encoding\0LATIN1\0", 23))).states() == "22023");
    CHECK(exchange(startup("")).states() == "28000");
    CHECK(exchange(std::string("\0\0\0\x08\0\2\0\0", 8)).states() == "0A000");
    CHECK(exchange(std::string("\0\xff\xff\xff\0\3\0\0", 8)).states() == "08P01");
    CHECK(exchange(std::string("\0\0", 2)).messages.empty());
    // Without TLS both kinds of encryption are refused with one letter.
    const std::string requests("\0\0\0\x08\x04\xd2\x16\x2f\0\0\0\x08\x04\xd2\x16\x30", 16);
    CHECK(exchange(requests + startup("")).raw.substr(0, 3) == "NNE");
}

TEST_CASE("a message that no client sends ends the connection") {
    PostgresExchange exchange;
    CHECK(exchange(startup("admin") + message('~', "")).states() == "08P01");
    CHECK(exchange(startup("admin") + std::string("Q\0\0\0\2", 5)).states() == "08P01");
    CHECK(exchange(startup("admin") + std::string("Q\x7f\xff\xff\xff", 5)).states() == "54000");
}
