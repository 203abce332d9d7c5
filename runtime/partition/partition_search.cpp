// Search for the partitions that may hold a key between two bounds.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "common/check.h"
#include "common/time/calendar.h"
#include "runtime/kernel/block/comparison.h"
#include "runtime/partition/partition_lookup.h"

namespace pelorus {

static std::vector<int> oneOrNone(int32_t partition) {
    return partition < 0 ? std::vector<int>{} : std::vector<int>{partition};
}

// Returns a bound in the type of the keys, or VOID when it does not restrict them.
Value PartitionLevel::keyOf(const Value& bound, bool isLow) const {
    if (!bound.isScalar() || bound.isNull()) return {};
    const Type type = bound.type();
    if (isLiteral(keyType_)) return isLiteral(type) ? bound : Value();
    if (isTemporal(keyType_)) {
        if (!isTemporal(type) || !placesTemporal(type, keyType_)) return {};
        return Value::scalar(keyType_, calendar::convert(bound.integer(), type, keyType_));
    }
    if (isFloating(type)) {
        const double x = isLow ? std::ceil(bound.asDouble()) : std::floor(bound.asDouble());
        if (!(std::abs(x) < exactIntegers(type))) return {};
        return Value::scalar(Type::Long, static_cast<int64_t>(x));
    }
    return isIntegral(type) || type == Type::Bool ? Value::scalar(Type::Long, bound.integer()) : Value();
}

// Returns keys of VALUE and LIST levels in order.
template <class Key>
static std::vector<int> ownersBetween(const std::vector<int32_t>& ascending, const std::vector<int>& owners,
                                      const Key& keyAt, const std::invoke_result_t<Key, int32_t>* low,
                                      const std::invoke_result_t<Key, int32_t>* high) {
    CHECK(ascending.size() == owners.size()) << "each key in order has its partition";
    auto begin = ascending.begin(), end = ascending.end();
    if (low != nullptr) begin = std::partition_point(begin, end, [&](int32_t i) { return keyAt(i) < *low; });
    if (high != nullptr) end = std::partition_point(begin, end, [&](int32_t i) { return !(*high < keyAt(i)); });
    std::vector<int> found;
    for (auto i = begin; i < end; ++i) found.push_back(owners[static_cast<size_t>(*i)]);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

template <class T>
static std::vector<int> rangesBetween(const std::vector<T>& boundaries, const T* low, const T* high) {
    const auto last = static_cast<int>(boundaries.size()) - 1;
    const auto above = [&](const T& key) {
        return static_cast<int>(std::upper_bound(boundaries.begin(), boundaries.end(), key) - boundaries.begin());
    };
    const int begin = low == nullptr ? 0 : std::max(0, above(*low) - 1);
    const int end = high == nullptr ? last : std::min(last, above(*high));
    std::vector<int> found;
    for (int partition = begin; partition < end; ++partition) found.push_back(partition);
    return found;
}

const std::vector<int32_t>& PartitionLevel::ascendingKeys() const {
    lookup_->sorted.call([&] {
        std::vector<int32_t>& order = lookup_->ascending;
        order.resize(static_cast<size_t>(keys_->size()));
        std::iota(order.begin(), order.end(), 0);
        const auto before = [&](int32_t a, int32_t b) {
            return isLiteral(keyType_) ? keys_->string(a) < keys_->string(b) : keys_->asLong(a) < keys_->asLong(b);
        };
        if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
    });
    return lookup_->ascending;
}

std::optional<std::vector<int>> PartitionLevel::partitionsBetween(const Value& low, const Value& high) const {
    const bool isOne = low.isScalar() && !low.isNull() && identical(low, high);
    if (kind_ == PartitionKind::Hash) {
        if (!isOne) return std::nullopt;
        const bool fits = low.type() == keyType_ || (isLiteral(low.type()) && isLiteral(keyType_)) ||
                          (isIntegral(low.type()) && isIntegral(keyType_)) ||
                          (isTemporal(low.type()) && isTemporal(keyType_) && placesTemporal(low.type(), keyType_));
        if (!fits) return std::nullopt;
        return std::vector<int>{placeOne(low)};
    }
    const Value lowKey = keyOf(low, true), highKey = keyOf(high, false);
    if (lowKey.isVoid() && highKey.isVoid()) return std::nullopt;
    const bool isRange = kind_ == PartitionKind::Range;
    if (isLiteral(keyType_)) {
        const std::string_view lowText = lowKey.isVoid() ? "" : lowKey.string();
        const std::string_view highText = highKey.isVoid() ? "" : highKey.string();
        const std::string_view* from = lowKey.isVoid() ? nullptr : &lowText;
        const std::string_view* to = highKey.isVoid() ? nullptr : &highText;
        if (isRange) return rangesBetween(lookup_->stringBoundaries, from, to);
        if (isOne) return oneOrNone(lookup_->find(lowText));
        return ownersBetween(
            ascendingKeys(), owner_, [&](int32_t i) { return keys_->string(i); }, from, to);
    }
    const int64_t lowInteger = lowKey.isVoid() ? 0 : lowKey.integer();
    const int64_t highInteger = highKey.isVoid() ? 0 : highKey.integer();
    const int64_t* from = lowKey.isVoid() ? nullptr : &lowInteger;
    const int64_t* to = highKey.isVoid() ? nullptr : &highInteger;
    if (isRange) return rangesBetween(lookup_->boundaries, from, to);
    if (from != nullptr && to != nullptr && *from == *to) return oneOrNone(lookup_->find(*from));
    return ownersBetween(
        ascendingKeys(), owner_, [&](int32_t i) { return keys_->asLong(i); }, from, to);
}

}  // namespace pelorus
