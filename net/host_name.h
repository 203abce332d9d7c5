// Classifies the names and addresses of machines in requests, certificates and settings. The functions are pure.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// Returns whether the string is an address of IP version 4 or 6 in its usual form, without brackets and port.
bool isIpAddress(const std::string& host);

// Returns whether the string is a loopback address, from which only this machine can connect. Returns false for a name.
bool isLoopbackAddress(const std::string& host);

}  // namespace pelorus
