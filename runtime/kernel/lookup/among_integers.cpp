#include "runtime/kernel/lookup/among_integers.h"

#include <algorithm>
#include <array>
#include <limits>

#include "common/type_table.h"
#include "common/widest.h"

namespace pelorus {

namespace {

constexpr size_t kMaxKeys = 16;
constexpr uint64_t kMaxPlaces = uint64_t{1} << 22;  // its bits stay in the L2 cache
constexpr int64_t kPieceRows = 4096;                // stays in the L1 cache while it is compared with every key

// Calls f with a zero of the elements' stored type; returns false for elements that are no integers.
template <class F>
bool withIntegers(const Vector& elements, const F& f) {
    switch (storageOf(elements.type())) {
        case Storage::Int8:
            return f(int8_t{0});
        case Storage::Int16:
            return f(int16_t{0});
        case Storage::Int32:
            return f(int32_t{0});
        case Storage::Int64:
            return f(int64_t{0});
        default:
            return false;
    }
}

template <class T>
void addMatches(const T* elements, T key, int64_t n, int8_t* found) {
    onWidest([=]() __attribute__((always_inline)) {
        const T* __restrict from = elements;
        int8_t* __restrict to = found;
        for (int64_t i = 0; i < n; ++i) to[i] = static_cast<int8_t>(to[i] | (from[i] == key ? 1 : 0));
    });
}

// Returns whether a number that is not NULL can occur among elements of this type.
template <class T>
bool isReached(int64_t key) {
    return key > std::numeric_limits<T>::min() && key <= std::numeric_limits<T>::max();
}

}  // namespace

template <class T>
bool AmongIntegers::addKeys(const Vector& keys) {
    const T* elements = keys.data<T>();
    T least = std::numeric_limits<T>::max(), greatest = std::numeric_limits<T>::min();
    for (int64_t k = 0; k < keys.size(); ++k) {
        if (isNull(elements[k])) {
            hasNull_ = true;
            continue;
        }
        least = std::min(least, elements[k]);
        greatest = std::max(greatest, elements[k]);
        if (few_.size() <= kMaxKeys) few_.push_back(elements[k]);
    }
    if (few_.size() <= kMaxKeys) return true;
    few_.clear();
    const auto placeOf = [&](T key) {
        return static_cast<uint64_t>(static_cast<int64_t>(key)) - static_cast<uint64_t>(static_cast<int64_t>(least));
    };
    if (placeOf(greatest) >= kMaxPlaces) return false;
    least_ = least;
    places_ = placeOf(greatest) + 1;
    bits_.resize(places_ / 64 + 1, 0);
    for (int64_t k = 0; k < keys.size(); ++k) {
        if (isNull(elements[k])) continue;
        const uint64_t place = placeOf(elements[k]);
        bits_[place / 64] |= uint64_t{1} << (place % 64);
    }
    return true;
}

std::optional<AmongIntegers> AmongIntegers::of(const Vector& keys) {
    if (!isIntegral(keys.type()) && !isTemporal(keys.type())) return std::nullopt;
    AmongIntegers among;
    among.type_ = keys.type();
    const bool areFew = withIntegers(keys, [&](auto zero) { return among.addKeys<decltype(zero)>(keys); });
    return areFew ? std::optional(std::move(among)) : std::nullopt;
}

template <class T>
void AmongIntegers::findItems(const Vector& x, int8_t* out) const {
    const T* elements = x.data<T>();
    if (places_ == 0) {
        std::fill_n(out, x.size(), int8_t{0});
        for (int64_t begin = 0; begin < x.size(); begin += kPieceRows) {
            const int64_t n = std::min(kPieceRows, x.size() - begin);
            for (const int64_t key : few_) {
                if (isReached<T>(key)) addMatches(elements + begin, static_cast<T>(key), n, out + begin);
            }
        }
    } else {
        for (int64_t i = 0; i < x.size(); ++i) {
            const uint64_t place = static_cast<uint64_t>(int64_t{elements[i]}) - static_cast<uint64_t>(least_);
            const bool isInside = place < places_ && elements[i] != null<T>;
            out[i] = isInside ? static_cast<int8_t>(bits_[place / 64] >> (place % 64) & 1) : int8_t{0};
        }
    }
    if (hasNull_) addMatches(elements, null<T>, x.size(), out);
}

bool AmongIntegers::find(const Vector& x, int8_t* out) const {
    const bool areNumbers = isIntegral(x.type()) && isIntegral(type_);
    if (!areNumbers && !(isTemporal(x.type()) && x.type() == type_)) return false;
    return withIntegers(x, [&](auto zero) {
        findItems<decltype(zero)>(x, out);
        return true;
    });
}

}  // namespace pelorus
