// Compresses bytes that no other encoding suits, by LZ4 or zstd.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/codec/compression.h"

namespace pelorus::codec {

// Appends the bytes, compressed when that saves at least an eighth, else unchanged. Elements of `width` bytes are first
// transposed into byte planes when that helps: the high bytes (sign and exponent) of floats repeat, the low ones do
// not.
void compress(std::string_view elements, int width, std::string& bytes, Compression compression = Compression::Lz4);
// Decompresses what `compress` appended, and writes exactly `sizeBytes`. Throws SystemError on malformed bytes.
void decompress(std::string_view bytes, char* elements, size_t sizeBytes);

// Returns the bytes as one zstd frame, compressed at the fastest level.
std::string zstd(std::string_view source);
// Decompresses one zstd frame, and writes exactly `sizeBytes`. Throws SystemError on malformed bytes.
void unzstd(std::string_view packed, char* target, size_t sizeBytes);

}  // namespace pelorus::codec
