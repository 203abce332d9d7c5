// Inflates bytes of the gzip format in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pelorus {

enum class GunzipResult : uint8_t { Done, Damaged, TooLong };

// Inflates all members of `packed` into `plain`, which gets at most `limitBytes`. TooLong and Damaged, which includes
// bytes that are cut off, leave it with what was inflated before.
GunzipResult gunzip(std::string_view packed, int64_t limitBytes, std::string& plain);

}  // namespace pelorus
