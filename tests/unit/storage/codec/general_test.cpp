#include "storage/codec/general.h"

#include <catch2/catch.hpp>
#include <random>

#include "common/error.h"

using namespace pelorus;
using codec::Compression;

namespace {

std::string drawnBytes(size_t size) {
    std::mt19937 random(5);
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
}

// Doubles of nearly the same exponent.
std::string prices(int count) {
    std::mt19937 random(6);
    std::string bytes;
    for (int i = 0; i < count; ++i) {
        const double price = 100 + static_cast<double>(random() % 100'000) / 7;
        bytes.append(reinterpret_cast<const char*>(&price), sizeof price);
    }
    return bytes;
}

std::string compressed(const std::string& elements, int width, Compression compression) {
    std::string bytes;
    codec::compress(elements, width, bytes, compression);
    return bytes;
}

std::string decompressed(std::string_view bytes, size_t size) {
    std::string elements(size, '?');
    codec::decompress(bytes, elements.data(), size);
    return elements;
}

}  // namespace

TEST_CASE("bytes come back, whatever they are and however they are compressed") {
    for (const std::string& elements :
         {std::string(), std::string("12345678"), std::string(8000, 'a'), drawnBytes(8000), prices(3000)}) {
        for (const int width : {1, 2, 8}) {
            for (const Compression compression : {Compression::Lz4, Compression::Zstd}) {
                const std::string bytes = compressed(elements, width, compression);
                CHECK(decompressed(bytes, elements.size()) == elements);
                CHECK(bytes.size() <= elements.size() + 1);
            }
        }
    }
}

TEST_CASE("what repeats is compressed, and planes help where the high bytes of numbers repeat") {
    CHECK(compressed(std::string(8000, 'a'), 1, Compression::Lz4).size() < 100);
    // Numbers that count on: their high bytes are alike, which only planes bring together.
    std::string counted;
    for (int64_t i = 0; i < 2000; ++i) counted.append(reinterpret_cast<const char*>(&i), sizeof i);
    CHECK(compressed(counted, 8, Compression::Lz4).size() * 2 < compressed(counted, 1, Compression::Lz4).size());
    // Stored: one byte of the method and the bytes.
    CHECK(compressed(drawnBytes(1000), 1, Compression::Lz4).size() == 1001);
}

TEST_CASE("bytes that are damaged are an error") {
    const std::string elements = prices(100), bytes = compressed(elements, 8, Compression::Zstd);
    CHECK_THROWS_AS(decompressed("", 8), SystemError);
    CHECK_THROWS_AS(decompressed(bytes, elements.size() - 8), SystemError);
    CHECK_THROWS_AS(decompressed(bytes, elements.size() + 8), SystemError);
    for (size_t length = 0; length < bytes.size(); ++length)
        CHECK_THROWS_AS(decompressed(bytes.substr(0, length), elements.size()), SystemError);
    // A method of a later version, and planes of no width.
    CHECK_THROWS_WITH(decompressed(std::string("\x09\x08xxxx"), 8), "a compression method is unknown");
    CHECK_THROWS_AS(decompressed(std::string("\x02\x00xxxx", 6), 8), SystemError);
    CHECK_THROWS_AS(decompressed(std::string("\x02\x03xxxx", 6), 8), SystemError);
}

TEST_CASE("a frame of zstd holds exactly what it was made of") {
    const std::string packed = codec::zstd("some bytes");
    std::string target(10, '\0');
    codec::unzstd(packed, target.data(), target.size());
    CHECK(target == "some bytes");
    CHECK_THROWS_WITH(codec::unzstd(packed, target.data(), 9), "compressed bytes are malformed");
    CHECK_THROWS_AS(codec::unzstd("no frame", target.data(), 10), SystemError);
}
