#include "common/thread/cancellable_sort.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "common/error.h"

using namespace pelorus;

namespace {

std::vector<uint32_t> mixed(size_t count) {
    std::vector<uint32_t> numbers(count);
    uint32_t number = 1;
    for (uint32_t& each : numbers) each = number = number * 1664525 + 1013904223;
    return numbers;
}

}  // namespace

TEST_CASE("a cancellable sort sorts as the usual one does, by any order") {
    for (const size_t count : {0, 1, 2, 17, 100'000}) {
        std::vector<uint32_t> numbers = mixed(count), expected = numbers;
        sortCancellably(numbers);
        std::sort(expected.begin(), expected.end());
        CHECK(numbers == expected);
        sortCancellably(numbers, std::greater<>());
        CHECK(std::is_sorted(numbers.rbegin(), numbers.rend()));
    }
}

TEST_CASE("a cancellable sort ends when its request is cancelled, and keeps all elements") {
    std::vector<uint32_t> numbers = mixed(1'000'000), expected = numbers;
    const CancellationFlag isCancelled{true};
    {
        const CancellationScope scope(&isCancelled);
        CHECK_THROWS_AS(sortCancellably(numbers), UserError);
    }
    CHECK_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
    std::sort(numbers.begin(), numbers.end());
    std::sort(expected.begin(), expected.end());
    CHECK(numbers == expected);
}
