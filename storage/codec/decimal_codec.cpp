#include "storage/codec/decimal_codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "common/error.h"
#include "common/type_table.h"
#include "common/widest.h"
#include "storage/codec/integer_codec.h"

namespace pelorus::codec {

namespace {

constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
constexpr int kMaxDigits = 14;
constexpr double kLargest = 2251799813685248.0;  // 2^51: integers and halves up to here are exact
constexpr int64_t kNullInteger = null<int64_t>;

template <class Real>
bool sameBits(Real a, Real b) {
    using Bits = std::conditional_t<sizeof(Real) == 8, uint64_t, uint32_t>;
    return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

// Finds the integer that divides back to x, when there is one.
template <class Real>
bool toInteger(Real x, double power, int64_t& integer) {
    const double scaled = static_cast<double>(x) * power;
    if (!(std::abs(scaled) < kLargest)) return false;  // NaN too
    integer = std::llrint(scaled);
    return sameBits(static_cast<Real>(static_cast<double>(integer) / power), x);
}

// Returns the fewest digits that fit most of a sample; -1 when none fit nearly all.
template <class Real>
int chooseDigits(const Real* numbers, int64_t n) {
    std::vector<Real> sample;
    const int64_t step = std::max<int64_t>(1, n / 256);
    for (int64_t i = 0; i < n; i += step) {
        if (numbers[i] != null<Real>) sample.push_back(numbers[i]);
    }
    int best = 0;
    size_t bestFit = 0;
    for (int digits = 0; digits <= kMaxDigits; ++digits) {
        size_t fit = 0;
        int64_t integer;
        for (const Real x : sample) fit += toInteger(x, kPowers[digits], integer);
        if (fit > bestFit) {
            bestFit = fit;
            best = digits;
        }
        if (fit == sample.size()) break;
    }
    return bestFit * 20 >= sample.size() * 19 ? best : -1;
}

template <class Real>
bool encode(const Real* numbers, int64_t n, std::string& bytes, Compression compression) {
    const int digits = chooseDigits(numbers, n);
    if (digits < 0) return false;
    const double power = kPowers[digits];
    std::vector<int64_t> integers(static_cast<size_t>(n));
    std::vector<uint16_t> exceptions;
    int64_t least = INT64_MAX, largest = INT64_MIN, before = 0;
    for (int64_t i = 0; i < n; ++i) {
        int64_t& integer = integers[static_cast<size_t>(i)];
        if (numbers[i] == null<Real>) {
            integer = kNullInteger;
            continue;
        }
        if (!toInteger(numbers[i], power, integer)) {
            // The exception repeats its neighbour, which costs the fewest bytes.
            exceptions.push_back(static_cast<uint16_t>(i));
            integer = before;
        }
        before = integer;
        least = std::min(least, integer);
        largest = std::max(largest, integer);
    }
    if (static_cast<int64_t>(exceptions.size()) * 10 > n) return false;
    ByteWriter writer(bytes);
    // Whether 32 bits hold every integer and the code of NULL below them.
    const bool narrow = least <= largest && least > INT32_MIN + int64_t{2} && largest < INT32_MAX;
    writer.fixed(static_cast<uint8_t>(digits));
    writer.fixed<uint8_t>(narrow);
    writer.varint(exceptions.size());
    writer.raw(exceptions.data(), exceptions.size() * sizeof(uint16_t));
    for (const uint16_t at : exceptions) writer.fixed(numbers[at]);
    encodeIntegers(std::move(integers), kNullInteger, bytes, compression);
    return true;
}

// Converts integers of one group to numbers. `nullCode` becomes NULL.
template <class Integer, class Real>
void divide(const Integer* integers, double power, bool mayHaveNull, Integer nullCode, Real* numbers, int count) {
    onWidest([=]() __attribute__((always_inline)) {
        const Integer* __restrict from = integers;
        Real* __restrict to = numbers;
        if (!mayHaveNull) {
            for (int i = 0; i < count; ++i) to[i] = static_cast<Real>(static_cast<double>(from[i]) / power);
            return;
        }
        for (int i = 0; i < count; ++i) {
            const Real number = static_cast<Real>(static_cast<double>(from[i]) / power);
            to[i] = from[i] == nullCode ? null<Real> : number;
        }
    });
}

template <class Unsigned, class Integer, class Real>
void decodeGroups(std::string_view bytes, int64_t n, double power, Integer nullCode, Real* numbers) {
    IntegerReader<Unsigned> reader(bytes, n, static_cast<Unsigned>(nullCode));
    alignas(64) Unsigned group[kGroup];
    for (int64_t at = 0; at < n; at += kGroup) {
        const int count = reader.next(group);
        const auto* integers = reinterpret_cast<const Integer*>(group);
        divide(integers, power, reader.mayHaveNull(), nullCode, numbers + at, count);
    }
}

template <class Real>
void decode(std::string_view bytes, int64_t n, Real* numbers) {
    ByteReader reader(bytes);
    const auto digits = reader.fixed<uint8_t>();
    const bool narrow = reader.fixed<uint8_t>() != 0;
    const uint64_t exceptions = reader.varint();
    if (digits > kMaxDigits || exceptions > static_cast<uint64_t>(n))
        throw SystemError("a block of decimals is malformed");
    const std::string_view positions = reader.raw(exceptions * sizeof(uint16_t));
    const std::string_view values = reader.raw(exceptions * sizeof(Real));
    const std::string_view integers = bytes.substr(reader.position());
    // A constant block of NULLs carries the wide NULL, whose low half is 0; such a block is never marked narrow.
    if (narrow)
        decodeGroups<uint32_t, int32_t>(integers, n, kPowers[digits], null<int32_t>, numbers);
    else
        decodeGroups<uint64_t, int64_t>(integers, n, kPowers[digits], kNullInteger, numbers);
    for (uint64_t e = 0; e < exceptions; ++e) {
        uint16_t position;
        std::memcpy(&position, positions.data() + e * sizeof position, sizeof position);
        if (position >= n) throw SystemError("a block of decimals is malformed");
        std::memcpy(&numbers[position], values.data() + e * sizeof(Real), sizeof(Real));
    }
}

}  // namespace

bool encodeDecimals(const double* numbers, int64_t n, std::string& bytes, Compression compression) {
    return encode(numbers, n, bytes, compression);
}
bool encodeDecimals(const float* numbers, int64_t n, std::string& bytes, Compression compression) {
    return encode(numbers, n, bytes, compression);
}
void decodeDecimals(std::string_view bytes, int64_t n, double* numbers) {
    decode(bytes, n, numbers);
}
void decodeDecimals(std::string_view bytes, int64_t n, float* numbers) {
    decode(bytes, n, numbers);
}

}  // namespace pelorus::codec
