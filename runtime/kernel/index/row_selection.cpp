#include "runtime/kernel/index/row_selection.h"

#include <fmt/format.h>
#include <immintrin.h>

#include <numeric>

#include "common/check.h"
#include "common/error.h"
#include "common/widest.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

int64_t positionsOneByOne(const int8_t* mask, int64_t begin, int64_t rows, int32_t* positions) {
    int64_t count = 0;
    for (int64_t i = begin; i < rows; ++i) {
        positions[count] = static_cast<int32_t>(i);
        count += mask[i] == 1;
    }
    return count;
}

[[gnu::target("avx512f,avx512bw,avx512vl,popcnt")]] __mmask16 chosenOf(const int8_t* mask) {
    return _mm_cmpeq_epi8_mask(_mm_loadu_si128(reinterpret_cast<const __m128i*>(mask)), _mm_set1_epi8(1));
}

[[gnu::target("avx512f,avx512bw,avx512vl,popcnt")]] int64_t positionsOnAvx512(const int8_t* mask, int64_t rows,
                                                                              int32_t* positions) {
    __m512i sixteen = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int64_t count = 0, i = 0;
    for (; i + 16 <= rows; i += 16) {
        const __mmask16 chosen = chosenOf(mask + i);
        _mm512_storeu_si512(positions + count, _mm512_maskz_compress_epi32(chosen, sixteen));
        count += __builtin_popcount(chosen);
        sixteen = _mm512_add_epi32(sixteen, _mm512_set1_epi32(16));
    }
    return count + positionsOneByOne(mask, i, rows, positions + count);
}

// Returns the number of rows processed, all but the last few; *count becomes the number of elements written.
[[gnu::target("avx512f,avx512bw,avx512vl,popcnt")]] int64_t packFour(const int32_t* from, const int8_t* mask,
                                                                     int64_t rows, int32_t* to, int64_t* count) {
    int64_t i = 0;
    for (; i + 16 <= rows; i += 16) {
        const __mmask16 chosen = chosenOf(mask + i);
        const int n = __builtin_popcount(chosen);
        const __m512i packed = _mm512_maskz_compress_epi32(chosen, _mm512_loadu_si512(from + i));
        _mm512_mask_storeu_epi32(to + *count, static_cast<__mmask16>((1U << n) - 1), packed);
        *count += n;
    }
    return i;
}

[[gnu::target("avx512f,avx512bw,avx512vl,popcnt")]] int64_t packEight(const int64_t* from, const int8_t* mask,
                                                                      int64_t rows, int64_t* to, int64_t* count) {
    int64_t i = 0;
    for (; i + 16 <= rows; i += 16) {
        const __mmask16 all = chosenOf(mask + i);
        for (int half = 0; half < 2; ++half) {
            const auto chosen = static_cast<__mmask8>(all >> (8 * half));
            const int n = __builtin_popcount(chosen);
            const __m512i packed = _mm512_maskz_compress_epi64(chosen, _mm512_loadu_si512(from + i + 8 * half));
            _mm512_mask_storeu_epi64(to + *count, static_cast<__mmask8>((1U << n) - 1), packed);
            *count += n;
        }
    }
    return i;
}

template <class T>
void packRest(const T* from, const int8_t* mask, int64_t begin, int64_t rows, T* to) {
    for (int64_t i = begin; i < rows; ++i) {
        if (mask[i] == 1) *to++ = from[i];
    }
}

}  // namespace

int64_t chosenPositions(const int8_t* mask, int64_t rows, int32_t* positions) {
    // A full register is written each time; there is room, as positions has an element for each row processed.
    if (widestRegisters() == Registers::Avx512) return positionsOnAvx512(mask, rows, positions);
    return positionsOneByOne(mask, 0, rows, positions);
}

Ref<Vector> chosenElements(const Vector& elements, const int8_t* mask, const int32_t* positions, int64_t count) {
    const int width = elements.width();
    const bool isPlain = storageOf(elements.type()) != Storage::String && (width == 4 || width == 8);
    // When few rows are chosen, gathering by positions beats scanning the mask.
    if (!isPlain || widestRegisters() != Registers::Avx512 || count * 16 < elements.size())
        return elements.gather(positions, count);
    Ref<Vector> result = Vector::make(elements.type(), count);
    result->setScale(elements.scale());
    const int64_t rows = elements.size();
    int64_t written = 0;
    if (width == 4) {
        auto* to = result->mutableData<int32_t>();
        const int64_t seen = packFour(elements.data<int32_t>(), mask, rows, to, &written);
        packRest(elements.data<int32_t>(), mask, seen, rows, to + written);
    } else {
        auto* to = result->mutableData<int64_t>();
        const int64_t seen = packEight(elements.data<int64_t>(), mask, rows, to, &written);
        packRest(elements.data<int64_t>(), mask, seen, rows, to + written);
    }
    CHECK(written <= count) << "a mask chooses no more rows than were counted";
    result->setMayHaveNull(elements.mayHaveNull());
    return result;
}

std::vector<int32_t> rowsWhere(const Value& mask, int64_t rows, std::string_view clause) {
    std::vector<int32_t> positions;
    if (mask.isScalar()) {
        if (isTrue(mask)) {
            positions.resize(static_cast<size_t>(rows));
            std::iota(positions.begin(), positions.end(), 0);
        }
        return positions;
    }
    if (!mask.isVector() || mask.size() != rows) {
        throw UserError(fmt::format("A condition of {} must give one BOOL per row, but it gives {}. RefId: S02035",
                                    clause, typeString(mask)));
    }
    if (mask.isTypedVector() && isNumeric(mask.type())) {
        positions.resize(static_cast<size_t>(rows));
        const Ref<Vector> holds = cast(mask.vector(), Type::Bool);
        CHECK(holds->size() == rows) << "a mask has a mark for each row";
        positions.resize(static_cast<size_t>(chosenPositions(holds->data<int8_t>(), rows, positions.data())));
        return positions;
    }
    for (int64_t i = 0; i < rows; ++i) {
        if (isTrue(mask.at(i))) positions.push_back(static_cast<int32_t>(i));
    }
    return positions;
}

}  // namespace pelorus
