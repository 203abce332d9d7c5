// Waiting times after wrong logins: who waits, who does not, and how much is remembered.
#include "server/access/login_throttle.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "server/access/password_login.h"

using namespace pelorus;

namespace {

// A clock that only sleeping and the test move.
struct Clock {
    int64_t now = 1'000'000;
    int64_t slept = 0;
    LoginThrottle::Options options(bool locksUsers = false, size_t maxEntries = 100) {
        return {.locksUsers = locksUsers,
                .maxEntries = maxEntries,
                .nowMillis = [this] { return now; },
                .sleep =
                    [this](int64_t millis) {
                        now += millis;
                        slept += millis;
                    }};
    }
};

bool isRefused(LoginThrottle& throttle, std::string_view user, std::string_view address) {
    try {
        throttle.require(user, address);
        return false;
    } catch (const UserError&) {
        return true;
    }
}

constexpr const char* kAway = "10.0.0.7";

}  // namespace

TEST_CASE("wrong logins delay the next one of that user and address, doubling up to ten seconds") {
    Clock clock;
    LoginThrottle throttle(clock.options());
    for (const int64_t delay : {100, 200, 400, 800}) {
        throttle.failed("eva", kAway);
        clock.slept = 0;
        throttle.require("eva", kAway);
        REQUIRE(clock.slept == delay);
    }
    throttle.failed("eva", kAway);
    REQUIRE_THROWS_WITH(throttle.require("eva", kAway), Catch::Matchers::Contains("too many wrong logins"));
    REQUIRE_FALSE(isRefused(throttle, "eva", "10.0.0.8"));
    REQUIRE_FALSE(isRefused(throttle, "ada", kAway));
    for (int i = 0; i < 10; ++i) throttle.failed("eva", kAway);
    clock.now += LoginThrottle::kLongestDelayMillis - 1;
    clock.slept = 0;
    throttle.require("eva", kAway);
    REQUIRE(clock.slept == 1);
    throttle.succeeded("eva", kAway);
    throttle.failed("eva", kAway);
    throttle.require("eva", kAway);
    REQUIRE(clock.slept == 101);
}

TEST_CASE("an address that guesses by many names is delayed for all of them") {
    Clock clock;
    LoginThrottle throttle(clock.options());
    for (int i = 0; i < LoginThrottle::kFreeFailures + 10; ++i) throttle.failed("user" + std::to_string(i), kAway);
    REQUIRE(isRefused(throttle, "eva", kAway));
    REQUIRE_FALSE(isRefused(throttle, "eva", "10.0.0.8"));
    for (int i = 0; i < LoginThrottle::kFreeFailures + 10; ++i)
        throttle.failed("user" + std::to_string(i), "127.0.0.1");
    REQUIRE_FALSE(isRefused(throttle, "eva", "127.0.0.1"));
}

TEST_CASE("admin from this machine is never refused, but slowed after a wrong login") {
    Clock clock;
    LoginThrottle throttle(clock.options(true));
    for (int i = 0; i < 50; ++i) throttle.failed("admin", "127.0.0.1");
    REQUIRE(clock.slept > 40'000);
    clock.slept = 0;
    throttle.lock("admin");
    throttle.require("admin", "127.0.0.1");
    REQUIRE(clock.slept == 0);
    REQUIRE(isRefused(throttle, "admin", kAway));
}

TEST_CASE("with enhanced security, five wrong logins lock the user at that address for ten minutes") {
    Clock clock;
    LoginThrottle throttle(clock.options(true));
    for (int i = 0; i < LoginThrottle::kLockingFailures; ++i) throttle.failed("eva", kAway);
    REQUIRE_THROWS_WITH(throttle.require("eva", kAway), "The user is locked.");
    REQUIRE_FALSE(isRefused(throttle, "eva", "10.0.0.8"));
    const auto locked = throttle.locked();
    REQUIRE(locked.size() == 1);
    REQUIRE(locked[0].user == "eva");
    REQUIRE(locked[0].address == kAway);
    REQUIRE(locked[0].untilMillis == locked[0].sinceMillis + LoginThrottle::kLockMillis);
    clock.now += LoginThrottle::kLockMillis;
    REQUIRE_FALSE(isRefused(throttle, "eva", kAway));
    REQUIRE(throttle.locked().empty());
}

TEST_CASE("a locked user is locked everywhere until unlocked") {
    Clock clock;
    LoginThrottle throttle(clock.options());
    throttle.lock("eva");
    clock.now += 365LL * 86400 * 1000;
    REQUIRE(isRefused(throttle, "eva", kAway));
    REQUIRE(isRefused(throttle, "eva", "127.0.0.1"));
    REQUIRE(throttle.unlock("eva"));
    REQUIRE_FALSE(throttle.unlock("eva"));
    REQUIRE_FALSE(isRefused(throttle, "eva", kAway));
}

TEST_CASE("a flood of names is forgotten from its oldest on") {
    Clock clock;
    LoginThrottle throttle(clock.options(false, 10));
    for (int i = 0; i < 8; ++i) throttle.failed("eva", "127.0.0.1");
    REQUIRE(isRefused(throttle, "eva", "127.0.0.1"));
    for (int i = 0; i < 10; ++i) throttle.failed(std::string(100'000, 'u') + std::to_string(i), "127.0.0.1");
    REQUIRE_FALSE(isRefused(throttle, "eva", "127.0.0.1"));
}

TEST_CASE("enhanced security refuses simple passwords") {
    REQUIRE_NOTHROW(requireGoodPassword("simple", false));
    REQUIRE_NOTHROW(requireGoodPassword("Good.pass1", true));
    for (const char* simple : {"Sh.0rt", "no.capital1", "No.digits", "NoSpecial1", "Much.too.long.password1"}) {
        REQUIRE_THROWS_AS(requireGoodPassword(simple, true), UserError);
    }
}
