#include "storage/codec/byte_planes.h"

#include <catch2/catch.hpp>
#include <random>

#include "common/error.h"

using namespace pelorus;

namespace {

std::vector<uint64_t> drawn(int bits, size_t count) {
    std::mt19937_64 random(static_cast<uint64_t>(bits));
    std::vector<uint64_t> numbers(count);
    for (uint64_t& number : numbers) number = random() & ((uint64_t{1} << bits) - 1);
    if (bits > 0) numbers[0] = uint64_t{1} << (bits - 1);
    return numbers;
}

template <class Number>
std::vector<uint64_t> readBack(std::string_view bytes, size_t count, int step) {
    ByteReader reader(bytes);
    codec::PlaneReader planes;
    planes.open(reader, static_cast<int64_t>(count));
    CHECK(reader.atEnd());
    std::vector<Number> numbers(count);
    for (size_t at = 0; at < count; at += static_cast<size_t>(step))
        planes.next(numbers.data() + at, static_cast<int>(std::min<size_t>(static_cast<size_t>(step), count - at)));
    return {numbers.begin(), numbers.end()};
}

}  // namespace

TEST_CASE("numbers of up to 32 bits come back, in pieces of any size") {
    for (const int bits : {0, 1, 8, 9, 16, 17, 24, 32}) {
        const std::vector<uint64_t> numbers = drawn(bits, 1000);
        std::string bytes;
        REQUIRE(codec::encodePlanes(numbers, bytes));
        for (const int step : {1, 7, 1000}) {
            CHECK(readBack<uint32_t>(bytes, numbers.size(), step) == numbers);
            CHECK(readBack<uint64_t>(bytes, numbers.size(), step) == numbers);
        }
    }
}

TEST_CASE("a number that needs more bits is not taken, and nothing is appended") {
    std::string bytes = "before";
    CHECK(!codec::encodePlanes(std::vector<uint64_t>{1, uint64_t{1} << 32}, bytes));
    CHECK(bytes == "before");
}

TEST_CASE("skewed numbers take fewer bytes than their largest one would ask for") {
    std::vector<uint64_t> numbers(10'000, 3);
    numbers[77] = 1'000'000;
    std::string bytes;
    REQUIRE(codec::encodePlanes(numbers, bytes));
    CHECK(bytes.size() < 500);
}

TEST_CASE("bytes that are damaged are an error, and are not read beyond") {
    std::string bytes;
    REQUIRE(codec::encodePlanes(drawn(16, 100), bytes));
    const auto opens = [](std::string_view damaged, int64_t count) {
        ByteReader reader(damaged);
        codec::PlaneReader().open(reader, count);
    };
    CHECK_NOTHROW(opens(bytes, 100));
    CHECK_THROWS_AS(opens(bytes, 99), SystemError);
    CHECK_THROWS_AS(opens(bytes, 101), SystemError);
    for (size_t length = 0; length < bytes.size(); ++length)
        CHECK_THROWS_AS(opens(bytes.substr(0, length), 100), SystemError);
    for (const char count : {'\0', '\5', '\xff'}) {
        std::string other = bytes;
        other[0] = count;
        CHECK_THROWS_WITH(opens(other, 100), "a number of byte planes is wrong");
    }
}
