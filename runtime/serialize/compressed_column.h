// Compressed columns of the wire protocol: LZ4 blocks, or delta of delta. They are only read; this server sends plain
// ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pelorus {

// The byte that names the method. On the network: never renumber.
enum class CompressionMethod : uint8_t { Lz4 = 1, DeltaOfDelta = 2 };

// Appends the plain bytes of one block, at most kCompressedBlockBytes, whatever the block claims. Throws UserError on
// malformed bytes. Delta of delta needs the width of a value (2, 4 or 8 bytes) and stops after `values` of them; LZ4
// uses neither.
constexpr size_t kCompressedBlockBytes = 65536;
void decompressBlock(CompressionMethod method, int width, int64_t values, std::string_view block, std::string& plain);

}  // namespace pelorus
