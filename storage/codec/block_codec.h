// Encodes and decodes one block of one column. The encoding is chosen per block: the smallest of those that fit, by
// size on a sample. Bytes: docs/formats/segment.md.
//
// `elements` has the layout of a Vector of that storage; SYMBOL and dictionary-coded strings come as Int32 codes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/type_table.h"
#include "storage/codec/compression.h"

namespace pelorus::codec {

// Appends the encoded block. REQUIRES: storage is a fixed-width one (Int8 … Bytes16); 0 < n <= 65,536.
void encodeBlock(Storage storage, const void* elements, int64_t n, std::string& bytes,
                 Compression compression = Compression::Lz4);
// Decodes n values into `elements`. Throws SystemError when the bytes are malformed; reads nothing outside them, and
// writes no more than n values.
void decodeBlock(Storage storage, std::string_view bytes, int64_t n, void* elements);

// Appends the encoded block of strings for which a dictionary does not pay.
void encodeStringBlock(const std::vector<std::string_view>& elements, std::string& bytes,
                       Compression compression = Compression::Lz4);
// Decodes n strings, which point into `bytes` or `buffer`. Throws SystemError when the bytes are malformed.
void decodeStringBlock(std::string_view bytes, int64_t n, std::vector<std::string_view>& elements, std::string& buffer);

}  // namespace pelorus::codec
