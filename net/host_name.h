// Names and addresses of machines, as they stand in requests, certificates and settings.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// Letters A to Z in lower case; every other byte as it is. Names of hosts, headers and types are compared so.
std::string asciiLower(std::string_view text);

// An address of IP version 4 or 6 in its usual form, without brackets and port.
bool isIpAddress(const std::string& host);

// Whether the address is one of this machine's own, which nobody else can connect from. False for a name.
bool isLoopbackAddress(const std::string& host);

}  // namespace pelorus
