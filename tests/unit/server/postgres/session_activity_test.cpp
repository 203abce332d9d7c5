#include "server/postgres/session_activity.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "runtime/function/principal.h"
#include "server/session/session_registry.h"

using namespace pelorus;
using namespace pelorus::postgres;

TEST_CASE("administrators see all sessions, with the names of their programs") {
    const auto sessions = std::make_shared<SessionRegistry>();
    const int64_t id = sessions->open("10.0.0.7", 5000);
    sessions->setApplication(id, "psql");
    sessions->setApplication(id + 1, "nobody");
    const SessionActivity source(sessions);
    const Services services;
    Request request(Principal::owner());
    const std::vector<Activity> seen = source.sessions(Context(services, request));
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].applicationName == "psql");
    CHECK(seen[0].address == "10.0.0.7");
    CHECK(seen[0].processId == static_cast<int32_t>(id & INT32_MAX));
    CHECK_FALSE(seen[0].isRunning);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto ago =
        std::chrono::duration_cast<std::chrono::minutes>(now - std::chrono::nanoseconds(seen[0].connected));
    CHECK(std::abs(ago.count()) <= 1);
}

TEST_CASE("guests do not see the sessions of other guests") {
    const auto sessions = std::make_shared<SessionRegistry>();
    sessions->open("10.0.0.7", 5000);
    const int64_t own = sessions->open("10.0.0.8", 5000);
    Request request(Principal::guest());
    request.sessionId = own;
    const Services services;
    const std::vector<Activity> seen = SessionActivity(sessions).sessions(Context(services, request));
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].address == "10.0.0.8");
}
