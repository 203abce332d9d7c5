#include "common/thread/lasting_share.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("a user's requests leave what the share allows, and no more") {
    LastingShare share;
    CHECK(share.take(60, 100));
    CHECK_FALSE(share.take(41, 100));
    CHECK(share.usedBytes() == 60);
    CHECK(share.take(40, 100));
    CHECK_FALSE(share.take(1, 100));
    CHECK(share.take(1, 200));
}

TEST_CASE("each user has one share") {
    CHECK(LastingShare::ofUser("ann") == LastingShare::ofUser("ann"));
    CHECK(LastingShare::ofUser("ann") != LastingShare::ofUser("bob"));
}
