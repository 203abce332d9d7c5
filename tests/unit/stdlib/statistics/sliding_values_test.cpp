// Windows that slide have what each window by itself has.
#include "stdlib/statistics/sliding_values.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "runtime/value/vector.h"
#include "stdlib/statistics/quantile.h"

using namespace pelorus;

namespace {

struct Windows {
    std::vector<int32_t> begins, ends;
};

// Windows that only move on, empty ones among them, with gaps between some.
Windows drawn(int32_t rows, std::mt19937& random) {
    Windows windows;
    int32_t begin = 0, end = 0;
    for (int n = 0; n < 60; ++n) {
        if (random() % 7 == 0) {
            windows.begins.push_back(0);
            windows.ends.push_back(0);
            continue;
        }
        begin = std::min<int32_t>(rows - 1, begin + static_cast<int32_t>(random() % 5));
        end = std::min<int32_t>(rows, std::max(begin + 1, end + static_cast<int32_t>(random() % 6)));
        windows.begins.push_back(begin);
        windows.ends.push_back(end);
    }
    return windows;
}

}  // namespace

TEST_CASE("medians and distinct counts of windows are those of each by itself") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    for (int n = 0; n < 300; ++n) {
        const auto rows = static_cast<int32_t>(1 + random() % 150);
        std::vector<double> elements;
        std::vector<int32_t> numbers;
        for (int32_t i = 0; i < rows; ++i) {
            const auto number = static_cast<int32_t>(random() % 13);
            numbers.push_back(number);
            const double x = number == 12 ? std::numeric_limits<double>::infinity() : number / 3.0 - 1;
            elements.push_back(number == 0 ? null<double> : x);
        }
        const Windows windows = drawn(rows, random);
        const Value medians = slidingMedians(elements, windows.begins, windows.ends);
        const Value counts = slidingDistinctCounts(numbers, 13, windows.begins, windows.ends);
        REQUIRE(medians.size() == std::ssize(windows.begins));
        for (size_t i = 0; i < windows.begins.size(); ++i) {
            std::vector<double> own;
            std::set<int32_t> kinds;
            for (auto row = static_cast<size_t>(windows.begins[i]); row < static_cast<size_t>(windows.ends[i]); ++row) {
                if (!isNull(elements[row])) own.push_back(elements[row]);
                kinds.insert(numbers[row]);
            }
            const double wanted = quantileOf(own, 0.5, Interpolation::Linear);
            const double got = medians.vector().data<double>()[i];
            // Between the infinities of a window there is no middle.
            CHECK((got == wanted || (std::isnan(got) && std::isnan(wanted))));
            CHECK(counts.vector().data<int32_t>()[i] == static_cast<int32_t>(kinds.size()));
        }
    }
}

TEST_CASE("windows that go back, and elements whose place is not theirs alone, need another way") {
    const std::vector<double> plain = {1, 2, 3}, nan = {1, std::nan(""), 3}, zero = {1, -0.0, 3};
    CHECK(slidingMedians(plain, std::vector{1, 0}, std::vector{3, 3}).isVoid());
    CHECK(slidingMedians(plain, std::vector{0, 0}, std::vector{3, 2}).isVoid());
    CHECK(slidingMedians(nan, std::vector{0}, std::vector{3}).isVoid());
    CHECK(slidingMedians(zero, std::vector{0}, std::vector{3}).isVoid());
    CHECK(slidingMedians({}, {}, {}).size() == 0);
    CHECK(slidingDistinctCounts(std::vector{0, 1}, 2, std::vector{1, 0}, std::vector{2, 2}).isVoid());
}
