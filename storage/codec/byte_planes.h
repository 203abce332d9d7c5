// Encodes numbers in byte planes, each entropy-coded: the lowest bytes of all, then the next ones. It suits skewed
// values, such as sizes, letters of exchanges and small differences, where bit packing pays for the rarest number.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/io/bytes.h"

namespace pelorus::codec {

// Appends the planes and returns true; returns false when a number needs more than 32 bits, and nothing is appended.
bool encodePlanes(std::span<const uint64_t> numbers, std::string& bytes);

// A decoder of planes, which IntegerReader owns. Not thread-safe.
class PlaneReader {
public:
    // Unpacks the planes of n numbers. Throws SystemError when they are malformed.
    void open(ByteReader& reader, int64_t n);
    // Writes the next `count` numbers. REQUIRES: that many remain.
    template <class Number>
    void next(Number* numbers, int count);

private:
    std::string planes_;
    size_t n_ = 0;
    size_t count_ = 0;  // number of planes
    size_t at_ = 0;     // position of the next number
};

}  // namespace pelorus::codec
