#include "runtime/kernel/few_integers.h"

#include <algorithm>
#include <array>
#include <limits>

#include "common/type_table.h"
#include "common/widest.h"

namespace pelorus {

namespace {

constexpr int64_t kMostKeys = 16;
constexpr int64_t kPieceRows = 4096;  // stays in the nearest cache while it is compared with every key

template <class T>
void addMatches(const T* items, T key, int64_t n, int8_t* found) {
    onWidest([=]() __attribute__((always_inline)) {
        const T* __restrict from = items;
        int8_t* __restrict to = found;
        for (int64_t i = 0; i < n; ++i) to[i] = static_cast<int8_t>(to[i] | (from[i] == key ? 1 : 0));
    });
}

template <class T>
void findIn(const Vector& x, const Vector& keys, int8_t* out) {
    std::array<T, kMostKeys> wanted{};
    int count = 0;
    for (int64_t k = 0; k < keys.size(); ++k) {
        const int64_t key = keys.asLong(k);
        const bool isNull = keys.at(k).isNull();
        if (!isNull && (key <= std::numeric_limits<T>::min() || key > std::numeric_limits<T>::max())) continue;
        wanted[static_cast<size_t>(count++)] = isNull ? null<T> : static_cast<T>(key);
    }
    std::fill_n(out, x.size(), int8_t{0});
    for (int64_t begin = 0; begin < x.size(); begin += kPieceRows) {
        const T* const piece = x.items<T>() + begin;
        int8_t* const found = out + begin;
        const int64_t n = std::min(kPieceRows, x.size() - begin);
        for (int k = 0; k < count; ++k) addMatches(piece, wanted[static_cast<size_t>(k)], n, found);
    }
}

}  // namespace

bool findAmongFew(const Vector& x, const Vector& keys, int8_t* out) {
    const bool areNumbers = isIntegral(x.type()) && isIntegral(keys.type());
    if (keys.size() > kMostKeys || !(areNumbers || (isTemporal(x.type()) && x.type() == keys.type()))) return false;
    switch (storageOf(x.type())) {
        case Storage::Int8:
            findIn<int8_t>(x, keys, out);
            return true;
        case Storage::Int16:
            findIn<int16_t>(x, keys, out);
            return true;
        case Storage::Int32:
            findIn<int32_t>(x, keys, out);
            return true;
        case Storage::Int64:
            findIn<int64_t>(x, keys, out);
            return true;
        default:
            return false;
    }
}

}  // namespace pelorus
