// Nearest centers.
#include "stdlib/models/nearest_centers.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace pelorus;

TEST_CASE("the nearest center of each row is found, for any number of rows, centers and columns") {
    std::mt19937_64 random(5);
    const auto draw = [&] { return static_cast<double>(random() % 2000) / 100 + 1e6; };
    for (const size_t width : {1u, 3u, 20u, 300u}) {
        for (const size_t count : {1u, 4u, 7u, 33u}) {
            for (const size_t rows : {1u, 8u, 71u, 700u}) {
                std::vector<std::vector<double>> centers(count), columns(width);
                for (auto& center : centers) {
                    for (size_t c = 0; c < width; ++c) center.push_back(draw());
                }
                for (auto& column : columns) {
                    for (size_t i = 0; i < rows; ++i) column.push_back(draw());
                }
                std::vector<int32_t> nearest(rows, -1);
                const size_t begin = rows / 3;
                NearestCenters(centers).find(columns, begin, rows, nearest.data() + begin);
                for (size_t i = begin; i < rows; ++i) {
                    std::vector<double> distances(count, 0.0);
                    for (size_t j = 0; j < count; ++j) {
                        for (size_t c = 0; c < width; ++c)
                            distances[j] += (columns[c][i] - centers[j][c]) * (columns[c][i] - centers[j][c]);
                    }
                    INFO(width << " " << count << " " << rows << " " << i);
                    const double least = *std::ranges::min_element(distances);
                    CHECK(distances[static_cast<size_t>(nearest[i])] == Approx(least));
                }
            }
        }
    }
}

TEST_CASE("of equal centers the first is taken") {
    std::vector<int32_t> nearest(2);
    NearestCenters({{1, 1}, {3, 3}, {3, 3}}).find({{0, 4}, {0, 4}}, 0, 2, nearest.data());
    CHECK(nearest == std::vector<int32_t>{0, 1});
}
