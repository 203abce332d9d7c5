#include "runtime/kernel/among_integers.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "common/type_table.h"
#include "common/widest.h"

namespace pelorus {

namespace {

constexpr int64_t kMostKeys = 16;
constexpr int64_t kMostPlaces = int64_t{1} << 16;  // of a table with a place for each number between the keys
constexpr int64_t kPieceRows = 4096;               // stays in the nearest cache while it is compared with every key

template <class T>
void addMatches(const T* items, T key, int64_t n, int8_t* found) {
    onWidest([=]() __attribute__((always_inline)) {
        const T* __restrict from = items;
        int8_t* __restrict to = found;
        for (int64_t i = 0; i < n; ++i) to[i] = static_cast<int8_t>(to[i] | (from[i] == key ? 1 : 0));
    });
}

// Whether a number that is no NULL may be among items of this type.
template <class T>
bool isReached(int64_t key) {
    return key > std::numeric_limits<T>::min() && key <= std::numeric_limits<T>::max();
}

template <class T>
void findIn(const Vector& x, const Vector& keys, int8_t* out) {
    std::array<T, kMostKeys> wanted{};
    int count = 0;
    for (int64_t k = 0; k < keys.size(); ++k) {
        const int64_t key = keys.asLong(k);
        const bool isNull = keys.at(k).isNull();
        if (!isNull && !isReached<T>(key)) continue;
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

// By a table of all numbers from the least to the greatest key; false when these are too many.
template <class T>
bool findInTable(const Vector& x, const Vector& keys, int8_t* out) {
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    bool anyNull = false;
    for (int64_t k = 0; k < keys.size(); ++k) {
        if (keys.isNullAt(k)) {
            anyNull = true;
            continue;
        }
        if (!isReached<T>(keys.asLong(k))) continue;
        least = std::min(least, keys.asLong(k));
        greatest = std::max(greatest, keys.asLong(k));
    }
    const uint64_t places = least > greatest ? 0 : static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least) + 1;
    if (places > static_cast<uint64_t>(kMostPlaces)) return false;
    std::vector<int8_t> isKey(places, 0);
    for (int64_t k = 0; k < keys.size(); ++k) {
        if (!keys.isNullAt(k) && isReached<T>(keys.asLong(k))) isKey[static_cast<size_t>(keys.asLong(k) - least)] = 1;
    }
    const T* items = x.items<T>();
    for (int64_t i = 0; i < x.size(); ++i) {
        const uint64_t place = static_cast<uint64_t>(int64_t{items[i]}) - static_cast<uint64_t>(least);
        out[i] = place < places ? isKey[place] : 0;
    }
    if (anyNull) addMatches(items, null<T>, x.size(), out);
    return true;
}

template <class T>
bool find(const Vector& x, const Vector& keys, int8_t* out) {
    if (keys.size() > kMostKeys) return findInTable<T>(x, keys, out);
    findIn<T>(x, keys, out);
    return true;
}

}  // namespace

bool findAmongIntegers(const Vector& x, const Vector& keys, int8_t* out) {
    const bool areNumbers = isIntegral(x.type()) && isIntegral(keys.type());
    if (!(areNumbers || (isTemporal(x.type()) && x.type() == keys.type()))) return false;
    switch (storageOf(x.type())) {
        case Storage::Int8:
            return find<int8_t>(x, keys, out);
        case Storage::Int16:
            return find<int16_t>(x, keys, out);
        case Storage::Int32:
            return find<int32_t>(x, keys, out);
        case Storage::Int64:
            return find<int64_t>(x, keys, out);
        default:
            return false;
    }
}

}  // namespace pelorus
