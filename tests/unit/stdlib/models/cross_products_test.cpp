// Weighted products of columns.
#include "stdlib/models/cross_products.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("sums are the same bits for rows in one block and in many, on any threads") {
    std::vector<double> x(100000);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 97) / 7;
    const auto sums = [&] {
        return weightedSums({x}, true, {0.5, 1}, [](size_t, double eta) { return RowTerms{0.5, eta, 1}; });
    };
    const WeightedSums first = sums(), second = sums();
    CHECK(first.products == second.products);
    CHECK(first.pulls == second.pulls);
    CHECK(first.value == 100000);
    CHECK(first.products[3] == Approx(50000));
}

TEST_CASE("sums of wide parts take few parts at a time, and miss no row") {
    constexpr size_t kRows = 40000, kWidth = 10000000;
    const std::vector<double> sums = summedOverBlocks(kRows, kWidth, [](size_t begin, size_t end, double* part) {
        part[0] += static_cast<double>(end - begin);
        part[kWidth - 1] += static_cast<double>(begin);
    });
    CHECK(sums.front() == 40000);
    CHECK(sums.back() == 8192 * (1 + 2 + 3 + 4));
}
