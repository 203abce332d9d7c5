#include "net/host_name.h"

#include <arpa/inet.h>

namespace pelorus {

bool isIpAddress(const std::string& host) {
    unsigned char bytes[sizeof(in6_addr)];
    return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool isLoopbackAddress(const std::string& host) {
    return isIpAddress(host) && (host.starts_with("127.") || host == "::1" || host.starts_with("::ffff:127."));
}

}  // namespace pelorus
