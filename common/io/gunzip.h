// Inflates and deflates bytes of the gzip format in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pelorus {

enum class GunzipResult : uint8_t { Done, Damaged, TooLong };

// Inflates all members of `packed` into `plain`, at most `limitBytes`. Returns Damaged also for bytes that are cut off.
// After TooLong and Damaged the content of `plain` is unspecified.
GunzipResult gunzip(std::string_view packed, int64_t limitBytes, std::string& plain);

// Returns the bytes as one member of the gzip format, compressed as far as it goes: for bytes that are sent often.
// REQUIRES: less than 4 GiB.
std::string gzip(std::string_view plain);

}  // namespace pelorus
