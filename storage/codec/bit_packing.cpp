#include "storage/codec/bit_packing.h"

#include <array>
#include <cstring>
#include <utility>

#include "common/check.h"

namespace pelorus::codec {

namespace {

template <int width, int row>
[[gnu::always_inline]] inline void unpackRow(const uint32_t* __restrict words, uint32_t* __restrict numbers) {
    if constexpr (width == 0) {
        for (int lane = 0; lane < kLanes; ++lane) numbers[row * kLanes + lane] = 0;
    } else {
        constexpr int word = row * width / 32, shift = row * width % 32;
        constexpr uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
        for (int lane = 0; lane < kLanes; ++lane) {
            uint32_t number = words[word * kLanes + lane] >> shift;
            if constexpr (shift + width > 32) number |= words[(word + 1) * kLanes + lane] << (32 - shift);
            numbers[row * kLanes + lane] = number & mask;
        }
    }
}

template <int width, int... rows>
[[gnu::always_inline]] inline void unpackRows(const uint32_t* words, uint32_t* numbers,
                                              std::integer_sequence<int, rows...>) {
    (unpackRow<width, rows>(words, numbers), ...);
}

template <int width>
void unpackAnywhere(const uint32_t* words, uint32_t* numbers) {
    unpackRows<width>(words, numbers, std::make_integer_sequence<int, 32>());
}

template <int width>
[[gnu::target("avx2")]] void unpackAvx2(const uint32_t* words, uint32_t* numbers) {
    unpackRows<width>(words, numbers, std::make_integer_sequence<int, 32>());
}

template <int width, int row>
[[gnu::always_inline]] inline void packRow(const uint32_t* __restrict numbers, uint32_t* __restrict words) {
    if constexpr (width > 0) {
        constexpr int word = row * width / 32, shift = row * width % 32;
        constexpr uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
        for (int lane = 0; lane < kLanes; ++lane) {
            const uint32_t number = numbers[row * kLanes + lane] & mask;
            uint32_t& first = words[word * kLanes + lane];
            first = shift == 0 ? number : first | number << shift;
            if constexpr (shift + width > 32) words[(word + 1) * kLanes + lane] = number >> (32 - shift);
        }
    }
}

template <int width, int... rows>
void packRows(const uint32_t* numbers, uint32_t* words, std::integer_sequence<int, rows...>) {
    (packRow<width, rows>(numbers, words), ...);
}

template <int width>
void packAnywhere(const uint32_t* numbers, uint32_t* words) {
    packRows<width>(numbers, words, std::make_integer_sequence<int, 32>());
}

using Kernel = void (*)(const uint32_t*, uint32_t*);
using Kernels = std::array<Kernel, 33>;

template <int... widths>
Kernels packers(std::integer_sequence<int, widths...>) {
    return {packAnywhere<widths>...};
}
template <int... widths>
Kernels unpackers(std::integer_sequence<int, widths...>) {
    if (__builtin_cpu_supports("avx2")) return {unpackAvx2<widths>...};
    return {unpackAnywhere<widths>...};
}

const Kernels kPackers = packers(std::make_integer_sequence<int, 33>());
const Kernels kUnpackers = unpackers(std::make_integer_sequence<int, 33>());

}  // namespace

void pack(const uint32_t* numbers, int width, uint32_t* words) {
    DCHECK(width >= 0 && width <= 32) << "a packed number has 0 to 32 bits";
    kPackers[static_cast<size_t>(width)](numbers, words);
}

void unpack(const char* words, int width, uint32_t* numbers, int count) {
    DCHECK(width >= 0 && width <= 32 && count <= kGroup) << "a group of numbers of 0 to 32 bits is unpacked";
    // Unaligned loads are as fast as aligned ones; the language requires the copy.
    alignas(64) uint32_t padded[kGroup];
    const uint32_t* source = reinterpret_cast<const uint32_t*>(words);
    const bool aligned = reinterpret_cast<uintptr_t>(words) % alignof(uint32_t) == 0;
    if (count < kGroup || !aligned) {
        std::memcpy(padded, words, static_cast<size_t>(packedWords(count, width)) * sizeof(uint32_t));
        source = padded;
    }
    kUnpackers[static_cast<size_t>(width)](source, numbers);
}

}  // namespace pelorus::codec
