#include "sql/keys/packed_keys.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "common/check.h"
#include "common/widest.h"
#include "runtime/value/element_width.h"

namespace pelorus {

constexpr PackedKeys::Field kWholeWord{static_cast<uint64_t>(INT64_MIN), 64};

static bool needsCodes(Type type) {
    const Storage s = storageOf(type);
    // Decimals of one type may differ in scale.
    return isDecimal(type) || s == Storage::String || s == Storage::Bytes16 || s == Storage::Float32 ||
           s == Storage::Boxed || s == Storage::None;
}

PackedKeys::PackedKeys(const std::vector<Type>& types) : layout_(types.size()) {
    for (size_t k = 0; k < types.size(); ++k) {
        Key key;
        key.type = types[k];
        if (needsCodes(types[k])) {
            key.codes = std::make_unique<KeyIndex>(types[k]);
            key.codes->shareStrings();
        }
        key.isReal = storageOf(types[k]) == Storage::Float64;
        if (key.isReal) layout_[k] = kWholeWord;
        keys_.push_back(std::move(key));
    }
}

int PackedKeys::bits() const {
    int sum = 0;
    for (const Field& field : layout_) sum += field.bits;
    return sum;
}

bool PackedKeys::hasCodes() const {
    return std::any_of(keys_.begin(), keys_.end(), [](const Key& key) { return key.codes != nullptr; });
}

void PackedKeys::makeWide() {
    isWide_ = true;
    std::fill(layout_.begin(), layout_.end(), kWholeWord);
}

// Returns min and max of the values that are not NULL; the first is above the second where there is none.
template <class T>
static std::pair<T, T> extremes(const T* items, int64_t count) {
    using U = std::make_unsigned_t<T>;
    constexpr T kNull = std::numeric_limits<T>::min();
    const auto [distance, max] = onWidest([=]() __attribute__((always_inline)) {
        // Compared by their offset from the smallest value of the type, NULL sorts after all others: no branch, which
        // would keep the loop scalar.
        U min = std::numeric_limits<U>::max();
        T max = kNull;
        for (int64_t i = 0; i < count; ++i) {
            const auto distance = static_cast<U>(static_cast<U>(items[i]) - static_cast<U>(kNull) - 1);
            min = distance < min ? distance : min;
            max = items[i] > max ? items[i] : max;
        }
        return std::pair(min, max);
    });
    if (max == kNull) return {std::numeric_limits<T>::max(), kNull};
    return {static_cast<T>(static_cast<U>(distance + static_cast<U>(kNull) + 1)), max};
}

// Calls f with the values of a vector of signed integers.
template <class F>
static void withItems(const Vector& items, int width, F f) {
    switch (width) {
        case 1:
            return f(items.data<int8_t>());
        case 2:
            return f(items.data<int16_t>());
        case 4:
            return f(items.data<int32_t>());
        default:
            return f(items.data<int64_t>());
    }
}

// Reserves as many values again on the side on which the range grew: it grows once for each bit.
void PackedKeys::widen(Key& key, Field& field, int64_t low, int64_t high) {
    const bool isFirst = key.min > key.max, growsDown = !isFirst && low < key.min;
    key.min = isFirst ? low : std::min(low, key.min);
    key.max = isFirst ? high : std::max(high, key.max);
    const auto min = static_cast<uint64_t>(key.min), max = static_cast<uint64_t>(key.max);
    const uint64_t span = max - min + 1;  // the words are 1 to span
    if (span == 0 || span >> 63) {
        field = kWholeWord;
        return;
    }
    field.bits = static_cast<int>(std::bit_width(span));
    field.base = min - 1;
    if (!growsDown) return;
    const uint64_t room = (uint64_t{1} << field.bits) - 1 - span;
    const uint64_t above =
        min - 1 - static_cast<uint64_t>(INT64_MIN);  // no base is below the smallest value of the type
    field.base -= std::min(room, above);
}

void PackedKeys::take(std::span<const Value> keys, int64_t rows, std::span<const Value> digests) {
    CHECK(keys.size() == keys_.size()) << "rows have all keys of their groups";
    rows_ = rows;
    for (size_t k = 0; k < keys_.size(); ++k) {
        Key& key = keys_[k];
        key.isConstant = keys[k].isScalar();
        key.items = key.isConstant ? Vector::filled(key.type, 1, keys[k]) : Ref<Vector>(&keys[k].vector());
        const int64_t count = key.items->size();
        CHECK(key.isConstant || count >= rows) << "a key has a value for each row";
        if (key.codes) {
            Ref<Vector> codes = Vector::make(Type::Int, count);
            const bool hasDigests = !digests.empty() && digests[k].isTypedVector();
            key.codes->insertAll(*key.items, codes->mutableData<int32_t>(),
                                 hasDigests ? digests[k].vector().data<StringDigest>() : nullptr);
            key.items = std::move(codes);
        } else if (key.isReal) {
            Ref<Vector> reals = Vector::make(Type::Long, count);
            auto* words = reals->mutableData<int64_t>();
            const double* items = key.items->data<double>();
            for (int64_t i = 0; i < count; ++i) {
                const double x = items[i] + 0.0;  // -0.0 is 0.0
                std::memcpy(&words[i], &x, sizeof x);
            }
            key.items = std::move(reals);
        }
        key.width = key.items->width();
        if (isWide_ || key.isReal) continue;
        withItems(*key.items, key.width, [&](const auto* items) {
            const auto range = extremes(items, count);
            const int64_t low = range.first, high = range.second;
            if (low > high) return;  // NULLs only
            if (key.min <= key.max && low >= key.min && high <= key.max) return;
            const Field& field = layout_[k];
            const uint64_t most = field.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << field.bits) - 1;
            const auto fits = [&](int64_t x) {
                const uint64_t word = static_cast<uint64_t>(x) - field.base;
                return word > 0 && word <= most;
            };
            if (key.min <= key.max && fits(low) && fits(high)) {
                key.min = std::min(key.min, low);
                key.max = std::max(key.max, high);
                return;
            }
            widen(key, layout_[k], low, high);
        });
    }
}

template <class W>
void PackedKeys::packOnto(const Key& key, const Field& field, bool isFirst, W* words) const {
    const int64_t rows = rows_;
    const int shift = field.bits;
    withItems(*key.items, key.width, [&]<class T>(const T* items) {
        // In the value's width where that is enough: more of them fit into a register.
        using Narrow = std::conditional_t<(sizeof(T) <= 4 && sizeof(W) == 4), uint32_t, uint64_t>;
        const auto base = static_cast<Narrow>(field.base);
        const auto wordOf = [base](T item) __attribute__((always_inline)) {
            const auto word = static_cast<Narrow>(static_cast<Narrow>(static_cast<int64_t>(item)) - base);
            return static_cast<W>(item == std::numeric_limits<T>::min() ? Narrow{0} : word);
        };
        if (key.isConstant) {
            const W word = wordOf(items[0]);
            for (int64_t r = 0; r < rows; ++r) words[r] = isFirst ? word : static_cast<W>(words[r] << shift | word);
        } else if (isFirst) {
            onWidest([=]() __attribute__((always_inline)) {
                for (int64_t r = 0; r < rows; ++r) words[r] = wordOf(items[r]);
            });
        } else {
            onWidest([=]() __attribute__((always_inline)) {
                for (int64_t r = 0; r < rows; ++r) words[r] = static_cast<W>(words[r] << shift | wordOf(items[r]));
            });
        }
    });
}

template <class W>
void PackedKeys::pack(W* words) const {
    for (size_t k = 0; k < keys_.size(); ++k) packOnto(keys_[k], layout_[k], k == 0, words);
}

void PackedKeys::packKey(size_t key, uint64_t* words) const {
    packOnto(keys_[key], layout_[key], true, words);
}

template <class W>
static uint64_t fieldOf(W& word, int bits) {
    if (bits == 64) {
        const auto field = static_cast<uint64_t>(word);
        word = sizeof(W) > 8 ? static_cast<W>(static_cast<WideWord>(word) >> 64) : W{0};
        return field;
    }
    const uint64_t field = static_cast<uint64_t>(word) & ((uint64_t{1} << bits) - 1);
    word = static_cast<W>(word >> bits);
    return field;
}

template <class W>
W PackedKeys::repacked(W word, const Layout& from) const {
    W result = 0;
    int shift = 0;
    for (size_t k = keys_.size(); k-- > 0;) {
        uint64_t field = fieldOf(word, from[k].bits);
        if (field != 0) field += from[k].base - layout_[k].base;
        result |= static_cast<W>(field) << shift;
        shift += layout_[k].bits;
    }
    return result;
}

void PackedKeys::unpackFrom(WideWord word, const Layout& from, uint64_t* words) const {
    for (size_t k = keys_.size(); k-- > 0;) {
        words[k] = fieldOf(word, from[k].bits);
        if (words[k] != 0) words[k] += from[k].base - layout_[k].base;
    }
}

template <class W>
Value PackedKeys::items(size_t key, const std::vector<W>& numbers) const {
    int shift = 0;
    for (size_t k = key + 1; k < keys_.size(); ++k) shift += layout_[k].bits;
    std::vector<uint64_t> words(numbers.size());
    const int bits = layout_[key].bits;
    for (size_t g = 0; g < numbers.size(); ++g) {
        W rest = static_cast<W>(numbers[g] >> shift);
        words[g] = fieldOf(rest, bits);
    }
    return itemsOfWords(key, std::move(words));
}

Value PackedKeys::itemsOfWords(size_t k, std::vector<uint64_t> words) const {
    const Key& key = keys_[k];
    const auto count = static_cast<int64_t>(words.size());
    const uint64_t base = layout_[k].base;
    if (key.codes) {
        std::vector<int32_t> positions(words.size());
        for (size_t g = 0; g < words.size(); ++g) positions[g] = static_cast<int32_t>(base + words[g]);
        Value all = key.codes->keys();
        if (!all.isTuple()) return Value::of(all.vector().gather(positions.data(), count));
        std::vector<Value> items;
        for (int32_t p : positions) items.push_back(all.at(p));
        return Value::of(makeRef<Tuple>(std::move(items)));
    }
    Ref<Vector> v = Vector::make(key.type, count);
    withWidth(v->width(), [&](auto zero) {
        using T = decltype(zero);
        if constexpr (sizeof(T) <= 8) {
            auto* out = v->mutableData<T>();
            for (size_t g = 0; g < words.size(); ++g) {
                out[g] = words[g] == 0 && !key.isReal ? std::numeric_limits<T>::min() : static_cast<T>(base + words[g]);
            }
        }
    });
    return Value::of(v);
}

template void PackedKeys::pack(uint32_t*) const;
template void PackedKeys::pack(uint64_t*) const;
template void PackedKeys::pack(WideWord*) const;
template uint64_t PackedKeys::repacked(uint64_t, const Layout&) const;
template WideWord PackedKeys::repacked(WideWord, const Layout&) const;
template Value PackedKeys::items(size_t, const std::vector<uint64_t>&) const;
template Value PackedKeys::items(size_t, const std::vector<WideWord>&) const;

}  // namespace pelorus
