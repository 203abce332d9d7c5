// ClientPolicy holds the limits on what clients may do and how long they may take. A server sets it at start from its
// settings and registers it as a service of the process; it does not change afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pelorus {

struct ClientPolicy {
    bool guestsMayRun = false;   // clients that did not log in may run scripts
    bool guestsOwnData = false;  // clients that did not log in have all rights to data: for a development server

    // Time limits of a new connection: for the first byte, and for each request line once it began; then for logging
    // in.
    int64_t lineMillis = 10'000;
    int64_t loginMillis = 30'000;
    // A request whose bytes take longer than slowAfterMillis to arrive must come at bytesPerSecond or faster.
    int64_t slowAfterMillis = 30'000;
    int64_t bytesPerSecond = 1024;

    // Maximum numbers of connections that have not logged in, where guests may not run scripts: in total, and from one
    // address that is not this machine's.
    int maxUnauthenticated = 320;
    int maxUnauthenticatedPerAddress = 256;
    // Number of connections beyond maxConnections that only an administrator keeps after logging in.
    int administratorPlaces = 4;

    // Time limits of HTTP: for the headers of a request, and for the pause until the next request.
    int64_t headerMillis = 10'000;
    int64_t httpIdleMillis = 60'000;
    // Further names of this server, and origins of web pages that may use it, such as "https://desk.example".
    std::vector<std::string> allowedHosts, allowedOrigins;
    // enhancedSecurityVerification: five wrong logins lock a user at that address, and requireGoodPassword is strict.
    bool enhancedSecurity = false;
    // With each password a verifier of SCRAM-SHA-256 is kept, and clients of PostgreSQL's protocol from other machines
    // log in by it without TLS.
    bool keepsScram = true;
    // True if clients from other machines must use TLS.
    bool requireTls = false;
};

}  // namespace pelorus
