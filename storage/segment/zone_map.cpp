#include "storage/segment/zone_map.h"

#include <bit>
#include <cstring>
#include <limits>

#include "common/check.h"
#include "common/widest.h"

namespace pelorus {

namespace {

template <class T>
ZoneMap zoneMapOfNumbers(const char* bytes, int64_t n) {
    const T* elements = reinterpret_cast<const T*>(bytes);
    struct Seen {
        T low, high;
        int64_t nulls;
        bool strange;
    };
    const Seen seen = onWidest([=]() __attribute__((always_inline)) {
        T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
        int64_t nulls = 0;
        int strange = 0;
        for (int64_t i = 0; i < n; ++i) {
            const T x = elements[i];
            const bool missing = x == null<T>;
            nulls += missing;
            if constexpr (std::is_floating_point_v<T>) strange |= x != x;
            const T forLow = missing ? std::numeric_limits<T>::max() : x;
            const T forHigh = missing ? std::numeric_limits<T>::lowest() : x;
            low = forLow < low ? forLow : low;
            high = forHigh > high ? forHigh : high;
        }
        return Seen{low, high, nulls, strange != 0};
    });
    ZoneMap zoneMap;
    zoneMap.nullCount = static_cast<uint32_t>(seen.nulls);
    // NaN has no place in an order, so bounds would not cover it.
    if (seen.nulls == n || seen.strange) return zoneMap;
    zoneMap.boundsKnown = true;
    if constexpr (std::is_floating_point_v<T>) {
        zoneMap.min = std::bit_cast<int64_t>(static_cast<double>(seen.low));
        zoneMap.max = std::bit_cast<int64_t>(static_cast<double>(seen.high));
    } else {
        zoneMap.min = seen.low;
        zoneMap.max = seen.high;
    }
    return zoneMap;
}

ZoneMap zoneMapOfBytes16(Type type, const char* elements, int64_t n) {
    // NULL of DECIMAL128, COMPLEX and POINT is the min in their halves; for the others all bytes are zero.
    static constexpr char zeros[16] = {};
    ZoneMap zoneMap;
    if (type != Type::Uuid && type != Type::IpAddr && type != Type::Int128) {
        zoneMap.nullCount = static_cast<uint32_t>(n);  // unknown: "may have"
        return zoneMap;
    }
    for (int64_t i = 0; i < n; ++i) zoneMap.nullCount += std::memcmp(elements + 16 * i, zeros, 16) == 0;
    return zoneMap;
}

}  // namespace

ZoneMap zoneMapOf(Type type, const char* elements, int64_t n) {
    CHECK(n > 0) << "a zone map covers rows";
    switch (storageOf(type)) {
        case Storage::Int8:
            return zoneMapOfNumbers<int8_t>(elements, n);
        case Storage::Int16:
            return zoneMapOfNumbers<int16_t>(elements, n);
        case Storage::Int32:
            return zoneMapOfNumbers<int32_t>(elements, n);
        case Storage::Int64:
            return zoneMapOfNumbers<int64_t>(elements, n);
        case Storage::Float32:
            return zoneMapOfNumbers<float>(elements, n);
        case Storage::Float64:
            return zoneMapOfNumbers<double>(elements, n);
        default:
            return zoneMapOfBytes16(type, elements, n);
    }
}

ZoneMap zoneMapOfCodes(const int32_t* codes, int64_t n, bool hasEmpty) {
    struct Seen {
        int32_t low, high, nulls;
    };
    const int32_t missingCode = hasEmpty ? 0 : -1;
    const Seen seen = onWidest([=]() __attribute__((always_inline)) {
        Seen s{INT32_MAX, -1, 0};
        for (int64_t i = 0; i < n; ++i) {
            const bool missing = codes[i] == missingCode;
            s.nulls += missing;
            const int32_t forLow = missing ? INT32_MAX : codes[i];
            s.low = forLow < s.low ? forLow : s.low;
            const int32_t forHigh = missing ? -1 : codes[i];
            s.high = forHigh > s.high ? forHigh : s.high;
        }
        return s;
    });
    ZoneMap zoneMap;
    zoneMap.nullCount = static_cast<uint32_t>(seen.nulls);
    zoneMap.boundsKnown = seen.high >= 0;
    if (zoneMap.boundsKnown) {
        zoneMap.min = seen.low;
        zoneMap.max = seen.high;
    }
    return zoneMap;
}

}  // namespace pelorus
