// Computes the checksums of stored bytes: CRC-32C (Castagnoli).
#pragma once

#include <cstdint>
#include <string_view>

namespace pelorus {

// Returns the checksum. Pass that of the preceding bytes as `seed` to continue it.
uint32_t crc32c(std::string_view bytes, uint32_t seed = 0);

}  // namespace pelorus
