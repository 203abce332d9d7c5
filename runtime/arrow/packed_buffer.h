// Compressed buffers of Arrow's record batches.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/memory/buffer.h"

namespace pelorus::arrow {

// The codecs of Arrow, by their numbers in its messages. On the network and in files: never renumber.
constexpr int kLz4Frame = 0;
constexpr int kZstd = 1;

// Returns how many bytes a buffer says that it has unpacked; 0 when that is no length.
int64_t unpackedBytes(std::string_view packed);

// Returns the plain bytes of a buffer: its own ones, or those that `unpacked` receives. Throws SystemError for bytes
// that the codec does not take or that have another length than they say; the length is charged to the memory limit
// before.
std::string_view unpack(std::string_view packed, int codec, std::unique_ptr<Buffer>& unpacked);
// Returns the buffer compressed, behind its length; as it is where that is shorter.
std::string pack(std::string_view plain, int codec, int level);

}  // namespace pelorus::arrow
