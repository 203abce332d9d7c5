#include <catch2/catch.hpp>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "common/error.h"
#include "storage/codec/block_codec.h"

using namespace pelorus;

namespace {

template <class T>
constexpr Storage storageFor() {
    if constexpr (std::is_same_v<T, int8_t>) return Storage::Int8;
    if constexpr (std::is_same_v<T, int16_t>) return Storage::Int16;
    if constexpr (std::is_same_v<T, int32_t>) return Storage::Int32;
    if constexpr (std::is_same_v<T, int64_t>) return Storage::Int64;
    if constexpr (std::is_same_v<T, float>) return Storage::Float32;
    if constexpr (std::is_same_v<T, double>) return Storage::Float64;
}

// Encodes, decodes, and compares bit by bit; returns the encoded size.
template <class T>
size_t roundTrip(const std::vector<T>& elements) {
    std::string bytes;
    codec::encodeBlock(storageFor<T>(), elements.data(), static_cast<int64_t>(elements.size()), bytes);
    std::vector<T> decoded(elements.size());
    codec::decodeBlock(storageFor<T>(), bytes, static_cast<int64_t>(elements.size()), decoded.data());
    REQUIRE(std::memcmp(elements.data(), decoded.data(), elements.size() * sizeof(T)) == 0);
    return bytes.size();
}

const std::vector<size_t> kSizes = {1, 2, 31, 32, 33, 1000, 1023, 1024, 1025, 5000, 65536};

}  // namespace

TEMPLATE_TEST_CASE("integers of every width come back, whatever they are", "", int8_t, int16_t, int32_t, int64_t) {
    using T = TestType;
    std::mt19937_64 random(2);
    constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    for (const size_t n : kSizes) {
        std::vector<T> elements(n);
        const auto fill = [&](auto&& f) {
            for (size_t i = 0; i < n; ++i) elements[i] = static_cast<T>(f(i));
            roundTrip(elements);
        };
        fill([&](size_t) { return 7; });
        fill([&](size_t) { return least; });
        fill([&](size_t i) { return i; });
        fill([&](size_t i) { return most - static_cast<T>(i); });
        fill([&](size_t i) { return i / 100; });
        fill([&](size_t) { return random(); });
        fill([&](size_t) { return random() % 10; });
        fill([&](size_t) { return random() % 50 == 0 ? least : static_cast<T>(random() % 100); });
        fill([&](size_t) { return random() % 100 == 0 ? random() : random() % 4; });
        fill([&](size_t i) { return i % 2 == 0 ? least : most; });
        fill([&](size_t i) { return i % 3 == 0 ? least + 1 : least; });
    }
}

TEMPLATE_TEST_CASE("floating-point numbers come back bit by bit, whatever they are", "", float, double) {
    using T = TestType;
    std::mt19937_64 random(3);
    const std::vector<T> special = {T(0.0),
                                    T(-0.0),
                                    std::numeric_limits<T>::quiet_NaN(),
                                    std::numeric_limits<T>::infinity(),
                                    -std::numeric_limits<T>::infinity(),
                                    null<T>,
                                    std::numeric_limits<T>::max(),
                                    std::numeric_limits<T>::denorm_min(),
                                    T(0.1),
                                    T(1e15),
                                    T(-123.45),
                                    T(1) / 3};
    for (const size_t n : kSizes) {
        std::vector<T> elements(n);
        const auto fill = [&](auto&& f) {
            for (size_t i = 0; i < n; ++i) elements[i] = f(i);
            roundTrip(elements);
        };
        fill([&](size_t) { return null<T>; });
        fill([&](size_t i) { return special[i % special.size()]; });
        fill([&](size_t) { return static_cast<T>(static_cast<double>(random() % 1000000) / 100); });
        fill([&](size_t) {
            return random() % 50 == 0 ? null<T> : static_cast<T>(static_cast<double>(random() % 10000) / 100);
        });
        fill([&](size_t) { return random() % 50 == 0 ? special[random() % 12] : static_cast<T>(random() % 1000); });
        fill([&](size_t) { return static_cast<T>(static_cast<double>(random()) / 7e15); });
        fill([&](size_t) { return static_cast<T>(-static_cast<double>(random() % 100)); });
        fill([&](size_t) { return static_cast<T>(static_cast<double>(random() % 1000000000000) / 10000); });
        fill([&](size_t) {
            T x;
            const uint64_t bits = random();
            std::memcpy(&x, &bits, sizeof x);
            return x;
        });
    }
}

TEST_CASE("quotes take few bytes a row") {
    std::mt19937_64 random(4);
    std::vector<int32_t> dates(65536, 13726), symbols, times;
    std::vector<double> bids, ofrs;
    int price = 3000;
    for (int i = 0; i < 65536; ++i) {
        symbols.push_back(i / 250);
        times.push_back(i % 250 == 0 ? 34200 : times.back() + static_cast<int>(random() % 3));
        const auto step = random() % 10;
        price += step == 0 ? 1 : step == 1 ? -1 : 0;
        bids.push_back(price / 100.0);
        ofrs.push_back((price + 1 + static_cast<int>(random() % 3)) / 100.0);
    }
    const size_t total = roundTrip(dates) + roundTrip(symbols) + roundTrip(times) + roundTrip(bids) + roundTrip(ofrs);
    REQUIRE(static_cast<double>(total) / 65536 < 2);
}

TEST_CASE("16-byte items and texts come back") {
    std::mt19937_64 random(5);
    for (const size_t n : kSizes) {
        std::string elements(n * 16, '\0');
        for (char& c : elements) c = static_cast<char>(random() % 3);
        std::string bytes, decoded(elements.size(), '\0');
        codec::encodeBlock(Storage::Bytes16, elements.data(), static_cast<int64_t>(n), bytes);
        codec::decodeBlock(Storage::Bytes16, bytes, static_cast<int64_t>(n), decoded.data());
        REQUIRE(elements == decoded);

        std::vector<std::string> strings(n);
        for (std::string& string : strings) string.assign(random() % 20, static_cast<char>('a' + random() % 26));
        const std::vector<std::string_view> views(strings.begin(), strings.end());
        std::vector<std::string_view> back;
        std::string stringBytes, buffer;
        codec::encodeStringBlock(views, stringBytes);
        codec::decodeStringBlock(stringBytes, static_cast<int64_t>(n), back, buffer);
        REQUIRE(back == views);
    }
}

TEST_CASE("damaged blocks are an error or wrong values, never a crash") {
    std::mt19937_64 random(6);
    std::vector<int64_t> elements(3000);
    for (int64_t& x : elements) x = static_cast<int64_t>(random() % 30 == 0 ? random() : random() % 100);
    std::vector<double> numbers(3000);
    for (double& x : numbers) x = static_cast<double>(random() % 5000) / 100;
    std::string integerBytes, doubleBytes;
    codec::encodeBlock(Storage::Int64, elements.data(), 3000, integerBytes);
    codec::encodeBlock(Storage::Float64, numbers.data(), 3000, doubleBytes);
    int errors = 0;
    for (int round = 0; round < 3000; ++round) {
        for (const auto& [storage, good] :
             {std::pair{Storage::Int64, &integerBytes}, {Storage::Float64, &doubleBytes}}) {
            std::string bytes = *good;
            if (round % 2 == 0)
                bytes.resize(random() % bytes.size());
            else
                for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
            std::vector<int64_t> target(3000);
            try {
                codec::decodeBlock(storage, bytes, 3000, target.data());
            } catch (const SystemError&) {
                ++errors;
            }
        }
    }
    REQUIRE(errors > 2000);
}

namespace {

const std::vector<codec::Compression> kCompressions = {codec::Compression::Lz4, codec::Compression::Zstd,
                                                       codec::Compression::Delta, codec::Compression::Chimp};

template <class T>
std::string encoded(const std::vector<T>& elements, codec::Compression compression) {
    std::string bytes;
    codec::encodeBlock(storageFor<T>(), elements.data(), static_cast<int64_t>(elements.size()), bytes, compression);
    return bytes;
}

template <class T>
std::vector<T> decoded(const std::string& bytes, size_t n) {
    std::vector<T> elements(n);
    codec::decodeBlock(storageFor<T>(), bytes, static_cast<int64_t>(n), elements.data());
    return elements;
}

}  // namespace

// The method changes the bytes, never what is read back.
TEMPLATE_TEST_CASE("every compression method gives the same numbers back", "", int8_t, int16_t, int32_t, int64_t) {
    using T = TestType;
    std::mt19937_64 random(7);
    std::geometric_distribution<int> skewed(0.4);
    for (const size_t n : kSizes) {
        std::vector<T> letters(n), walk(n), noise(n), gaps(n);
        T at = 0;
        for (size_t i = 0; i < n; ++i) {
            const int letter = 65 + skewed(random);
            letters[i] = static_cast<T>(letter);
            at = static_cast<T>(at + static_cast<T>(skewed(random)));
            at = static_cast<T>(at - static_cast<T>(skewed(random)));
            walk[i] = at;
            noise[i] = static_cast<T>(random());
            gaps[i] = i % 7 == 3 ? null<T> : letters[i];
        }
        for (const auto& elements : {letters, walk, noise, gaps}) {
            for (const codec::Compression compression : kCompressions)
                REQUIRE(decoded<T>(encoded(elements, compression), n) == elements);
        }
    }
}

TEST_CASE("skewed letters are entropy-coded and take less than their packed bits") {
    std::mt19937_64 random(8);
    std::geometric_distribution<int> skewed(0.5);
    std::vector<int8_t> letters(65536);
    for (int8_t& letter : letters) letter = static_cast<int8_t>('A' + std::min(skewed(random), 15));
    // 16 letters are 4 bits packed, and 2 bits of information.
    REQUIRE(roundTrip(letters) < letters.size() * 7 / 20);
}

TEST_CASE("texts come back from zstd, also those that pack better than any bound allows") {
    for (const size_t length : {10, 1000}) {
        std::vector<std::string> strings;
        for (int i = 0; i < 2000; ++i)
            strings.push_back(std::string(length, 'x') + (length == 10 ? std::to_string(i) : ""));
        const std::vector<std::string_view> elements(strings.begin(), strings.end());
        std::string bytes, buffer;
        codec::encodeStringBlock(elements, bytes, codec::Compression::Zstd);
        std::vector<std::string_view> back;
        codec::decodeStringBlock(bytes, 2000, back, buffer);
        REQUIRE(back == elements);
    }
}

TEST_CASE("damaged byte planes are an error") {
    std::mt19937_64 random(9);
    std::geometric_distribution<int> skewed(0.5);
    std::vector<int32_t> sizes(5000);
    for (int32_t& size : sizes) size = 1 + skewed(random);
    const std::string bytes = encoded(sizes, codec::Compression::Zstd);
    for (size_t i = 0; i < std::min<size_t>(bytes.size(), 400); ++i) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
        try {
            decoded<int32_t>(damaged, sizes.size());
        } catch (const SystemError&) {
        }
    }
    for (size_t cut = 0; cut < bytes.size(); cut += 97)
        REQUIRE_THROWS_AS(decoded<int32_t>(bytes.substr(0, cut), 5000), SystemError);
}
