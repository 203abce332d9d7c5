// Extremes found in lanes equal those of a loop from the first value to the last, to the bit.
#include "runtime/kernel/aggregate/lane_extremes.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "common/type_table.h"

using namespace pelorus;

namespace {

template <class T>
T walked(const std::vector<T>& elements, bool least) {
    const T* chosen = nullptr;
    for (const T& x : elements) {
        if (x == null<T>) continue;
        if (!chosen || (least ? x < *chosen : *chosen < x)) chosen = &x;
    }
    return chosen ? *chosen : null<T>;
}

template <class T>
T drawn(std::mt19937& random, int kind) {
    static const std::vector<T> edges = [] {
        using Limits = std::numeric_limits<T>;
        std::vector<T> all = {null<T>, T{0}, T{1}, Limits::max(), Limits::lowest()};
        if constexpr (std::is_floating_point_v<T>)
            all.insert(all.end(), {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), T(-0.0)});
        return all;
    }();
    if (kind == 0) return null<T>;
    if (kind == 1) return edges[random() % edges.size()];
    if (kind == 2) return random() % 2 ? T(0) : std::is_floating_point_v<T> ? T(-0.0) : null<T>;
    return random() % 50 == 0 && kind == 3 ? edges[random() % edges.size()] : static_cast<T>(random() % 2000) - T{50};
}

template <class T>
bool isSame(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
    return a == b;
}

template <class T>
int differences(std::mt19937& random) {
    int found = 0;
    for (int round = 0; round < 1500; ++round) {
        const int kind = static_cast<int>(random() % 5);
        std::vector<T> elements(random() % (round % 10 == 0 ? 3000 : 300));
        for (T& element : elements) element = drawn<T>(random, kind);
        const auto count = static_cast<int64_t>(elements.size());
        const T least = extremeOf<Extreme::Least>(elements.data(), count),
                most = extremeOf<Extreme::Greatest>(elements.data(), count);
        const T wantedLeast = walked(elements, true), wantedMost = walked(elements, false);
        found += !isSame(least, wantedLeast);
        found += !isSame(most, wantedMost);
    }
    return found;
}

}  // namespace

TEST_CASE("extremes in lanes are those of a walk over the items") {
    std::mt19937 random(std::random_device{}());
    CHECK(differences<int8_t>(random) == 0);
    CHECK(differences<int16_t>(random) == 0);
    CHECK(differences<int32_t>(random) == 0);
    CHECK(differences<int64_t>(random) == 0);
    CHECK(differences<float>(random) == 0);
    CHECK(differences<double>(random) == 0);
}
