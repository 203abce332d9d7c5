#include "net/host_name.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("an address is one in its usual form, and no name is") {
    for (const char* host : {"127.0.0.1", "255.255.255.255", "::1", "fe80::1", "::ffff:10.0.0.1"})
        CHECK(isIpAddress(host));
    for (const char* host :
         {"", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[::1]", "127.0.0.1:80", "0x7f.1", " 127.0.0.1"})
        CHECK(!isIpAddress(host));
}

TEST_CASE("a loopback address is one that nobody else can use, which a name may hide") {
    for (const char* host : {"127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"}) CHECK(isLoopbackAddress(host));
    for (const char* host : {"localhost", "127.evil.com", "128.0.0.1", "0.0.0.0", "::", "::ffff:10.0.0.1", ""})
        CHECK(!isLoopbackAddress(host));
}
