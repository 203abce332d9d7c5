// Placing of rows: the partition of each row.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/time/calendar.h"
#include "common/widest.h"
#include "runtime/partition/partition_lookup.h"
#include "runtime/value/cast.h"
#include "runtime/value/symbol_base.h"

namespace pelorus {

namespace {

// Rows per batch whose min and max key are compared: when both are in one partition, so are all rows of the batch.
constexpr int64_t kPlacedTogether = 1024;

// REQUIRES: at least one element.
template <class T>
std::pair<T, T> minAndMax(const T* begin, const T* end) {
    DCHECK(begin < end) << "min and max are of at least one element";
    return onWidest([=]() __attribute__((always_inline)) {
        T low = *begin, high = *begin;
        for (const T* element = begin; element < end; ++element) {
            low = std::min(low, *element);
            high = std::max(high, *element);
        }
        return std::pair(low, high);
    });
}

uint32_t murmur2(const uint8_t* bytes, size_t sizeBytes) {
    constexpr uint32_t kMultiplier = 0x5bd1e995;
    auto hash = static_cast<uint32_t>(sizeBytes);
    for (; sizeBytes >= 4; sizeBytes -= 4, bytes += 4) {
        uint32_t word;
        std::memcpy(&word, bytes, 4);
        word *= kMultiplier;
        word ^= word >> 24;
        word *= kMultiplier;
        hash = hash * kMultiplier ^ word;
    }
    if (sizeBytes >= 3) hash ^= static_cast<uint32_t>(bytes[2]) << 16;
    if (sizeBytes >= 2) hash ^= static_cast<uint32_t>(bytes[1]) << 8;
    if (sizeBytes >= 1) {
        hash ^= bytes[0];
        hash *= kMultiplier;
    }
    hash ^= hash >> 13;
    hash *= kMultiplier;
    hash ^= hash >> 15;
    return hash;
}

int32_t textBucket(std::string_view string, int count) {
    if (string.empty()) return -1;
    const uint32_t hash = murmur2(reinterpret_cast<const uint8_t*>(string.data()), string.size());
    return static_cast<int32_t>(hash % static_cast<uint32_t>(count));
}

// Calls `placeString(text)` once per distinct code of a SYMBOL column, or per element where neighbours differ.
template <class F>
void placeStrings(const Vector& column, int32_t* partitions, F&& placeString) {
    if (column.type() == Type::Symbol) {
        const int32_t* codes = column.data<int32_t>();
        std::unordered_map<int32_t, int32_t> known;
        for (int64_t i = 0; i < column.size(); ++i) {
            if (i > 0 && codes[i] == codes[i - 1]) {
                partitions[i] = partitions[i - 1];
                continue;
            }
            const auto [it, added] = known.try_emplace(codes[i], 0);
            if (added) it->second = placeString(symbols::string(codes[i]));
            partitions[i] = it->second;
        }
        return;
    }
    for (int64_t i = 0; i < column.size(); ++i) partitions[i] = placeString(column.string(i));
}

}  // namespace

bool placesTemporal(Type from, Type to) {
    if (from == to) return true;
    if (!calendar::canConvert(from, to)) return false;
    if (to == Type::Month) return true;
    return from != Type::Month && calendar::unitsPerDay(from) >= calendar::unitsPerDay(to);
}

void hashBuckets(const Vector& column, int count, int32_t* buckets) {
    CHECK(count > 0) << "rows are placed in at least one bucket";
    const Type type = column.type();
    if (isLiteral(type)) {
        placeStrings(column, buckets, [count](std::string_view string) { return textBucket(string, count); });
    } else if (storageOf(type) == Storage::Bytes16 && categoryOf(type) == Category::Binary) {
        for (int64_t i = 0; i < column.size(); ++i) {
            const uint32_t hash = murmur2(reinterpret_cast<const uint8_t*>(column.raw()) + 16 * i, 16);
            buckets[i] = column.isNullAt(i) ? -1 : static_cast<int32_t>(hash % static_cast<uint32_t>(count));
        }
    } else if (isIntegral(type) || isTemporal(type)) {
        forEachInteger(column, [&](int64_t i, int64_t x) {
            buckets[i] =
                x == null<int64_t> ? -1 : static_cast<int32_t>(static_cast<uint64_t>(x) % static_cast<uint64_t>(count));
        });
    } else {
        throw UserError(fmt::format("The data type {} can't be used for a partition column.", typeName(type)));
    }
}

void PartitionLevel::place(const Vector& column, int32_t* partitions) const {
    const Type type = column.type();
    if (kind_ == PartitionKind::Hash) {
        const bool fits =
            type == keyType_ || (isLiteral(type) && isLiteral(keyType_)) || (isIntegral(type) && isIntegral(keyType_));
        if (fits) return hashBuckets(column, count_, partitions);
        if (isTemporal(type) && isTemporal(keyType_) && placesTemporal(type, keyType_)) {
            return hashBuckets(*cast(column, keyType_), count_, partitions);  // the month of a date
        }
    } else if (isLiteral(keyType_) && isLiteral(type)) {
        const bool isRange = kind_ == PartitionKind::Range;
        return placeStrings(column, partitions, [&](std::string_view string) {
            return isRange ? lookup_->findRange(string) : lookup_->find(string);
        });
    }
    const bool asInteger = kind_ != PartitionKind::Hash &&
                           ((isIntegral(type) && isIntegral(keyType_)) || (isTemporal(type) && isTemporal(keyType_)));
    if (!asInteger || (isTemporal(type) && !placesTemporal(type, keyType_))) {
        throw UserError(
            fmt::format("A {} column can't be partitioned by values of type {}.", typeName(type), typeName(keyType_)),
            "Use a column of the scheme's type; a temporal column may be finer than the scheme.");
    }
    const bool isRange = kind_ == PartitionKind::Range;
    const auto keyOfItem = [&](int64_t x) {
        return type == keyType_ || isIntegral(type) ? x : calendar::convert(x, type, keyType_);
    };
    const auto partitionOf = [&](int64_t key) { return isRange ? lookup_->findRange(key) : lookup_->find(key); };
    onIntegers(column, [&](const auto* elements) {
        using T = std::remove_cvref_t<decltype(*elements)>;
        inPieces(column.size(), [&](int64_t begin, int64_t end) {
            for (int64_t at = begin; at < end; at += kPlacedTogether) {
                const int64_t stop = std::min(at + kPlacedTogether, end);
                // Keys are monotone in the values, so all rows between two of one partition belong to it.
                const auto [low, high] = minAndMax(elements + at, elements + stop);
                if (low != null<T>) {
                    const int64_t lowKey = keyOfItem(low), highKey = keyOfItem(high);
                    const int32_t partition = partitionOf(lowKey);
                    if (lowKey == highKey || (isRange && partition >= 0 && partition == partitionOf(highKey))) {
                        std::fill(partitions + at, partitions + stop, partition);
                        continue;
                    }
                }
                for (int64_t i = at; i < stop; ++i) {
                    // Rows arrive in runs of equal keys more often than not.
                    if (i > at && elements[i] == elements[i - 1])
                        partitions[i] = partitions[i - 1];
                    else
                        partitions[i] = elements[i] == null<T> ? -1 : partitionOf(keyOfItem(elements[i]));
                }
            }
        });
    });
}

int PartitionLevel::placeOne(const Value& key) const {
    Ref<Vector> one = Vector::make(key.type(), 1);
    one->set(0, key);
    int32_t partition = -1;
    place(*one, &partition);
    return partition;
}

}  // namespace pelorus
