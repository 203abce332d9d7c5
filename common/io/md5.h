// Returns the MD5 digest (RFC 1321), a fingerprint of data and no protection of it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace pelorus {

std::array<uint8_t, 16> md5(std::string_view bytes);

}  // namespace pelorus
