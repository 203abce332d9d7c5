// Encodes integers by the encoding that takes the fewest bytes: constant, run lengths, frame of reference or deltas,
// bit-packed in groups of 1,024 with exceptions or entropy-coded, or raw.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/bytes.h"
#include "storage/codec/bit_packing.h"
#include "storage/codec/byte_planes.h"
#include "storage/codec/compression.h"

namespace pelorus::codec {

// Appends the encoded numbers. NULLs (`null`) do not widen the range of the other values.
// REQUIRES: 1 to 65,536 numbers.
void encodeIntegers(std::vector<int64_t> numbers, int64_t null, std::string& bytes,
                    Compression compression = Compression::Lz4);

// A decoder that works group by group, so that the results stay in the processor's cache. Number is uint32_t or
// uint64_t; with uint32_t all numbers come modulo 2^32. The bytes outlive it. Calls throw SystemError on malformed
// bytes. Not thread-safe.
template <class Number>
class IntegerReader {
public:
    // `null` is the value passed to the encoder.
    IntegerReader(std::string_view bytes, int64_t n, Number null);

    // Writes up to 1,024 numbers, fewer only at the end; the buffer must hold 1,024. Returns their number.
    int next(Number* numbers);

    // Returns whether a number may be `null`.
    bool mayHaveNull() const { return hasNull_ || kind_ == 0 || kind_ == 1; }

private:
    void readGroup(Number* numbers, int count);

    ByteReader reader_;
    int64_t left_;
    uint8_t kind_;
    bool hasNull_;
    Number nullCode_ = 0;
    const Number null_;
    Number running_ = 0;  // Constant: the number; deltas: the last one; planes: the base
    PlaneReader planes_;
    std::vector<Number> runValues_;  // RunLength
    std::vector<uint32_t> runLengths_;
    size_t run_ = 0;
};

}  // namespace pelorus::codec
