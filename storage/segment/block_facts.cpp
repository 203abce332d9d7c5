#include "storage/segment/block_facts.h"

#include <bit>
#include <cstring>
#include <limits>

#include "common/widest.h"

namespace pelorus {

namespace {

template <class T>
ValueFacts numberFacts(const char* bytes, int64_t n) {
    const T* items = reinterpret_cast<const T*>(bytes);
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
            const T x = items[i];
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
    ValueFacts facts;
    facts.nullCount = static_cast<uint32_t>(seen.nulls);
    // NaN has no place in an order, so bounds would not cover it.
    if (seen.nulls == n || seen.strange) return facts;
    facts.boundsKnown = true;
    if constexpr (std::is_floating_point_v<T>) {
        facts.min = std::bit_cast<int64_t>(static_cast<double>(seen.low));
        facts.max = std::bit_cast<int64_t>(static_cast<double>(seen.high));
    } else {
        facts.min = seen.low;
        facts.max = seen.high;
    }
    return facts;
}

ValueFacts bytes16Facts(Type type, const char* items, int64_t n) {
    // NULL of DECIMAL128, COMPLEX and POINT is the min in their halves; for the others all bytes are zero.
    static constexpr char zeros[16] = {};
    ValueFacts facts;
    if (type != Type::Uuid && type != Type::IpAddr && type != Type::Int128) {
        facts.nullCount = static_cast<uint32_t>(n);  // unknown: "may have"
        return facts;
    }
    for (int64_t i = 0; i < n; ++i) facts.nullCount += std::memcmp(items + 16 * i, zeros, 16) == 0;
    return facts;
}

}  // namespace

ValueFacts factsOf(Type type, const char* items, int64_t n) {
    switch (storageOf(type)) {
        case Storage::Int8:
            return numberFacts<int8_t>(items, n);
        case Storage::Int16:
            return numberFacts<int16_t>(items, n);
        case Storage::Int32:
            return numberFacts<int32_t>(items, n);
        case Storage::Int64:
            return numberFacts<int64_t>(items, n);
        case Storage::Float32:
            return numberFacts<float>(items, n);
        case Storage::Float64:
            return numberFacts<double>(items, n);
        default:
            return bytes16Facts(type, items, n);
    }
}

ValueFacts factsOfCodes(const int32_t* codes, int64_t n, bool hasEmpty) {
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
    ValueFacts facts;
    facts.nullCount = static_cast<uint32_t>(seen.nulls);
    facts.boundsKnown = seen.high >= 0;
    if (facts.boundsKnown) {
        facts.min = seen.low;
        facts.max = seen.high;
    }
    return facts;
}

}  // namespace pelorus
