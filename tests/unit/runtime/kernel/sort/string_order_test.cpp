// The order of strings by words is that of a stable sort by their bytes, whatever they have in common.
#include "runtime/kernel/sort/string_order.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace pelorus;

namespace {

struct Shape {
    const char* name;
    std::function<std::string(std::mt19937&)> make;
};

std::string digits(uint64_t number, size_t width) {
    std::string string = std::to_string(number);
    return std::string(width > string.size() ? width - string.size() : 0, '0') + string;
}

const Shape kShapes[] = {
    {"short behind what is common", [](std::mt19937& r) { return "id0" + digits(r() % 100'000, 5); }},
    {"short and empty", [](std::mt19937& r) { return r() % 3 == 0 ? "" : "sym" + std::to_string(r() % 50); }},
    {"what is common alone, and empty",
     [](std::mt19937& r) { return r() % 2 == 0 ? "" : "prefix" + std::string(r() % 3, 'x'); }},
    {"few long ones", [](std::mt19937& r) { return "a name of many words, number " + std::to_string(r() % 300); }},
    {"many long ones", [](std::mt19937& r) { return "customer " + digits(r(), 12) + " of " + digits(r() % 7, 3); }},
    {"ties of many bytes",
     [](std::mt19937& r) { return std::string(40 * (r() % 3), 'q') + digits(r() % 5'000, 9) + "tail"; }},
    {"equal but for the last byte",
     [](std::mt19937& r) { return std::string(100, 'z') + static_cast<char>('a' + r() % 4) + std::string(9, 'y'); }},
    {"zeros at the end", [](std::mt19937& r) { return std::string(r() % 4, 'a') + std::string(r() % 12, '\0'); }},
    {"any bytes",
     [](std::mt19937& r) {
         std::string string(r() % 20, ' ');
         for (char& c : string) c = static_cast<char>(r() % 256);
         return string;
     }},
    {"all equal", [](std::mt19937&) { return std::string("the same text in each of the rows"); }},
    {"all empty", [](std::mt19937&) { return std::string(); }},
};

}  // namespace

TEST_CASE("strings are ordered as by comparisons of their bytes, equal ones by position") {
    std::mt19937 random(7);
    for (const Shape& shape : kShapes) {
        for (const int64_t rows : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{1000}, int64_t{150'000}}) {
            INFO(shape.name << ", " << rows << " rows");
            const Ref<Vector> strings = Vector::make(Type::String, rows);
            for (int64_t i = 0; i < rows; ++i) strings->setString(i, shape.make(random));
            std::vector<int32_t> expected(static_cast<size_t>(rows));
            std::iota(expected.begin(), expected.end(), 0);
            std::ranges::stable_sort(expected,
                                     [&](int32_t a, int32_t b) { return strings->string(a) < strings->string(b); });
            CHECK(stringOrder(*strings) == expected);
            const std::vector<uint64_t> words = stringWords(*strings);
            REQUIRE(std::ssize(words) == rows);
            bool areRight = true;
            for (size_t i = 0; i < expected.size(); ++i) {
                const std::string_view string = strings->string(expected[i]);
                const uint64_t word = words[static_cast<size_t>(expected[i])];
                areRight &= (word == 0) == string.empty();
                if (i == 0) continue;
                const uint64_t before = words[static_cast<size_t>(expected[i - 1])];
                areRight &= string == strings->string(expected[i - 1]) ? word == before : before < word;
            }
            CHECK(areRight);
        }
    }
}
