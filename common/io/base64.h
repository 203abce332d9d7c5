// Encodes and decodes Base64 of RFC 4648, with padding.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

std::string toBase64(std::string_view bytes);

// Decodes a string; white space is ignored. Returns false when it is not Base64; `bytes` is then unspecified.
bool fromBase64(std::string_view string, std::string& bytes);

}  // namespace pelorus
