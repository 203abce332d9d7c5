// Weighted products of columns, for methods that solve least squares again and again.
#pragma once

#include <functional>
#include <vector>

namespace pelorus {

// Calls f(begin, end, part) for blocks of rows on several threads, where part has `width` zeros to add to, and returns
// the sum of the parts. The blocks and the order of the sum depend on `rows` alone: the same bits on any number of
// threads.
std::vector<double> summedOverBlocks(size_t rows, size_t width,
                                     const std::function<void(size_t begin, size_t end, double* part)>& f);

// Adds x x' of each row times its weight to `sums` (width², column by column, the lower triangle only), and x times its
// pull to `pulls`. `intercept` adds a last factor 1.
struct WeightedSums {
    std::vector<double> products, pulls;
    double value = 0;
};
// What a row contributes: the weight, the pull, and a number that is summed up.
struct RowTerms {
    double weight, pull, value;
};
// Computes the sums; `terms` gives those of a row from its linear predictor x'theta (the last theta is the
// intercept's).
WeightedSums weightedSums(const std::vector<std::vector<double>>& columns, bool intercept,
                          const std::vector<double>& theta, const std::function<RowTerms(size_t, double)>& terms);

}  // namespace pelorus
