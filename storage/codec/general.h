// General-purpose compression of bytes that no other encoding suits.
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
// Writes exactly `sizeBytes`. Throws SystemError on malformed bytes.
void decompress(std::string_view bytes, char* elements, size_t sizeBytes);

// Compresses to one zstd frame, at the fastest level.
std::string zstd(std::string_view source);
// Writes exactly `sizeBytes`. Throws SystemError on malformed bytes.
void unzstd(std::string_view packed, char* target, size_t sizeBytes);

}  // namespace pelorus::codec
