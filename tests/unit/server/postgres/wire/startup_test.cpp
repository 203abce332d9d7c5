#include "server/postgres/wire/startup.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"
#include "server/postgres/wire/wire_messages.h"

using namespace pelorus::postgres;

namespace {

std::string startup(int32_t version, const std::vector<std::string>& strings) {
    std::string body;
    appendInt32(body, version);
    for (const std::string& string : strings) body += string + '\0';
    return body + '\0';
}

std::string stateOf(const std::string& body) {
    try {
        parseStartup(body);
    } catch (const SqlError& error) {
        return error.state();
    }
    return "";
}

}  // namespace

TEST_CASE("a startup message has parameters, and later protocols' options are set apart") {
    const StartupRequest request =
        parseStartup(startup(kProtocolVersion + 2, {"user", "ann", "database", "pelorus", "_pq_.newer", "on"}));
    CHECK(request.kind == StartupRequest::Kind::Session);
    CHECK(request.isNewer);
    CHECK(request.parameters.at("user") == "ann");
    CHECK(request.unknownOptions == std::vector<std::string>{"_pq_.newer"});
}

TEST_CASE("a request to cancel names a session and its secret") {
    std::string body;
    appendInt32(body, (1234 << 16) + 5678);
    appendInt32(body, 77);
    const StartupRequest request = parseStartup(body + "abcd");
    CHECK(request.kind == StartupRequest::Kind::Cancel);
    CHECK(request.processId == 77);
    CHECK(request.secret == "abcd");
    CHECK(stateOf(body + std::string(300, 'x')) == "08P01");
}

TEST_CASE("what is no startup message is refused") {
    CHECK(stateOf(startup(2 << 16, {"user", "ann"})) == "0A000");
    CHECK(stateOf(startup(kProtocolVersion, {"database", "pelorus"})) == "28000");
    CHECK(stateOf(startup(kProtocolVersion, {"user", "ann"}).substr(0, 8)) == "08P01");
    CHECK(stateOf(startup(kProtocolVersion, {"user", "ann"}) + "more") == "08P01");
}
