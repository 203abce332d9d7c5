#include "server/session/session_registry.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/function/principal.h"

using namespace pelorus;
using Catch::Contains;

namespace {

std::shared_ptr<const Principal> user(const std::string& name) {
    return std::make_shared<const Principal>(name, Principal::Powers{.callsPublic = true});
}

int64_t openFor(SessionRegistry& sessions, const std::string& name) {
    const int64_t id = sessions.open("127.0.0.1", 1);
    sessions.setUser(id, user(name));
    return id;
}

}  // namespace

TEST_CASE("a user has as many sessions as the share allows, and gets one more when one is closed") {
    SessionRegistry sessions;
    sessions.limitSessionsOfUser(2);
    const int64_t first = openFor(sessions, "ann");
    openFor(sessions, "ann");
    const int64_t third = sessions.open("127.0.0.1", 1);
    CHECK_THROWS_WITH(sessions.setUser(third, user("ann")), Contains("ann has 2 sessions"));
    CHECK(sessions.status(third).userId == "guest");
    openFor(sessions, "bob");
    // A user who logs in again in a session needs no other one; admin is not bounded.
    sessions.setUser(first, user("ann"));
    for (int i = 0; i < 3; ++i) sessions.setUser(sessions.open("127.0.0.1", 1), Principal::owner());
    sessions.close(first);
    sessions.setUser(third, user("ann"));
    CHECK(sessions.status(third).userId == "ann");
}

TEST_CASE("results that the clients of a user have not read are bounded together") {
    SessionRegistry sessions;
    const int64_t one = openFor(sessions, "ann"), two = openFor(sessions, "ann"), other = openFor(sessions, "bob");
    sessions.holdAnswer(one, 60, 100);
    CHECK_THROWS_WITH(sessions.holdAnswer(two, 41, 100), Contains("100 of one user"));
    CHECK(sessions.status(two).answerBytes == 0);
    sessions.holdAnswer(two, 40, 100);
    sessions.holdAnswer(other, 90, 100);
    sessions.holdAnswer(one, 0);
    sessions.holdAnswer(one, 60, 100);
    CHECK(sessions.status(one).answerBytes == 60);
    CHECK_THROWS_AS(sessions.holdAnswer(one, 61, 100), UserError);
    sessions.holdAnswer(one, 1000);  // without a bound
}
