#include "presentation/chart/reduce_points.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace pelorus;

TEST_CASE("a line keeps first, min, max and last of each pixel column") {
    std::vector<Point> points;
    constexpr int kPoints = 1'000'000;
    constexpr double kWidth = 500;
    for (int i = 0; i < kPoints; ++i)
        points.push_back({i * kWidth / kPoints, i == 777'777 ? 1000.0 : i == 333'333 ? -1000.0 : std::sin(i / 1000.0)});
    const auto lines = reduceLine(points);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].size() <= 4 * static_cast<size_t>(kWidth));
    const auto [low, high] =
        std::minmax_element(lines[0].begin(), lines[0].end(), [](const Point& a, const Point& b) { return a.y < b.y; });
    CHECK(low->y == -1000);
    CHECK(high->y == 1000);
    CHECK(lines[0].front().x == points.front().x);
    CHECK(lines[0].back().x == points.back().x);
}

TEST_CASE("a value that is missing interrupts a line") {
    const double none = std::nan("");
    const auto lines = reduceLine(std::vector<Point>{{0, 1}, {5, 2}, {10, none}, {15, 3}, {20, none}, {none, 1}});
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].size() == 2);
    CHECK(lines[1].size() == 1);
    CHECK(reduceLine({}).empty());
}

TEST_CASE("dots that share a pixel are one") {
    const std::vector<Point> points = {{1.1, 1.2}, {1.9, 1.8}, {2.1, 1.2}, {-1, 0}, {std::nan(""), 1}, {1e300, 1}};
    CHECK(reduceDots(points, 10, 10).size() == 2);
}
