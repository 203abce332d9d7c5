#include "server/session/cancel_keys.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("a request is cancelled by number and secret, and by nothing else") {
    CancelKeys keys;
    int cancelled = 0;
    const CancelKeys::Key first = keys.add(7, [&] { ++cancelled; });
    const CancelKeys::Key second = keys.add(7, [] { FAIL("another connection is cancelled"); });
    CHECK(first.number == 7);
    CHECK(second.number == 8);
    CHECK_FALSE(keys.cancel(first.number, std::string(first.secret.size(), '\0') + "x"));
    CHECK_FALSE(keys.cancel(first.number, ""));
    CHECK_FALSE(keys.cancel(9, first.secret));
    CHECK(cancelled == 0);
    CHECK(keys.cancel(first.number, first.secret));
    CHECK(cancelled == 1);
    keys.remove(first.number);
    CHECK_FALSE(keys.cancel(first.number, first.secret));
}
