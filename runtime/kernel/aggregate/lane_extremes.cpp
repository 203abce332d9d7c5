#include "runtime/kernel/aggregate/lane_extremes.h"

#include <limits>
#include <type_traits>

#include "common/thread/cancellation.h"
#include "common/type_table.h"
#include "common/widest.h"

namespace pelorus {

namespace {

constexpr int64_t kLaneBytes = 256;

template <Extreme kExtreme, class T>
constexpr bool isBetter(T element, T chosen) {
    return kExtreme == Extreme::Least ? element < chosen : chosen < element;
}

// Returns the identity of the reduction: every value is as good, or better.
template <Extreme kExtreme, class T>
constexpr T worst() {
    using Limits = std::numeric_limits<T>;
    if (std::is_floating_point_v<T>) return kExtreme == Extreme::Least ? Limits::infinity() : -Limits::infinity();
    return kExtreme == Extreme::Least ? Limits::max() : Limits::min();
}

template <Extreme kExtreme, class T>
T walk(const T* elements, int64_t count) {
    bool isChosen = false;
    T chosen = null<T>;
    for (int64_t i = 0; i < count; ++i) {
        if (elements[i] == null<T> || (isChosen && !isBetter<kExtreme>(elements[i], chosen))) continue;
        chosen = elements[i];
        isChosen = true;
    }
    return chosen;
}

}  // namespace

template <Extreme kExtreme, class T>
T extremeOf(const T* elements, int64_t count) {
    constexpr int64_t kLanes = kLaneBytes / static_cast<int64_t>(sizeof(T));
    constexpr T kWorst = worst<kExtreme, T>();
    const int64_t whole = count - count % kLanes;
    T best[kLanes];
    // Flags have the width of the values, so that both fill the same registers.
    using Flag = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    Flag hasNaN[kLanes] = {};
    for (T& lane : best) lane = kWorst;
    inPieces(whole / kLanes, [&](int64_t begin, int64_t end) {
        onWidest([&]() __attribute__((always_inline)) {
            T b[kLanes];
            Flag n[kLanes];
            for (int64_t k = 0; k < kLanes; ++k) b[k] = best[k], n[k] = hasNaN[k];
            for (int64_t i = begin; i < end; ++i) {
                const T* const row = elements + i * kLanes;
                for (int64_t k = 0; k < kLanes; ++k) {
                    const T x = row[k] == null<T> ? kWorst : row[k];
                    b[k] = isBetter<kExtreme>(x, b[k]) ? x : b[k];
                    if constexpr (std::is_floating_point_v<T>) n[k] |= x != x ? Flag{1} : Flag{0};
                }
            }
            for (int64_t k = 0; k < kLanes; ++k) best[k] = b[k], hasNaN[k] = n[k];
        });
    });
    T chosen = kWorst;
    bool isWalked = false;
    for (int64_t k = 0; k < kLanes; ++k) {
        if (isBetter<kExtreme>(best[k], chosen)) chosen = best[k];
        isWalked = isWalked || hasNaN[k] != 0;
    }
    for (int64_t i = whole; i < count; ++i) {
        const T x = elements[i] == null<T> ? kWorst : elements[i];
        if (isBetter<kExtreme>(x, chosen)) chosen = x;
        isWalked = isWalked || x != x;
    }
    // Nothing is better than the identity: all are NULL, or it is the result itself. Zeros have two forms.
    const bool isUnsure = chosen == kWorst || (std::is_floating_point_v<T> && chosen == T{0});
    return isWalked || isUnsure ? walk<kExtreme>(elements, count) : chosen;
}

template int8_t extremeOf<Extreme::Least>(const int8_t*, int64_t);
template int16_t extremeOf<Extreme::Least>(const int16_t*, int64_t);
template int32_t extremeOf<Extreme::Least>(const int32_t*, int64_t);
template int64_t extremeOf<Extreme::Least>(const int64_t*, int64_t);
template float extremeOf<Extreme::Least>(const float*, int64_t);
template double extremeOf<Extreme::Least>(const double*, int64_t);
template int8_t extremeOf<Extreme::Greatest>(const int8_t*, int64_t);
template int16_t extremeOf<Extreme::Greatest>(const int16_t*, int64_t);
template int32_t extremeOf<Extreme::Greatest>(const int32_t*, int64_t);
template int64_t extremeOf<Extreme::Greatest>(const int64_t*, int64_t);
template float extremeOf<Extreme::Greatest>(const float*, int64_t);
template double extremeOf<Extreme::Greatest>(const double*, int64_t);

}  // namespace pelorus
