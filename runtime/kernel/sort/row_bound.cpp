#include "runtime/kernel/sort/row_bound.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "common/check.h"
#include "common/widest.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

constexpr int64_t kStrip = 256;

// NULL is the smallest number of its type, and sorts so. A value that cannot be compared is never behind the bound.
template <bool ascending, class T>
bool isBehind(T element, T bound) {
    return ascending ? element > bound : element < bound;
}

// Returns the first of the strips from `strip` on that holds an element within the bound; `strips` when none does.
template <bool ascending, class T>
int64_t nextStripWithin(const T* elements, int64_t strip, int64_t strips, T bound) {
    // Marks of the elements' width, and strips of one size, let the compiler make vector code.
    using Mark = std::conditional_t<
        sizeof(T) == 8, uint64_t,
        std::conditional_t<sizeof(T) == 4, uint32_t, std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;
    return onWidest([=]() __attribute__((always_inline)) {
        for (int64_t s = strip; s < strips; ++s) {
            const T* const from = elements + s * kStrip;
            Mark any = 0;
            for (int64_t i = 0; i < kStrip; ++i) any |= isBehind<ascending>(from[i], bound) ? Mark{0} : Mark{1};
            if (any) return s;
        }
        return strips;
    });
}

template <class T, bool ascending>
std::vector<int32_t> within(const T* elements, int64_t count, T bound) {
    std::vector<int32_t> positions;
    const auto collect = [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            if (!isBehind<ascending>(elements[i], bound)) positions.push_back(static_cast<int32_t>(i));
        }
    };
    const int64_t strips = count / kStrip;
    for (int64_t s = 0; (s = nextStripWithin<ascending>(elements, s, strips, bound)) < strips; ++s) {
        collect(s * kStrip, (s + 1) * kStrip);
    }
    collect(strips * kStrip, count);
    return positions;
}

template <class T>
std::vector<int32_t> within(const OrderKey& key, const Value& bound) {
    const Vector& v = key.column.vector();
    const T last = Vector::filled(v.type(), 1, bound)->template data<T>()[0];
    if constexpr (std::is_floating_point_v<T>) {
        // The NULL of floats is a finite number near the lowest, and -infinity is below it; in the order of rows NULL
        // is first.
        if (!std::isfinite(last) || bound.isNull()) {
            std::vector<int32_t> all(static_cast<size_t>(v.size()));
            std::iota(all.begin(), all.end(), 0);
            return all;
        }
    }
    return key.ascending ? within<T, true>(v.data<T>(), v.size(), last) : within<T, false>(v.data<T>(), v.size(), last);
}

}  // namespace

bool canBound(const OrderKey& key) {
    if (key.nullsGiven || !key.column.isTypedVector()) return false;
    const Type type = key.column.type();
    if (!isNumeric(type) && !isTemporal(type)) return false;
    switch (storageOf(type)) {
        case Storage::Int8:
        case Storage::Int16:
        case Storage::Int32:
        case Storage::Int64:
        case Storage::Float32:
        case Storage::Float64:
            return !isDecimal(type);
        default:
            return false;
    }
}

std::vector<int32_t> rowsWithin(const OrderKey& key, const Value& bound) {
    CHECK(canBound(key)) << "a bound is of a key of numbers";
    switch (storageOf(key.column.type())) {
        case Storage::Int8:
            return within<int8_t>(key, bound);
        case Storage::Int16:
            return within<int16_t>(key, bound);
        case Storage::Int32:
            return within<int32_t>(key, bound);
        case Storage::Int64:
            return within<int64_t>(key, bound);
        case Storage::Float32:
            return within<float>(key, bound);
        default:
            return within<double>(key, bound);
    }
}

}  // namespace pelorus
