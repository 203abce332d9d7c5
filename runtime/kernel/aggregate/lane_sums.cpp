#include "runtime/kernel/aggregate/lane_sums.h"

#include "common/thread/cancellation.h"
#include "common/type_table.h"
#include "common/widest.h"

namespace pelorus {

// Enough lanes for the additions of one lane to be done before its next value comes.
constexpr int64_t kLanes = 32;
constexpr int64_t kFew = 4 * kLanes;  // fewer are added one by one

int64_t addInLanes(CompensatedSum& sum, const double* items, int64_t count) {
    if (count < kFew) {
        int64_t valid = 0;
        for (int64_t i = 0; i < count; ++i) {
            if (isNull(items[i])) continue;
            sum.add(items[i]);
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
                const double* const row = items + i * kLanes;
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
    return valid + addInLanes(sum, items + whole, count - whole);
}

std::pair<uint64_t, int64_t> integerTotal(const int64_t* items, int64_t count) {
    uint64_t total = 0;
    int64_t valid = 0;
    inPieces(count, [&](int64_t begin, int64_t end) {
        const auto [sum, some] = onWidest([=]() __attribute__((always_inline)) {
            uint64_t sum = 0;
            int64_t some = 0;
            for (int64_t i = begin; i < end; ++i) {
                sum += items[i] == null<int64_t> ? 0 : static_cast<uint64_t>(items[i]);
                some += items[i] == null<int64_t> ? 0 : 1;
            }
            return std::pair(sum, some);
        });
        total += sum;
        valid += some;
    });
    return {total, valid};
}

}  // namespace pelorus
