// Conditional variances of a series (GARCH).
#pragma once

#include <functional>
#include <vector>

namespace pelorus {

// A generalized autoregressive conditional heteroskedasticity: with e_t = y_t - mean, the variance of e_t is
// constant + sum arch_i e_(t-i)² + sum garch_j variance_(t-j).
struct Volatility {
    double mean = 0, constant = 0;
    std::vector<double> arch, garch;
};

// Returns what stands for squares and variances before the first row: the mean of (y - center)² over the first 75 rows,
// each row weighted 0.94 of the one before. REQUIRES: y is not empty.
double backcast(const std::vector<double>& y, double center);

// Returns the variance of each row. `before` stands for squares and variances before the first. O(rows · terms).
std::vector<double> conditionalVariances(const Volatility& model, const std::vector<double>& y, double before);

// Returns the log likelihood of y with normal errors; NaN where a variance is not above 0.
double logLikelihood(const Volatility& model, const std::vector<double>& y, double before);

// Returns the expected variances of the `steps` rows behind y, of which the first is computed from y alone.
// `onStep` is called before each.
std::vector<double> forecastVariances(const Volatility& model, const std::vector<double>& y, double before,
                                      size_t steps, const std::function<void()>& onStep);

}  // namespace pelorus
