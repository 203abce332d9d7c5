#include "runtime/kernel/aggregate/lane_sums.h"

#include "common/thread/cancellation.h"
#include "common/type_table.h"
#include "common/widest.h"

namespace pelorus {

// Enough lanes for the additions of one lane to be done before its next value comes.
constexpr int64_t kLanes = 32;
constexpr int64_t kFew = 4 * kLanes;  // fewer are added one by one

int64_t addInLanes(CompensatedSum& sum, const double* elements, int64_t count) {
    if (count < kFew) {
        int64_t valid = 0;
        for (int64_t i = 0; i < count; ++i) {
            if (isNull(elements[i])) continue;
            sum.add(elements[i]);
            ++valid;
        }
        return valid;
    }
    double sums[kLanes] = {}, corrections[kLanes] = {};
    int64_t nulls[kLanes] = {};
    const int64_t whole = count - count % kLanes;
    inPieces(whole / kLanes, [&](int64_t begin, int64_t end) {
        onWidest([&]() __attribute__((always_inline)) {
            double s[kLanes], c[kLanes];
            int64_t n[kLanes];
            for (int64_t k = 0; k < kLanes; ++k) s[k] = sums[k], c[k] = corrections[k], n[k] = nulls[k];
            for (int64_t i = begin; i < end; ++i) {
                const double* const row = elements + i * kLanes;
                for (int64_t k = 0; k < kLanes; ++k) {
                    const double x = row[k] == null<double> ? 0.0 : row[k];
                    n[k] += row[k] == null<double> ? 1 : 0;
                    // See CompensatedSum::add.
                    const double t = s[k] + x, added = t - s[k];
                    c[k] += (s[k] - (t - added)) + (x - added);
                    s[k] = t;
                }
            }
            for (int64_t k = 0; k < kLanes; ++k) sums[k] = s[k], corrections[k] = c[k], nulls[k] = n[k];
        });
    });
    int64_t valid = whole;
    for (int64_t k = 0; k < kLanes; ++k) {
        sum.merge({sums[k], corrections[k]});
        valid -= nulls[k];
    }
    return valid + addInLanes(sum, elements + whole, count - whole);
}

// The halves of the integers are summed apart, so that no lane overflows. The sign is turned before, which makes both
// halves unsigned: registers have no signed shift of 64 bits everywhere.
std::pair<WideTotal, int64_t> integerTotal(const int64_t* elements, int64_t count) {
    WideTotal total;
    int64_t valid = 0;
    struct Halves {
        uint64_t low = 0, high = 0;
        int64_t valid = 0;
    };
    constexpr int64_t kMax = int64_t{1} << 31;  // halves of so many integers sum up in 63 bits
    inPieces(count, [&](int64_t pieceBegin, int64_t pieceEnd) {
        for (int64_t begin = pieceBegin; begin < pieceEnd; begin += kMax) {
            const int64_t end = begin + kMax < pieceEnd ? begin + kMax : pieceEnd;
            const Halves halves = onWidest([=]() __attribute__((always_inline)) {
                Halves sums;
                for (int64_t i = begin; i < end; ++i) {
                    const auto x =
                        static_cast<uint64_t>(elements[i] == null<int64_t> ? 0 : elements[i]) ^ (uint64_t{1} << 63);
                    sums.low += x & UINT32_MAX;
                    sums.high += x >> 32;
                    sums.valid += elements[i] == null<int64_t> ? 0 : 1;
                }
                return sums;
            });
            total.addHalves(static_cast<int64_t>(halves.high) - ((end - begin) << 31), halves.low);
            valid += halves.valid;
        }
    });
    return {total, valid};
}

}  // namespace pelorus
