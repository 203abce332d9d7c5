#include "sql/group_table.h"

#include <algorithm>
#include <cstring>

#include "common/cancellation.h"
#include "common/error.h"
#include "common/widest.h"
#include "runtime/kernel/row_selection.h"
#include "sql/item_range.h"

namespace pelorus {

// The largest range that is looked up directly: 4 M groups of 4 bytes.
constexpr int64_t kDenseRange = int64_t{1} << 22;
constexpr int64_t kSmallRange = int64_t{1} << 16;
constexpr int64_t kPlacesPerRow = 32;

static int bitsOf(Type type) {
    switch (storageOf(type)) {
        case Storage::Int8:
            return 8;
        case Storage::Int16:
            return 16;
        case Storage::Int32:
            return 32;
        case Storage::Int64:
        case Storage::Float64:
            return 64;
        default:
            return 32;  // a code
    }
}

static bool needsCodes(Type type) {
    Storage s = storageOf(type);
    // Decimals of one type may differ in scale.
    return isDecimal(type) || s == Storage::Text || s == Storage::Bytes16 || s == Storage::Float32 ||
           s == Storage::Boxed || s == Storage::None;
}

GroupTable::GroupTable(std::vector<Type> keyTypes, KeyLookup lookup) : types_(std::move(keyTypes)) {
    int total = 0;
    for (Type t : types_) {
        bits_.push_back(bitsOf(t));
        codes_.push_back(needsCodes(t) ? std::make_unique<KeyIndex>(t) : nullptr);
        total += bits_.back();
    }
    groupWords_.resize(types_.size());
    dense_ = lookup == KeyLookup::Direct && types_.size() == 1 && bits_[0] <= 32;
    isWide_ = total > 128;
    if (isWide_) {
        ascending_ = false;
        wideSlots_.assign(1024, 0);
        return;
    }
    slots_.assign(1024, 0);
}

template <class T>
static void widenItems(const Vector& v, std::vector<uint64_t>& words) {
    using U = std::make_unsigned_t<T>;
    const T* items = v.items<T>();
    for (int64_t i = 0; i < v.size(); ++i) words[static_cast<size_t>(i)] = static_cast<U>(items[i]);
}

void GroupTable::encode(size_t key, const Value& values, int64_t rows, std::vector<uint64_t>& words) {
    words.resize(static_cast<size_t>(rows));
    if (values.isScalar()) {
        Ref<Vector> one = Vector::filled(types_[key], 1, values);
        std::vector<uint64_t> word;
        encode(key, Value::of(one), 1, word);
        std::fill(words.begin(), words.end(), word[0]);
        return;
    }
    const Vector& v = values.vector();
    if (codes_[key]) {
        std::vector<int32_t> positions(static_cast<size_t>(rows));
        codes_[key]->insertAll(v, positions.data());
        for (size_t i = 0; i < positions.size(); ++i) words[i] = static_cast<uint32_t>(positions[i]);
        return;
    }
    switch (storageOf(v.type())) {
        case Storage::Int8:
            widenItems<int8_t>(v, words);
            break;
        case Storage::Int16:
            widenItems<int16_t>(v, words);
            break;
        case Storage::Int32:
            widenItems<int32_t>(v, words);
            break;
        case Storage::Float64:
            for (int64_t i = 0; i < rows; ++i) {
                double x = v.items<double>()[i] + 0.0;  // -0.0 is 0.0
                std::memcpy(&words[static_cast<size_t>(i)], &x, sizeof x);
            }
            break;
        default:
            widenItems<int64_t>(v, words);
    }
}

static uint64_t hashWord(uint64_t k) {
    k *= 0x9E3779B97F4A7C15ull;
    return k ^ (k >> 29);
}
static uint64_t hashWord(unsigned __int128 k) {
    uint64_t high = hashWord(static_cast<uint64_t>(static_cast<uint64_t>(k >> 64) + 0x632BE59BD9B4E019u));
    return hashWord(static_cast<uint64_t>(k) ^ high);
}

// The half of a hash that a slot of wide keys holds above its group.
constexpr uint64_t kTag = 0xffffffff00000000;

template <class K>
std::vector<K>& GroupTable::knownKeys() {
    if constexpr (sizeof(K) == 8) {
        return keys64_;
    } else {
        return keys128_;
    }
}

// Makes the table of slots anew, with room for as many keys again.
template <class K>
void GroupTable::fillSlots() {
    const std::vector<K>& known = knownKeys<K>();
    size_t slots = slots_.size();
    while (known.size() * 2 >= slots) slots *= 2;
    slots_.assign(slots, 0);
    for (size_t g = 0; g < known.size(); ++g) {
        size_t s = hashWord(known[g]) & (slots - 1);
        while (slots_[s] != 0) s = (s + 1) & (slots - 1);
        slots_[s] = static_cast<int32_t>(g + 1);
    }
}

// Rows that lie in the order of their keys, as in a sorted partition, need no look-up: what is above the last key is
// new. Returns how many rows came so.
template <class K>
int64_t GroupTable::assignAscending(const K* keys, int64_t rows, int32_t* groups) {
    std::vector<K>& known = knownKeys<K>();
    int64_t r = 0;
    if (known.empty()) known.push_back(keys[0]);
    for (; r < rows; ++r) {
        if (keys[r] != known.back()) {
            if (keys[r] < known.back()) break;
            known.push_back(keys[r]);
        }
        groups[r] = static_cast<int32_t>(known.size() - 1);
    }
    return r;
}

template <class K>
void GroupTable::assignHashed(const K* keys, int64_t rows, int32_t* groups) {
    std::vector<K>& known = knownKeys<K>();
    int64_t r = 0;
    if (ascending_) {
        r = assignAscending(keys, rows, groups);
        if (r < rows) {
            ascending_ = false;
            fillSlots<K>();
        }
    }
    size_t mask = slots_.size() - 1;
    for (; r < rows; ++r) {
        K k = keys[r];
        if (r > 0 && k == keys[r - 1]) {
            groups[r] = groups[r - 1];
            continue;
        }
        size_t i = hashWord(k) & mask;
        while (slots_[i] != 0 && known[static_cast<size_t>(slots_[i] - 1)] != k) i = (i + 1) & mask;
        if (slots_[i] == 0) {
            known.push_back(k);
            slots_[i] = static_cast<int32_t>(known.size());
            groups[r] = static_cast<int32_t>(known.size() - 1);
            if (known.size() * 2 > slots_.size()) {
                fillSlots<K>();
                mask = slots_.size() - 1;
            }
        } else {
            groups[r] = slots_[i] - 1;
        }
    }
    size_ = static_cast<int64_t>(known.size());
}

template <class T>
bool GroupTable::assignDense(const T* items, int64_t rows, int32_t* groups) {
    const ItemRange<T> range = rangeOf(items, rows);
    int64_t low = range.low, high = range.high;
    if (!denseGroups_.empty()) {
        low = std::min(low, denseBase_);
        high = std::max(high, denseBase_ + static_cast<int64_t>(denseGroups_.size()) - 1);
    }
    denseRows_ += rows;
    // Making the table must cost less than looking the rows up in another way.
    const int64_t most = std::min(kDenseRange, std::max(kSmallRange, kPlacesPerRow * denseRows_));
    if (high - low >= most) return false;
    if (denseGroups_.empty() || low < denseBase_ || high >= denseBase_ + static_cast<int64_t>(denseGroups_.size())) {
        // As much again where it grows upwards, as with time.
        if (!denseGroups_.empty() && low == denseBase_)
            high = std::max(high, low + std::min(most, 2 * (high - low)) - 1);
        std::vector<int32_t> grown(static_cast<size_t>(high - low + 1), -1);
        std::copy(denseGroups_.begin(), denseGroups_.end(),
                  grown.begin() + (denseGroups_.empty() ? 0 : denseBase_ - low));
        denseGroups_ = std::move(grown);
        denseBase_ = low;
    }
    int32_t* const known = denseGroups_.data();
    const auto base = static_cast<int32_t>(denseBase_);
    const bool allKnown = onWidest([=]() __attribute__((always_inline)) {
        int32_t signs = 0;
        for (int64_t r = 0; r < rows; ++r) {
            groups[r] = known[items[r] - base];
            signs |= groups[r];
        }
        return signs >= 0;
    });
    if (allKnown) return true;
    for (int64_t r = 0; r < rows; ++r) {
        int32_t& g = known[items[r] - base];
        if (g < 0) {
            g = static_cast<int32_t>(size_++);
            groupWords_[0].push_back(static_cast<std::make_unsigned_t<T>>(items[r]));
        }
        groups[r] = g;
    }
    return true;
}

bool GroupTable::assignDense(const Value& key, int64_t rows, int32_t* groups) {
    if (codes_[0]) {
        Ref<Vector> codes = Vector::make(Type::Int, rows);
        codes_[0]->insertAll(key.vector(), codes->mutableItems<int32_t>());
        return assignDense(codes->items<int32_t>(), rows, groups);
    }
    switch (bits_[0]) {
        case 8:
            return assignDense(key.vector().items<int8_t>(), rows, groups);
        case 16:
            return assignDense(key.vector().items<int16_t>(), rows, groups);
        default:
            return assignDense(key.vector().items<int32_t>(), rows, groups);
    }
}

void GroupTable::fillWideSlots(size_t slots) {
    const size_t width = types_.size(), mask = slots - 1;
    wideSlots_.assign(slots, 0);
    for (size_t g = 0; g * width < wideKeys_.size(); ++g) {
        uint64_t hash = 0;
        for (size_t k = 0; k < width; ++k) hash = hashWord(hash ^ wideKeys_[g * width + k]);
        size_t s = hash & mask;
        while (wideSlots_[s] != 0) s = (s + 1) & mask;
        wideSlots_[s] = (hash & kTag) | (g + 1);
    }
}

void GroupTable::assignWide(const std::vector<std::vector<uint64_t>>& words, int64_t rows, int32_t* groups) {
    const size_t width = types_.size();
    std::vector<uint64_t> hashes(static_cast<size_t>(rows), 0);
    for (const std::vector<uint64_t>& key : words) {
        for (size_t r = 0; r < hashes.size(); ++r) hashes[r] = hashWord(hashes[r] ^ key[r]);
    }
    size_t mask = wideSlots_.size() - 1;
    for (size_t r = 0; r < hashes.size(); ++r) {
        const uint64_t hash = hashes[r];
        const auto isGroup = [&](uint64_t slot) {
            if (((slot ^ hash) & kTag) != 0) return false;
            const uint64_t* known = &wideKeys_[((slot & ~kTag) - 1) * width];
            bool isEqual = true;
            for (size_t k = 0; k < width; ++k) isEqual = isEqual && known[k] == words[k][r];
            return isEqual;
        };
        size_t i = hash & mask;
        while (wideSlots_[i] != 0 && !isGroup(wideSlots_[i])) i = (i + 1) & mask;
        if (wideSlots_[i] == 0) {
            for (const std::vector<uint64_t>& key : words) wideKeys_.push_back(key[r]);
            wideSlots_[i] = (hash & kTag) | static_cast<uint64_t>(++size_);
            groups[r] = static_cast<int32_t>(size_ - 1);
            if (static_cast<size_t>(size_) * 2 > wideSlots_.size()) {
                fillWideSlots(2 * wideSlots_.size());
                mask = wideSlots_.size() - 1;
            }
        } else {
            groups[r] = static_cast<int32_t>((wideSlots_[i] & ~kTag) - 1);
        }
    }
}

// Sets the mask where an item differs from the one before.
template <class T>
static void markChanges(const Vector& items, int64_t rows, int8_t* mask) {
    const T* item = items.items<T>();
    onWidest([=]() __attribute__((always_inline)) {
        for (int64_t i = 1; i < rows; ++i) mask[i] = static_cast<int8_t>(mask[i] | (item[i] != item[i - 1]));
    });
}

// Counts the runs of equal keys of the first rows; the mask tells where they begin.
static int64_t markRuns(std::span<const Value> keys, int64_t rows, int8_t* mask) {
    std::memset(mask, 0, static_cast<size_t>(rows));
    mask[0] = 1;
    for (const Value& key : keys) {
        if (key.isScalar()) continue;
        switch (key.vector().width()) {
            case 1:
                markChanges<int8_t>(key.vector(), rows, mask);
                break;
            case 2:
                markChanges<int16_t>(key.vector(), rows, mask);
                break;
            case 4:
                markChanges<int32_t>(key.vector(), rows, mask);
                break;
            default:
                markChanges<int64_t>(key.vector(), rows, mask);
        }
    }
    return std::count(mask, mask + rows, int8_t{1});
}

// Where runs of equal keys are long, as in sorted data, only the first row of each is looked up.
bool GroupTable::assignRuns(std::span<const Value> keys, int64_t rows, int32_t* groups) {
    constexpr int64_t kSampleRows = 1024;
    if (rows < 4 * kSampleRows) return false;
    for (size_t k = 0; k < keys.size(); ++k) {
        if (codes_[k]) return false;
    }
    Ref<Vector> begins = Vector::make(Type::Bool, rows);
    auto* mask = begins->mutableItems<int8_t>();
    if (markRuns(keys, kSampleRows, mask) * 2 > kSampleRows || markRuns(keys, rows, mask) * 2 > rows) return false;
    std::vector<int32_t> positions(static_cast<size_t>(rows));
    const int64_t runs = chosenPositions(mask, rows, positions.data());
    std::vector<Value> firsts;
    for (const Value& key : keys)
        firsts.push_back(key.isScalar() ? key : Value::of(chosenItems(key.vector(), mask, positions.data(), runs)));
    std::vector<int32_t> groupOfRun(static_cast<size_t>(runs));
    assignRows(firsts, runs, groupOfRun.data());
    const int32_t* group = groupOfRun.data() - 1;
    for (int64_t r = 0; r < rows; ++r) groups[r] = *(group += mask[r]);
    return true;
}

// In pieces: the words of a piece stay in the cache, and a cancelled request is noticed.
void GroupTable::assign(std::span<const Value> keys, int64_t rows, int32_t* groups) {
    const bool sliceable =
        std::all_of(keys.begin(), keys.end(), [](const Value& k) { return k.isScalar() || k.isTypedVector(); });
    if (!sliceable) return assignPiece(keys, rows, groups);
    inPieces(rows, [&](int64_t begin, int64_t end) {
        std::vector<Value> piece;
        for (const Value& key : keys)
            piece.push_back(key.isScalar() ? key : Value::of(key.vector().slice(begin, end - begin)));
        assignPiece(piece, end - begin, groups + begin);
    });
}

void GroupTable::assignPiece(std::span<const Value> keys, int64_t rows, int32_t* groups) {
    if (rows == 0) return;
    if (types_.empty()) {
        std::fill(groups, groups + rows, 0);
        size_ = 1;
        return;
    }
    if (dense_) {
        const Value key = keys[0].isScalar() ? Value::of(Vector::filled(types_[0], rows, keys[0])) : keys[0];
        if (assignDense(key, rows, groups)) return;
        // Too wide: from here on by hashing, with the groups known so far.
        dense_ = false;
        keys64_ = groupWords_[0];
        ascending_ = false;
        fillSlots<uint64_t>();
    }
    if (!assignRuns(keys, rows, groups)) assignRows(keys, rows, groups);
}

void GroupTable::assignRows(std::span<const Value> keys, int64_t rows, int32_t* groups) {
    std::vector<std::vector<uint64_t>> words(types_.size());
    for (size_t k = 0; k < types_.size(); ++k) encode(k, keys[k], rows, words[k]);
    if (isWide_) return assignWide(words, rows, groups);
    int64_t before = size_;
    int total = 0;
    for (int b : bits_) total += b;
    if (total <= 64) {
        std::vector<uint64_t>& packed = words[0];
        for (size_t k = 1; k < words.size(); ++k) {
            for (size_t r = 0; r < packed.size(); ++r) packed[r] = packed[r] << bits_[k] | words[k][r];
        }
        assignHashed(packed.data(), rows, groups);
        for (int64_t g = before; g < size_; ++g) {
            uint64_t w = keys64_[static_cast<size_t>(g)];
            for (size_t k = types_.size(); k-- > 0;) {
                uint64_t part = bits_[k] == 64 ? w : w & ((uint64_t{1} << bits_[k]) - 1);
                groupWords_[k].push_back(part);
                w = bits_[k] == 64 ? 0 : w >> bits_[k];
            }
        }
        return;
    }
    std::vector<Word> packed(static_cast<size_t>(rows), 0);
    for (size_t k = 0; k < words.size(); ++k) {
        for (size_t r = 0; r < packed.size(); ++r) packed[r] = packed[r] << bits_[k] | words[k][r];
    }
    assignHashed(packed.data(), rows, groups);
    for (int64_t g = before; g < size_; ++g) {
        Word w = keys128_[static_cast<size_t>(g)];
        for (size_t k = types_.size(); k-- > 0;) {
            groupWords_[k].push_back(static_cast<uint64_t>(w) &
                                     (bits_[k] == 64 ? ~uint64_t{0} : (uint64_t{1} << bits_[k]) - 1));
            w >>= bits_[k];
        }
    }
}

std::vector<uint64_t> GroupTable::wordsOf(size_t key) const {
    if (!isWide_) return groupWords_[key];
    std::vector<uint64_t> words;
    for (size_t at = key; at < wideKeys_.size(); at += types_.size()) words.push_back(wideKeys_[at]);
    return words;
}

std::vector<Value> GroupTable::keys() const {
    std::vector<Value> result;
    for (size_t k = 0; k < types_.size(); ++k) {
        const std::vector<uint64_t> words = wordsOf(k);
        if (codes_[k]) {
            std::vector<int32_t> positions(words.begin(), words.end());
            Value all = codes_[k]->keys();
            if (all.isTuple()) {
                std::vector<Value> items;
                for (int32_t p : positions) items.push_back(all.at(p));
                result.push_back(Value::of(makeRef<Tuple>(std::move(items))));
            } else {
                result.push_back(
                    Value::of(all.vector().gather(positions.data(), static_cast<int64_t>(positions.size()))));
            }
            continue;
        }
        Ref<Vector> v = Vector::make(types_[k], static_cast<int64_t>(words.size()));
        char* out = v->mutableRaw();
        int width = v->width();
        for (size_t g = 0; g < words.size(); ++g)
            std::memcpy(out + g * static_cast<size_t>(width), &words[g], static_cast<size_t>(width));
        result.push_back(Value::of(v));
    }
    return result;
}

}  // namespace pelorus
