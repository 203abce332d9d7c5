#include "runtime/partition_scheme.h"

#include "runtime/partition_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

#include "common/calendar.h"
#include "common/cancellation.h"
#include "common/error.h"
#include "common/widest.h"
#include "runtime/format/print.h"
#include "runtime/symbol_base.h"

namespace pelorus {

namespace {

// Integer keys in a range not wider than this are looked up in an array.
constexpr int64_t kDenseKeys = 1 << 20;
// Rows of one piece that lie in one partition are found by its least and its largest key.
constexpr int64_t kPlacedTogether = 1024;

bool isPartitionKey(Type type) {
    return isLiteral(type) || isIntegral(type) || isTemporal(type);
}

std::string_view kindName(PartitionKind kind) {
    switch (kind) {
        case PartitionKind::Seq:
            return "SEQ";
        case PartitionKind::Value:
            return "VALUE";
        case PartitionKind::Range:
            return "RANGE";
        case PartitionKind::List:
            return "LIST";
        case PartitionKind::Compo:
            return "COMPO";
        case PartitionKind::Hash:
            return "HASH";
    }
    return "?";
}

UserError wrongScheme(PartitionKind kind, std::string_view wanted) {
    return UserError(fmt::format("The partition scheme does not fit the kind {}.", kindName(kind)),
                     fmt::format("For {} give {}.", kindName(kind), wanted));
}

// Calls f with the stored integers of an integral or temporal vector.
template <class F>
void onIntegers(const Vector& column, F&& f) {
    switch (storageOf(column.type())) {
        case Storage::Int8:
            return f(column.items<int8_t>());
        case Storage::Int16:
            return f(column.items<int16_t>());
        case Storage::Int32:
            return f(column.items<int32_t>());
        case Storage::Int64:
            return f(column.items<int64_t>());
        default:
            throw InternalError("partition keys of this type are no integers");
    }
}

// The same one by one; NULL as null<int64_t>.
template <class F>
void forEachInteger(const Vector& column, F&& f) {
    onIntegers(column, [&](const auto* items) {
        using T = std::remove_cvref_t<decltype(*items)>;
        for (int64_t i = 0; i < column.size(); ++i)
            f(i, items[i] == null<T> ? null<int64_t> : static_cast<int64_t>(items[i]));
    });
}

// REQUIRES: at least one item.
template <class T>
std::pair<T, T> leastAndLargest(const T* begin, const T* end) {
    return onWidest([=]() __attribute__((always_inline)) {
        T low = *begin, high = *begin;
        for (const T* item = begin; item < end; ++item) {
            low = std::min(low, *item);
            high = std::max(high, *item);
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

int32_t textBucket(std::string_view text, int count) {
    if (text.empty()) return -1;
    const uint32_t hash = murmur2(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    return static_cast<int32_t>(hash % static_cast<uint32_t>(count));
}

// Calls `placeText(text)` once per distinct code of a SYMBOL column, or per item where neighbours differ.
template <class F>
void placeTexts(const Vector& column, int32_t* partitions, F&& placeText) {
    if (column.type() == Type::Symbol) {
        const int32_t* codes = column.items<int32_t>();
        std::unordered_map<int32_t, int32_t> known;
        for (int64_t i = 0; i < column.size(); ++i) {
            if (i > 0 && codes[i] == codes[i - 1]) {
                partitions[i] = partitions[i - 1];
                continue;
            }
            const auto [it, added] = known.try_emplace(codes[i], 0);
            if (added) it->second = placeText(symbols::text(codes[i]));
            partitions[i] = it->second;
        }
        return;
    }
    for (int64_t i = 0; i < column.size(); ++i) partitions[i] = placeText(column.text(i));
}

// Temporal values of `from` can be placed among keys of `to`: the same type, or a finer one.
bool placesTemporal(Type from, Type to) {
    if (from == to) return true;
    if (!calendar::canConvert(from, to)) return false;
    if (to == Type::Month) return true;
    return from != Type::Month && calendar::unitsPerDay(from) >= calendar::unitsPerDay(to);
}

}  // namespace

void hashBuckets(const Vector& column, int count, int32_t* buckets) {
    const Type type = column.type();
    if (isLiteral(type)) {
        placeTexts(column, buckets, [count](std::string_view text) { return textBucket(text, count); });
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

// Integer keys by value, text keys by text. For RANGE only `boundaries` or `texts` are used.
struct PartitionLevel::Lookup {
    int64_t denseFrom = 0;
    std::vector<int32_t> dense;
    std::unordered_map<int64_t, int32_t> integers;
    std::unordered_map<std::string_view, int32_t> texts;  // into the level's keys
    std::vector<int64_t> boundaries;
    std::vector<std::string_view> textBoundaries;
    mutable std::once_flag sorted;
    mutable std::vector<int32_t> ascending;  // positions of VALUE and LIST keys by their order, once `sorted`

    int32_t find(int64_t x) const {
        if (!dense.empty()) {
            const auto at = static_cast<uint64_t>(x) - static_cast<uint64_t>(denseFrom);
            return at < dense.size() ? dense[at] : -1;
        }
        auto it = integers.find(x);
        return it == integers.end() ? -1 : it->second;
    }
    int32_t find(std::string_view text) const {
        auto it = texts.find(text);
        return it == texts.end() ? -1 : it->second;
    }
    int32_t findRange(int64_t x) const {
        const auto above = std::upper_bound(boundaries.begin(), boundaries.end(), x);
        return above == boundaries.end() ? -1 : static_cast<int32_t>(above - boundaries.begin()) - 1;
    }
    int32_t findRange(std::string_view text) const {
        const auto above = std::upper_bound(textBoundaries.begin(), textBoundaries.end(), text);
        return above == textBoundaries.end() ? -1 : static_cast<int32_t>(above - textBoundaries.begin()) - 1;
    }
};

PartitionLevel::PartitionLevel(PartitionKind kind, Value scheme) : kind_(kind), scheme_(std::move(scheme)) {
    switch (kind_) {
        case PartitionKind::Value:
            if (!scheme_.isVector() && !scheme_.isScalar()) throw wrongScheme(kind_, "a vector of values");
            takeKeys(scheme_, -1);
            break;
        case PartitionKind::Range:
            if (!scheme_.isVector() || scheme_.isTuple() || scheme_.size() < 2) {
                throw wrongScheme(kind_, "an ascending vector of at least two boundaries");
            }
            takeKeys(scheme_, 0);
            break;
        case PartitionKind::List:
            if (!scheme_.isVector() || scheme_.size() == 0)
                throw wrongScheme(kind_, "a tuple of vectors, one per partition");
            for (int64_t i = 0; i < scheme_.size(); ++i) takeKeys(scheme_.at(i), static_cast<int>(i));
            count_ = static_cast<int>(scheme_.size());
            break;
        case PartitionKind::Hash: {
            const std::string_view wanted = "a tuple of type and number of buckets, as in [INT, 8] or INT:8";
            if ((!scheme_.isVector() && !scheme_.isPair()) || scheme_.size() != 2) throw wrongScheme(kind_, wanted);
            const Value type = scheme_.at(0), buckets = scheme_.at(1);
            if (!type.isNumber() || !buckets.isNumber()) throw wrongScheme(kind_, wanted);
            const int64_t typeId = type.asLong(), count = buckets.asLong();
            if (typeId < 0 || typeId >= kTypeCount || count < 1 || count > 1 << 20) throw wrongScheme(kind_, wanted);
            keyType_ = static_cast<Type>(typeId);
            count_ = static_cast<int>(count);
            int32_t bucket;
            hashBuckets(*Vector::make(keyType_, 0), count_, &bucket);
            return;
        }
        case PartitionKind::Seq:
            throw UserError("SEQ partitions are not supported.", "Use HASH partitions to spread rows evenly.");
        case PartitionKind::Compo:
            throw UserError(
                "A COMPO scheme is made of 2 or 3 databases.",
                "Create them with database(\"\", partitionType, partitionScheme) and pass them as a vector.");
    }
    buildLookup();
}

void PartitionLevel::takeKeys(const Value& item, int owner) {
    Value keys = item;
    if (item.isTuple()) throw wrongScheme(kind_, "values of one type");
    if (item.isScalar()) {
        Ref<Vector> one = Vector::make(item.type(), 1);
        if (isPartitionKey(item.type())) one->set(0, item);
        keys = Value::of(one);
    }
    if (!keys.isVector()) throw wrongScheme(kind_, "values of one type");
    const Vector& vector = keys.vector();
    if (!isPartitionKey(vector.type()) || vector.type() == Type::Blob) {
        throw UserError(fmt::format("The data type {} can't be used for a partition column.", typeName(vector.type())),
                        "Partition by an integer, temporal, STRING or SYMBOL column.");
    }
    if (!keys_) {
        keyType_ = vector.type();
        keys_ = Vector::make(keyType_, 0);
    }
    const bool fits = vector.type() == keyType_ || (isLiteral(vector.type()) && isLiteral(keyType_));
    if (!fits) throw wrongScheme(kind_, "values of one type");
    for (int64_t i = 0; i < vector.size(); ++i) {
        if (vector.isNullAt(i) && kind_ != PartitionKind::Range) throw UserError("A partition value is NULL.");
    }
    keys_->append(vector, 0, vector.size());
    for (int64_t i = 0; i < vector.size(); ++i) {
        owner_.push_back(owner >= 0 ? owner : static_cast<int>(owner_.size()));
    }
}

static bool holds(const std::vector<int>& positions, int position) {
    return std::binary_search(positions.begin(), positions.end(), position);
}

void PartitionLevel::drop(int position) {
    if (kind_ != PartitionKind::Value) throw UserError("Only values of a VALUE scheme can be dropped.");
    if (holds(dropped_, position)) return;
    dropped_.insert(std::upper_bound(dropped_.begin(), dropped_.end(), position), position);
    buildLookup();
}

Value PartitionLevel::liveScheme() const {
    if (dropped_.empty()) return scheme_;
    std::vector<int32_t> live;
    for (int i = 0; i < count_; ++i) {
        if (!holds(dropped_, i)) live.push_back(i);
    }
    return Value::of(keys_->gather(live.data(), static_cast<int64_t>(live.size())));
}

void PartitionLevel::buildLookup() {
    auto lookup = std::make_shared<Lookup>();
    const Vector& keys = *keys_;
    if (isLiteral(keyType_)) {
        for (int64_t i = 0; i < keys.size(); ++i) {
            const std::string_view text = keys.text(i);
            if (kind_ == PartitionKind::Range)
                lookup->textBoundaries.push_back(text);
            else if (!holds(dropped_, owner_[static_cast<size_t>(i)]))
                lookup->texts.emplace(text, owner_[static_cast<size_t>(i)]);
            if (kind_ == PartitionKind::Value && text.find_first_of(" \t\r\n") != std::string_view::npos) {
                throw UserError(
                    fmt::format("The partition value \"{}\" contains a blank, tab or line break (S01018).", text));
            }
        }
    } else {
        int64_t low = INT64_MAX, high = INT64_MIN;
        forEachInteger(keys, [&](int64_t i, int64_t x) {
            if (kind_ != PartitionKind::Range && holds(dropped_, owner_[static_cast<size_t>(i)])) return;
            if (kind_ == PartitionKind::Range)
                lookup->boundaries.push_back(x);
            else
                lookup->integers.emplace(x, owner_[static_cast<size_t>(i)]);
            low = std::min(low, x);
            high = std::max(high, x);
        });
        if (kind_ != PartitionKind::Range && high >= low && high - low >= 0 && high - low < kDenseKeys) {
            lookup->denseFrom = low;
            lookup->dense.assign(static_cast<size_t>(high - low + 1), -1);
            for (const auto& [key, owner] : lookup->integers) lookup->dense[static_cast<size_t>(key - low)] = owner;
        }
    }
    if (kind_ == PartitionKind::Range) {
        const auto ascending = [](const auto& items) {
            return std::adjacent_find(items.begin(), items.end(),
                                      [](const auto& a, const auto& b) { return !(a < b); }) == items.end();
        };
        if (!ascending(lookup->boundaries) || !ascending(lookup->textBoundaries)) {
            throw wrongScheme(kind_, "strictly ascending boundaries");
        }
        count_ = static_cast<int>(keys.size()) - 1;
    } else if (kind_ == PartitionKind::Value) {
        count_ = static_cast<int>(keys.size());
    }
    lookup_ = std::move(lookup);
}

void PartitionLevel::place(const Vector& column, int32_t* partitions) const {
    const Type type = column.type();
    if (kind_ == PartitionKind::Hash) {
        const bool fits =
            type == keyType_ || (isLiteral(type) && isLiteral(keyType_)) || (isIntegral(type) && isIntegral(keyType_));
        if (fits) return hashBuckets(column, count_, partitions);
        if (isTemporal(type) && isTemporal(keyType_) && placesTemporal(type, keyType_)) {
            // The bucket of its month, say, for a date.
            return forEachInteger(column, [&](int64_t i, int64_t x) {
                const int64_t key = x == null<int64_t> ? x : calendar::convert(x, type, keyType_);
                partitions[i] = x == null<int64_t>
                                    ? -1
                                    : static_cast<int32_t>(static_cast<uint64_t>(key) % static_cast<uint64_t>(count_));
            });
        }
    } else if (isLiteral(keyType_) && isLiteral(type)) {
        const bool isRange = kind_ == PartitionKind::Range;
        return placeTexts(column, partitions, [&](std::string_view text) {
            return isRange ? lookup_->findRange(text) : lookup_->find(text);
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
    onIntegers(column, [&](const auto* items) {
        using T = std::remove_cvref_t<decltype(*items)>;
        inPieces(column.size(), [&](int64_t begin, int64_t end) {
            for (int64_t at = begin; at < end; at += kPlacedTogether) {
                const int64_t stop = std::min(at + kPlacedTogether, end);
                // Keys grow with items, so rows between two of one partition are of it, too.
                const auto [low, high] = leastAndLargest(items + at, items + stop);
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
                    if (i > at && items[i] == items[i - 1])
                        partitions[i] = partitions[i - 1];
                    else
                        partitions[i] = items[i] == null<T> ? -1 : partitionOf(keyOfItem(items[i]));
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

// Digits and letters only, so that it can stand in a path.
static std::string keyLabel(const Vector& keys, int64_t i) {
    const Type type = keys.type();
    if (isLiteral(type)) return std::string(keys.text(i));
    const int64_t stored = keys.asLong(i);
    if (stored == null<int64_t>) return "";
    if (!isTemporal(type)) return std::to_string(stored);
    std::string text;
    calendar::append(text, type, stored);
    std::erase_if(text, [](char c) { return c == '.' || c == ':' || c == 'M' || c == 'm'; });
    return text;
}

std::string PartitionLevel::label(int partition) const {
    switch (kind_) {
        case PartitionKind::Value:
            return keyLabel(*keys_, partition);
        case PartitionKind::Range:
            return keyLabel(*keys_, partition) + "_" + keyLabel(*keys_, partition + 1);
        case PartitionKind::List:
            return "List" + std::to_string(partition);
        default:
            return "Key" + std::to_string(partition);
    }
}

static std::vector<int> oneOrNone(int32_t partition) {
    return partition < 0 ? std::vector<int>{} : std::vector<int>{partition};
}

// A bound in the type of the keys, or VOID when it says nothing about them.
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
        if (!(std::abs(x) < 9e18)) return {};
        return Value::scalar(Type::Long, static_cast<int64_t>(x));
    }
    return isIntegral(type) || type == Type::Bool ? Value::scalar(Type::Long, bound.integer()) : Value();
}

// Keys of VALUE and LIST levels by their order.
template <class Key>
static std::vector<int> ownersBetween(const std::vector<int32_t>& ascending, const std::vector<int>& owners,
                                      const Key& keyAt, const std::invoke_result_t<Key, int32_t>* low,
                                      const std::invoke_result_t<Key, int32_t>* high) {
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
    std::call_once(lookup_->sorted, [&] {
        std::vector<int32_t>& order = lookup_->ascending;
        order.resize(static_cast<size_t>(keys_->size()));
        std::iota(order.begin(), order.end(), 0);
        const auto before = [&](int32_t a, int32_t b) {
            return isLiteral(keyType_) ? keys_->text(a) < keys_->text(b) : keys_->asLong(a) < keys_->asLong(b);
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
        const std::string_view lowText = lowKey.isVoid() ? "" : lowKey.text();
        const std::string_view highText = highKey.isVoid() ? "" : highKey.text();
        const std::string_view* from = lowKey.isVoid() ? nullptr : &lowText;
        const std::string_view* to = highKey.isVoid() ? nullptr : &highText;
        if (isRange) return rangesBetween(lookup_->textBoundaries, from, to);
        if (isOne) return oneOrNone(lookup_->find(lowText));
        return ownersBetween(
            ascendingKeys(), owner_, [&](int32_t i) { return keys_->text(i); }, from, to);
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

void refuseBlanks(const Value& values) {
    if (!isLiteral(values.type())) return;
    for (int64_t i = 0; i < values.size(); ++i) {
        const Value value = values.isScalar() ? values : values.at(i);
        if (value.text().find_first_of(" \t\r\n") == std::string_view::npos) continue;
        throw UserError(fmt::format("The value \"{}\" of a VALUE scheme has a blank, tab or line break. RefId: S01018",
                                    value.text()),
                        "Take another column, or HASH partitions.");
    }
}

void refuseRepeated(const Value& lists) {
    if (!lists.isTuple()) return;
    std::set<std::string> seen;
    for (int64_t i = 0; i < lists.size(); ++i) {
        const Value list = lists.at(i);
        for (int64_t k = 0; k < list.size(); ++k) {
            const std::string value = scalarText(list.isScalar() ? list : list.at(k));
            if (!seen.insert(value).second)
                throw UserError("The value " + value + " of a LIST scheme stands in it twice.");
        }
    }
}

void PartitionLevel::extend(const Value& keys) {
    if (kind_ == PartitionKind::Value) refuseBlanks(keys);
    if (kind_ != PartitionKind::Value && kind_ != PartitionKind::Range) {
        throw UserError(fmt::format("A {} scheme cannot be extended.", kindName(kind_)));
    }
    PartitionLevel extended = *this;
    extended.keys_ = keys_->copy();
    if (kind_ == PartitionKind::Range) {
        const Value last = keys_->at(keys_->size() - 1);
        if (!keys.isVector() || keys.size() < 2 || !identical(keys.at(0), last)) {
            throw UserError(fmt::format("New ranges must begin where the scheme ends, at {}.", scalarText(last)),
                            "Give ascending boundaries, that one first; nothing goes in front of the first range.");
        }
        Ref<Vector> more = Vector::make(keyType_, 0);
        for (int64_t i = 1; i < keys.size(); ++i) more->append(keys.at(i));
        extended.takeKeys(Value::of(more), 0);
    } else {
        Ref<Vector> more = Vector::make(keyType_, 0);
        PartitionLevel all = *this;
        all.dropped_.clear();
        all.buildLookup();
        for (int64_t i = 0; i < keys.size(); ++i) {
            const Value key = keys.isScalar() ? keys : keys.at(i);
            const int known = all.placeOne(key);
            if (known < 0) more->append(key);
            std::erase(extended.dropped_, known);
        }
        extended.takeKeys(Value::of(more), -1);
    }
    extended.buildLookup();
    extended.scheme_ = Value::of(extended.keys_->copy());
    *this = std::move(extended);
}

// ---- several levels

void PartitionScheme::place(const std::vector<const Vector*>& columns, int64_t* partitions) const {
    const int64_t n = columns.empty() ? 0 : columns[0]->size();
    std::vector<int32_t> level(static_cast<size_t>(n));
    for (size_t l = 0; l < levels_.size(); ++l) {
        levels_[l].place(*columns[l], level.data());
        const int64_t count = levels_[l].count();
        for (int64_t i = 0; i < n; ++i) {
            const int32_t own = level[static_cast<size_t>(i)];
            const int64_t before = l == 0 ? 0 : partitions[i];
            partitions[i] = own < 0 || before < 0 ? -1 : before * count + own;
        }
    }
}

int64_t PartitionScheme::flatten(const std::vector<int>& index) const {
    int64_t partition = 0;
    for (size_t l = 0; l < levels_.size(); ++l) partition = partition * levels_[l].count() + index[l];
    return partition;
}

std::vector<int> PartitionScheme::unflatten(int64_t partition) const {
    std::vector<int> index(levels_.size());
    for (size_t l = levels_.size(); l-- > 0;) {
        index[l] = static_cast<int>(partition % levels_[l].count());
        partition /= levels_[l].count();
    }
    return index;
}

std::string PartitionScheme::path(const std::vector<int>& index) const {
    std::string path;
    for (size_t l = 0; l < levels_.size(); ++l) path += "/" + levels_[l].label(index[l]);
    return path;
}

}  // namespace pelorus
