#include "net/host_name.h"

#include <arpa/inet.h>

namespace pelorus {

std::string asciiLower(std::string_view string) {
    std::string lower(string);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

bool isIpAddress(const std::string& host) {
    unsigned char bytes[sizeof(in6_addr)];
    return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool isLoopbackAddress(const std::string& host) {
    return isIpAddress(host) && (host.starts_with("127.") || host == "::1" || host.starts_with("::ffff:127."));
}

}  // namespace pelorus
