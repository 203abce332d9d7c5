// Encodes floating-point numbers that are decimals of few digits, such as prices, as integers, which are divided when
// decoded. Values that the division does not restore to the same bits are stored as exceptions (the idea of ALP,
// Afroozeh and Boncz 2023).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/codec/compression.h"

namespace pelorus::codec {

// Appends the encoded block and returns true; false when the numbers are no such decimals, and nothing is appended.
// REQUIRES: 0 < n <= 65,536.
bool encodeDecimals(const double* numbers, int64_t n, std::string& bytes, Compression compression = Compression::Lz4);
bool encodeDecimals(const float* numbers, int64_t n, std::string& bytes, Compression compression = Compression::Lz4);

// Decode n numbers. Throw SystemError on malformed bytes.
void decodeDecimals(std::string_view bytes, int64_t n, double* numbers);
void decodeDecimals(std::string_view bytes, int64_t n, float* numbers);

}  // namespace pelorus::codec
