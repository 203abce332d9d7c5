// Limits on the rights and times of clients. A service of the process, set at start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pelorus {

struct ClientPolicy {
    bool guestsMayRun = false;   // clients that did not log in may run scripts
    bool guestsOwnData = false;  // ... and have all rights to data: a development server

    // Time limits of a new connection: for the first byte, and for each request line once it began; then for logging
    // in.
    int64_t lineMillis = 10'000;
    int64_t loginMillis = 30'000;
    // A request that takes longer than this must arrive at this min rate.
    int64_t slowAfterMillis = 30'000;
    int64_t bytesPerSecond = 1024;

    // Maximum numbers of connections that have not logged in, where guests may not run: in total, and from one address
    // that is not this machine's.
    int maxUnauthenticated = 320;
    int maxUnauthenticatedPerAddress = 256;
    // Places beyond maxConnections that only an administrator keeps after logging in.
    int administratorPlaces = 4;

    // HTTP: how long the headers of a request and the next request may take.
    int64_t headerMillis = 10'000;
    int64_t httpIdleMillis = 60'000;
    // Names of this server beyond its own, and origins of web pages that may use it, as in "https://desk.example".
    std::vector<std::string> allowedHosts, allowedOrigins;
    // enhancedSecurityVerification: five wrong logins lock a user at that address, and new passwords must be good ones.
    bool enhancedSecurity = false;
    // Whether clients from other machines must use TLS.
    bool requireTls = false;
};

}  // namespace pelorus
