#include "runtime/value/key_index.h"

#include <fmt/format.h>

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/value/cast.h"
#include "runtime/value/distinct_symbols.h"
#include "runtime/value/symbol_base.h"

namespace pelorus {

// Probe sequence of a key's slots: first by the low bits of its hash, which for integers are those of the key itself,
// so that neighbouring keys are stored together; then by more and more of the high bits.
class Probe {
public:
    Probe(uint64_t hash, size_t slots) : rest_(hash), mask_(slots - 1), at_(hash & mask_) {}
    size_t at() const { return at_; }
    void next() {
        rest_ >>= 5;
        at_ = (at_ * 5 + rest_ + 1) & mask_;
    }

private:
    uint64_t rest_;
    size_t mask_;
    size_t at_;
};

constexpr int32_t kErased = -1;

static uint64_t hashBytes(const void* bytes, size_t size) {
    return XXH3_64bits(bytes, size);
}

// Hashes a scalar; STRING and SYMBOL keys hash alike, so that either finds the other.
static uint64_t hashScalar(const Value& key) {
    if (isLiteral(key.type())) return StringDigest::of(key.string()).hash();
    switch (storageOf(key.type())) {
        case Storage::Float32:
        case Storage::Float64: {
            double x = key.real() == 0 ? 0 : key.real();  // -0.0 equals 0.0
            return hashBytes(&x, sizeof x);
        }
        case Storage::Bytes16:
            return hashBytes(key.bytes16(), 16);
        case Storage::None:
        case Storage::Boxed:
            return 0;
        default:
            return static_cast<uint64_t>(key.integer());
    }
}

KeyIndex::KeyIndex(Type type) : type_(type), isTuple_(type == Type::Any || type == Type::Void) {
    if (!isTuple_) keys_ = Vector::make(type, 0, 8);
    slots_.assign(16, 0);
}

Value KeyIndex::keys() const {
    if (isTuple_) return Value::of(makeRef<Tuple>(anyKeys_));
    return Value::of(keys_->slice(0, keys_->size()));
}

Value KeyIndex::key(int64_t position) const {
    return isTuple_ ? anyKeys_[static_cast<size_t>(position)] : keys_->at(position);
}

uint64_t KeyIndex::hashOf(const Value& key) const {
    return hashScalar(key);
}

uint64_t KeyIndex::hashAt(int64_t position) const {
    if (isTuple_) return hashScalar(anyKeys_[static_cast<size_t>(position)]);
    switch (storageOf(type_)) {
        case Storage::Int8:
            return static_cast<uint64_t>(int64_t{keys_->data<int8_t>()[position]});
        case Storage::Int16:
            return static_cast<uint64_t>(int64_t{keys_->data<int16_t>()[position]});
        case Storage::Int32:
            if (type_ == Type::Symbol) break;
            return static_cast<uint64_t>(int64_t{keys_->data<int32_t>()[position]});
        case Storage::Int64:
            return static_cast<uint64_t>(keys_->data<int64_t>()[position]);
        default:
            break;
    }
    if (isLiteral(type_)) return StringDigest::of(keys_->string(position)).hash();
    return hashScalar(keys_->at(position));
}

bool KeyIndex::equalsAt(int64_t position, const Value& key) const {
    if (isTuple_) {
        const Value& mine = anyKeys_[static_cast<size_t>(position)];
        if (isLiteral(mine.type()) && mine.isScalar() && key.isString()) return mine.string() == key.string();
        return identical(mine, key);
    }
    if (isLiteral(type_)) return keys_->string(position) == key.string();
    switch (storageOf(type_)) {
        case Storage::Int8:
            return keys_->data<int8_t>()[position] == key.integer();
        case Storage::Int16:
            return keys_->data<int16_t>()[position] == key.integer();
        case Storage::Int32:
            return keys_->data<int32_t>()[position] == key.integer();
        case Storage::Int64:
            return keys_->data<int64_t>()[position] == key.integer();
        case Storage::Float32:
        case Storage::Float64:
            return keys_->asDouble(position) == key.asDouble();
        default:
            return identical(keys_->at(position), key);
    }
}

// Returns the slot that holds the key, or the free one where it would go.
int64_t KeyIndex::slotOf(const Value& key) const {
    Probe probe(hashOf(key), slots_.size());
    while (slots_[probe.at()] != 0) {
        int32_t slot = slots_[probe.at()];
        if (slot != kErased && equalsAt(slot - 1, key)) break;
        probe.next();
    }
    return static_cast<int64_t>(probe.at());
}

// Returns whether the key is an integer of the index's range: no other can be found, and its conversion is exact.
bool KeyIndex::holdsInteger(const Value& key) const {
    if (!isIntegral(type_) || !key.isScalar() || !isIntegral(key.type()) || key.isNull()) return false;
    const int64_t most = INT64_MAX >> (64 - 8 * keys_->width());
    return key.integer() <= most && key.integer() >= -most;
}

template <class T>
static size_t slotOfItem(const T* elements, int64_t number, const std::vector<int32_t>& slots) {
    Probe probe(static_cast<uint64_t>(number), slots.size());
    for (int32_t slot = slots[probe.at()]; slot != 0; slot = slots[probe.at()]) {
        if (slot != kErased && elements[slot - 1] == number) break;
        probe.next();
    }
    return probe.at();
}

size_t KeyIndex::slotOfInteger(int64_t number) const {
    switch (keys_->width()) {
        case 1:
            return slotOfItem(keys_->data<int8_t>(), number, slots_);
        case 2:
            return slotOfItem(keys_->data<int16_t>(), number, slots_);
        case 4:
            return slotOfItem(keys_->data<int32_t>(), number, slots_);
        default:
            return slotOfItem(keys_->data<int64_t>(), number, slots_);
    }
}

void KeyIndex::rehash(size_t slots) {
    slots_.assign(slots, 0);
    erased_ = 0;
    for (int64_t p = 0; p < size(); ++p) {
        const auto at = static_cast<size_t>(p);
        Probe probe(at < stringDigests_.size() ? stringDigests_[at].hash() : hashAt(p), slots);
        while (slots_[probe.at()] != 0) probe.next();
        slots_[probe.at()] = static_cast<int32_t>(p + 1);
    }
}

static bool sameKind(Type index, const Value& key) {
    return index == key.type() || (isLiteral(index) && key.isString());
}

// Decimals are compared by their integers: a key of another scale is converted first.
bool KeyIndex::needsRescaling(const Value& key) const {
    return isDecimal(type_) && key.type() == type_ && key.extra() != keys_->scale();
}

static bool sameNumber(const Value& a, const Value& b) {
    const bool areReal = isFloating(a.type()) || isFloating(b.type());
    return areReal ? a.asDouble() == b.asDouble() : a.asLong() == b.asLong();
}

int64_t KeyIndex::find(const Value& key) const {
    if (holdsInteger(key)) return slots_[slotOfInteger(key.integer())] - 1;
    if (needsRescaling(key)) return size() == 0 ? -1 : find(cast(key, type_, keys_->scale()));
    if (!isTuple_ && !sameKind(type_, key)) {
        if (!key.isScalar() || !canCast(key.type(), type_)) return -1;
        const Value converted = cast(key, type_);
        // 1.5 equals none of the keys 1 and 2, nor does a LONG whose low half is 1.
        const bool isExact = !isNumeric(key.type()) || !isNumeric(type_) || key.isNull() || sameNumber(key, converted);
        return isExact && sameKind(type_, converted) ? find(converted) : -1;
    }
    return slots_[static_cast<size_t>(slotOf(key))] - 1;
}

int64_t KeyIndex::insert(const Value& key, bool* added) {
    const bool isWhole = holdsInteger(key);
    if (needsRescaling(key)) {
        if (size() > 0) return insert(cast(key, type_, keys_->scale()), added);
        keys_->setScale(key.extra());
    }
    if (!isWhole && !isTuple_ && !sameKind(type_, key)) {
        // A LONG beyond INT is no key among INTs: its low half is another one.
        const bool isWholeKey = isIntegral(key.type()) && isIntegral(type_);
        const Value converted = isWholeKey ? castFitting(key, type_) : cast(key, type_);
        if (sameKind(type_, converted)) return insert(converted, added);
        throw UserError(
            fmt::format("A key of type {} doesn't fit among keys of type {}.", typeName(key.type()), typeName(type_)));
    }
    const int64_t slot = isWhole ? static_cast<int64_t>(slotOfInteger(key.integer())) : slotOf(key);
    // Now and then: many built-ins insert one key after another.
    if ((slot & 63) == 0) checkCancelled();
    if (added) *added = slots_[static_cast<size_t>(slot)] == 0;
    if (slots_[static_cast<size_t>(slot)] != 0) return slots_[static_cast<size_t>(slot)] - 1;
    if (size() == INT32_MAX) throw SystemError("A dictionary or set cannot hold more than 2^31 keys.");
    if (isTuple_) {
        anyKeys_.push_back(key);
    } else {
        if (!keys_->unique()) keys_ = keys_->copy();
        keys_->append(key);
    }
    slots_[static_cast<size_t>(slot)] = static_cast<int32_t>(size());
    int64_t position = size() - 1;
    if (static_cast<size_t>(size() + erased_) * 2 > slots_.size()) {
        // Erased slots count; when they are many, rehashing at the same size is enough.
        rehash(static_cast<size_t>(size()) * 3 > slots_.size() ? slots_.size() * 2 : slots_.size());
    }
    return position;
}

int64_t KeyIndex::erase(const Value& key) {
    int64_t position = find(key);
    if (position < 0) return -1;
    int64_t last = size() - 1;
    stringDigests_.clear();
    const auto slotOfErased = static_cast<size_t>(slotOf(this->key(position)));
    const auto slotOfLast = static_cast<size_t>(slotOf(this->key(last)));
    slots_[slotOfLast] = static_cast<int32_t>(position + 1);
    slots_[slotOfErased] = kErased;
    ++erased_;
    if (isTuple_) {
        anyKeys_[static_cast<size_t>(position)] = anyKeys_.back();
        anyKeys_.pop_back();
    } else {
        if (!keys_->unique()) keys_ = keys_->copy();
        keys_->set(position, keys_->at(last));
        keys_->resize(last);
    }
    return position;
}

void KeyIndex::clear() {
    anyKeys_.clear();
    if (!isTuple_) keys_ = Vector::make(type_, 0, 8);
    slots_.assign(16, 0);
    erased_ = 0;
    stringDigests_.clear();
}

template <class T>
static void indexIntegers(const T* elements, int64_t count, Vector& keys, std::vector<int32_t>& slots,
                          int32_t* positions, bool insert) {
    auto grow = [&] {
        slots.assign(slots.size() * 2, 0);
        const T* known = keys.data<T>();
        for (int64_t p = 0; p < keys.size(); ++p) {
            Probe probe(static_cast<uint64_t>(int64_t{known[p]}), slots.size());
            while (slots[probe.at()] != 0) probe.next();
            slots[probe.at()] = static_cast<int32_t>(p + 1);
        }
    };
    const T* known = keys.data<T>();
    for (int64_t r = 0; r < count; ++r) {
        if (r % 65536 == 0) checkCancelled();
        Probe probe(static_cast<uint64_t>(int64_t{elements[r]}), slots.size());
        for (int32_t slot = slots[probe.at()]; slot != 0; slot = slots[probe.at()]) {
            if (slot != kErased && known[slot - 1] == elements[r]) break;
            probe.next();
        }
        const size_t i = probe.at();
        if (slots[i] == 0) {
            if (!insert) {
                positions[r] = -1;
                continue;
            }
            int64_t size = keys.size();
            keys.resize(size + 1);
            reinterpret_cast<T*>(const_cast<char*>(keys.raw()))[size] = elements[r];
            slots[i] = static_cast<int32_t>(size + 1);
            positions[r] = static_cast<int32_t>(size);
            if (static_cast<size_t>(size + 1) * 2 > slots.size()) {
                grow();
            }
            known = keys.data<T>();
        } else {
            positions[r] = slots[i] - 1;
        }
    }
}

bool KeyIndex::isStringAt(int64_t position, const StringDigest& digest, std::string_view string) const {
    const auto at = static_cast<size_t>(position);
    if (at >= stringDigests_.size()) return keys_->string(position) == string;
    return stringDigests_[at] == digest && (digest.isWhole() || keys_->string(position) == string);
}

// Returns the slot of a string, or the free one where it would go.
size_t KeyIndex::slotOfString(std::string_view string) const {
    const StringDigest digest = StringDigest::of(string);
    Probe probe(digest.hash(), slots_.size());
    for (int32_t slot = slots_[probe.at()]; slot != 0; slot = slots_[probe.at()]) {
        if (slot != kErased && isStringAt(slot - 1, digest, string)) break;
        probe.next();
    }
    return probe.at();
}

void KeyIndex::digestNewStrings() {
    for (auto p = static_cast<int64_t>(stringDigests_.size()); p < size(); ++p)
        stringDigests_.push_back(StringDigest::of(keys_->string(p)));
}

// Works in batches. The slot, the digest and the long string that a lookup reads are prefetched some strings ahead. New
// strings are appended together.
void KeyIndex::insertStrings(const Vector& keys, const StringDigest* digests, int32_t* positions) {
    constexpr int64_t kBatch = 256;
    constexpr int64_t kFar = 24, kNear = 12, kNext = 6;
    if (!keys_->unique()) keys_ = keys_->copy();
    if (sharesStrings_ && size() == 0 && keys.type() == type_) {
        keys_ = keys.slice(0, 0);
        keys_->reserve(8);
    }
    if (erased_ > 0) rehash(slots_.size());
    digestNewStrings();
    std::array<StringDigest, kBatch> own;
    std::array<uint64_t, kBatch> hashes;
    std::vector<int64_t> added;
    for (int64_t begin = 0; begin < keys.size(); begin += kBatch) {
        checkCancelled();
        const int64_t count = std::min(keys.size() - begin, kBatch);
        const StringDigest* const batch = digests ? digests + begin : own.data();
        for (int64_t i = 0; i < count; ++i) {
            if (!digests) own[static_cast<size_t>(i)] = StringDigest::of(keys.string(begin + i));
            hashes[static_cast<size_t>(i)] = batch[i].hash();
        }
        const int64_t before = size();
        added.clear();
        const auto toString = [&](int32_t position) {
            return position < before ? keys_->string(position)
                                     : keys.string(added[static_cast<size_t>(position - before)]);
        };
        const auto firstSlot = [&](int64_t i) -> int32_t& {
            return slots_[hashes[static_cast<size_t>(i)] & (slots_.size() - 1)];
        };
        try {
            for (int64_t i = 0; i < count; ++i) {
                if (i + kFar < count) {
                    __builtin_prefetch(&firstSlot(i + kFar));
                    if (digests && !batch[i + kFar].isWhole()) __builtin_prefetch(keys.string(begin + i + kFar).data());
                }
                if (i + kNear < count && firstSlot(i + kNear) > 0)
                    __builtin_prefetch(&stringDigests_[static_cast<size_t>(firstSlot(i + kNear) - 1)]);
                if (i + kNext < count && !batch[i + kNext].isWhole() && firstSlot(i + kNext) > 0) {
                    const int32_t likely = firstSlot(i + kNext) - 1;
                    if (stringDigests_[static_cast<size_t>(likely)] == batch[i + kNext])
                        __builtin_prefetch(toString(likely).data());
                }
                const StringDigest& digest = batch[i];
                Probe probe(hashes[static_cast<size_t>(i)], slots_.size());
                int32_t position = -1;
                for (int32_t slot = slots_[probe.at()]; slot != 0; slot = slots_[probe.at()]) {
                    if (stringDigests_[static_cast<size_t>(slot - 1)] == digest &&
                        (digest.isWhole() || toString(slot - 1) == keys.string(begin + i))) {
                        position = slot - 1;
                        break;
                    }
                    probe.next();
                }
                if (position < 0) {
                    if (stringDigests_.size() == INT32_MAX)
                        throw SystemError("A dictionary or set cannot hold more than 2^31 keys.");
                    position = static_cast<int32_t>(stringDigests_.size());
                    added.push_back(begin + i);
                    stringDigests_.push_back(digest);
                    slots_[probe.at()] = position + 1;
                    if (stringDigests_.size() * 2 > slots_.size()) placeStrings(slots_.size() * 2);
                }
                positions[begin + i] = position;
            }
            const auto more = static_cast<int64_t>(added.size());
            if (more > 0) keys_->append(*keys.gather(added.data(), more), 0, more);
        } catch (...) {
            // Slots must not refer to strings that were not added.
            stringDigests_.resize(static_cast<size_t>(size()));
            rehash(slots_.size());
            throw;
        }
    }
}

// Fills the slots of all strings whose digests are known, those that are still to be appended included.
void KeyIndex::placeStrings(size_t slots) {
    slots_.assign(slots, 0);
    for (size_t p = 0; p < stringDigests_.size(); ++p) {
        Probe probe(stringDigests_[p].hash(), slots);
        while (slots_[probe.at()] != 0) probe.next();
        slots_[probe.at()] = static_cast<int32_t>(p + 1);
    }
}

// Writes for each row of symbols the place that was found for its symbol.
static void spread(const DistinctSymbols& symbols, const std::vector<int32_t>& places, int32_t* positions) {
    for (const int32_t element : symbols.positions) *positions++ = places[static_cast<size_t>(element)];
}

void KeyIndex::insertAll(const Vector& keys, int32_t* positions, const StringDigest* digests) {
    if (isDecimal(type_) && size() == 0) keys_->setScale(keys.scale());
    if (!isTuple_ && keys.type() == type_ && type_ != Type::Symbol && keys.scale() == keys_->scale()) {
        if (!keys_->unique()) keys_ = keys_->copy();
        if (erased_ > 0) rehash(slots_.size());
        switch (storageOf(type_)) {
            case Storage::Int8:
                return indexIntegers(keys.data<int8_t>(), keys.size(), *keys_, slots_, positions, true);
            case Storage::Int16:
                return indexIntegers(keys.data<int16_t>(), keys.size(), *keys_, slots_, positions, true);
            case Storage::Int32:
                return indexIntegers(keys.data<int32_t>(), keys.size(), *keys_, slots_, positions, true);
            case Storage::Int64:
                return indexIntegers(keys.data<int64_t>(), keys.size(), *keys_, slots_, positions, true);
            default:
                break;
        }
    }
    if (!isTuple_ && storageOf(type_) == Storage::String && isLiteral(keys.type())) {
        insertStrings(keys, digests, positions);
        return;
    }
    // The position of a symbol's string is found once for each symbol.
    if (const auto symbols = keys.type() == Type::Symbol ? distinctSymbols(keys) : std::nullopt) {
        std::vector<int32_t> places(static_cast<size_t>(symbols->elements->size()));
        insertAll(*symbols->elements, places.data());
        return spread(*symbols, places, positions);
    }
    for (int64_t i = 0; i < keys.size(); ++i) {
        if (i % 65536 == 0) checkCancelled();
        positions[i] = static_cast<int32_t>(insert(keys.at(i)));
    }
}

void KeyIndex::findAll(const Vector& keys, int32_t* positions) const {
    if (!isTuple_ && keys.type() == type_ && type_ != Type::Symbol && keys.scale() == keys_->scale()) {
        auto& mutableSlots = const_cast<std::vector<int32_t>&>(slots_);
        switch (storageOf(type_)) {
            case Storage::Int8:
                return indexIntegers(keys.data<int8_t>(), keys.size(), *keys_, mutableSlots, positions, false);
            case Storage::Int16:
                return indexIntegers(keys.data<int16_t>(), keys.size(), *keys_, mutableSlots, positions, false);
            case Storage::Int32:
                return indexIntegers(keys.data<int32_t>(), keys.size(), *keys_, mutableSlots, positions, false);
            case Storage::Int64:
                return indexIntegers(keys.data<int64_t>(), keys.size(), *keys_, mutableSlots, positions, false);
            default:
                break;
        }
    }
    if (!isTuple_ && storageOf(type_) == Storage::String && isLiteral(keys.type())) {
        inPieces(keys.size(), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) positions[i] = slots_[slotOfString(keys.string(i))] - 1;
        });
        return;
    }
    if (const auto symbols = keys.type() == Type::Symbol ? distinctSymbols(keys) : std::nullopt) {
        std::vector<int32_t> places(static_cast<size_t>(symbols->elements->size()));
        findAll(*symbols->elements, places.data());
        return spread(*symbols, places, positions);
    }
    for (int64_t i = 0; i < keys.size(); ++i) {
        if (i % 65536 == 0) checkCancelled();
        positions[i] = static_cast<int32_t>(find(keys.at(i)));
    }
}

}  // namespace pelorus
