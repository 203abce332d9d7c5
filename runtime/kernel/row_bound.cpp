#include "runtime/kernel/row_bound.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/vector.h"

namespace pelorus {

namespace {

// NULL is the least number of its type, and so it is in an order.
template <class T, bool ascending>
std::vector<int32_t> within(const T* items, int64_t count, T bound) {
    constexpr int64_t kStrip = 256;
    std::vector<int32_t> positions;
    const auto isBehind = [&](T item) { return ascending ? item > bound : item < bound; };
    for (int64_t begin = 0; begin < count; begin += kStrip) {
        const int64_t end = std::min(begin + kStrip, count);
        bool any = false;
        for (int64_t i = begin; i < end; ++i) any |= !isBehind(items[i]);
        if (!any) continue;
        for (int64_t i = begin; i < end; ++i) {
            if (!isBehind(items[i])) positions.push_back(static_cast<int32_t>(i));
        }
    }
    return positions;
}

template <class T>
std::vector<int32_t> within(const OrderKey& key, const Value& bound) {
    const Vector& v = key.column.vector();
    const T last = Vector::filled(v.type(), 1, bound)->template items<T>()[0];
    if constexpr (std::is_floating_point_v<T>) {
        // NULL is a number near the least one, and infinities lie beyond it; in an order they do not.
        if (!std::isfinite(last) || bound.isNull()) {
            std::vector<int32_t> all(static_cast<size_t>(v.size()));
            std::iota(all.begin(), all.end(), 0);
            return all;
        }
    }
    return key.ascending ? within<T, true>(v.items<T>(), v.size(), last)
                         : within<T, false>(v.items<T>(), v.size(), last);
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
