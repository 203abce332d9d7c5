// Encodes and decodes a block of a column of array vectors: the lengths of its rows, then their values, each as blocks
// of numbers. Bytes: docs/formats/segment.md.
#pragma once

#include <string>
#include <string_view>

#include "runtime/value/array_vector.h"
#include "storage/codec/compression.h"

namespace pelorus {

// Appends the encoded rows begin … begin + n - 1 to `bytes`. REQUIRES: n > 0.
void encodeArrayBlock(const ArrayVector& rows, int64_t begin, int64_t n, std::string& bytes,
                      codec::Compression compression);
// Returns the n rows of a block. Throws SystemError when the bytes are malformed.
Ref<ArrayVector> decodeArrayBlock(Type elementType, uint8_t scale, std::string_view bytes, int64_t n);

}  // namespace pelorus
