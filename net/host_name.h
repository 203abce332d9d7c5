// Names and addresses of machines in requests, certificates and settings.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// Converts letters A to Z to lower case; every other byte is unchanged. Names of hosts, headers and types are compared
// so.
std::string asciiLower(std::string_view string);

// An address of IP version 4 or 6 in its usual form, without brackets and port.
bool isIpAddress(const std::string& host);

// Whether the address is a loopback address, from which nobody else can connect. False for a name.
bool isLoopbackAddress(const std::string& host);

}  // namespace pelorus
