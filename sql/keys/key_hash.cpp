#include "sql/keys/key_hash.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "common/check.h"
#include "runtime/value/string_digest.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 32);
}

template <class T>
void mixItems(const Vector& items, int64_t rows, uint64_t* hashes) {
    const T* x = items.data<T>();
    for (int64_t i = 0; i < rows; ++i) {
        uint64_t word = 0;
        T item = x[i];
        if constexpr (std::is_floating_point_v<T>) item += T{0};  // -0.0 is 0.0
        std::memcpy(&word, &item, sizeof item);
        hashes[i] = mixed(hashes[i], word);
    }
}

}  // namespace

void mixKey(const Value& key, int64_t rows, uint64_t* hashes) {
    if (key.isScalar()) {
        // Hashed like a vector with the value in each row: the grouping has such a vector later.
        if (storageOf(key.type()) == Storage::None) return;
        return mixKey(Value::of(Vector::filled(key.type(), rows, key)), rows, hashes);
    }
    const Vector& items = key.vector();
    CHECK(items.size() >= rows) << "a key has a value for each row";
    switch (storageOf(items.type())) {
        case Storage::String:
            for (int64_t i = 0; i < rows; ++i) hashes[i] = mixed(hashes[i], StringDigest::of(items.string(i)).hash());
            return;
        case Storage::Float32:
            return mixItems<float>(items, rows, hashes);
        case Storage::Float64:
            return mixItems<double>(items, rows, hashes);
        default:
            break;
    }
    switch (items.width()) {
        case 1:
            return mixItems<int8_t>(items, rows, hashes);
        case 2:
            return mixItems<int16_t>(items, rows, hashes);
        case 4:
            return mixItems<int32_t>(items, rows, hashes);
        case 8:
            return mixItems<int64_t>(items, rows, hashes);
        default:
            for (int64_t i = 0; i < rows; ++i) {
                std::array<uint64_t, 2> words;
                std::memcpy(words.data(), items.raw() + i * 16, 16);
                hashes[i] = mixed(mixed(hashes[i], words[0]), words[1]);
            }
    }
}

Value digestsOf(const Value& key) {
    if (!key.isTypedVector() || storageOf(key.type()) != Storage::String) return {};
    const Vector& strings = key.vector();
    Ref<Vector> digests = Vector::make(Type::Int128, strings.size());
    auto* const to = digests->mutableData<StringDigest>();
    for (int64_t i = 0; i < strings.size(); ++i) to[i] = StringDigest::of(strings.string(i));
    return Value::of(std::move(digests));
}

void mixDigests(const Value& digests, uint64_t* hashes) {
    const auto* const items = digests.vector().data<StringDigest>();
    for (int64_t i = 0; i < digests.size(); ++i) hashes[i] = mixed(hashes[i], items[i].hash());
}

}  // namespace pelorus
