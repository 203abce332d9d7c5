#include "stdlib/time_series/volatility.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace pelorus {

double backcast(const std::vector<double>& y, double center) {
    constexpr size_t kRows = 75;
    double sum = 0, weights = 0, weight = 1;
    for (size_t i = 0; i < std::min(kRows, y.size()); ++i, weight *= 0.94) {
        sum += weight * (y[i] - center) * (y[i] - center);
        weights += weight;
    }
    return sum / weights;
}

// Returns the variance at place t, where squares and variances stand for all places before it.
static double nextVariance(const Volatility& model, const std::vector<double>& squares,
                           const std::vector<double>& variances, size_t t, double before) {
    double variance = model.constant;
    for (size_t i = 0; i < model.arch.size(); ++i) variance += model.arch[i] * (t > i ? squares[t - i - 1] : before);
    for (size_t j = 0; j < model.garch.size(); ++j)
        variance += model.garch[j] * (t > j ? variances[t - j - 1] : before);
    return variance;
}

static std::vector<double> squaresOf(const Volatility& model, const std::vector<double>& y) {
    std::vector<double> squares;
    squares.reserve(y.size());
    for (const double v : y) squares.push_back((v - model.mean) * (v - model.mean));
    return squares;
}

std::vector<double> conditionalVariances(const Volatility& model, const std::vector<double>& y, double before) {
    const std::vector<double> squares = squaresOf(model, y);
    std::vector<double> variances;
    variances.reserve(y.size());
    for (size_t t = 0; t < y.size(); ++t) variances.push_back(nextVariance(model, squares, variances, t, before));
    return variances;
}

double logLikelihood(const Volatility& model, const std::vector<double>& y, double before) {
    const std::vector<double> variances = conditionalVariances(model, y, before);
    double sum = static_cast<double>(y.size()) * std::log(2 * std::numbers::pi);
    for (size_t t = 0; t < y.size(); ++t) {
        if (!(variances[t] > 0)) return std::numeric_limits<double>::quiet_NaN();
        sum += std::log(variances[t]) + (y[t] - model.mean) * (y[t] - model.mean) / variances[t];
    }
    return -sum / 2;
}

std::vector<double> forecastVariances(const Volatility& model, const std::vector<double>& y, double before,
                                      size_t steps, const std::function<void()>& onStep) {
    std::vector<double> squares = squaresOf(model, y), variances = conditionalVariances(model, y, before);
    for (size_t step = 0; step < steps; ++step) {
        onStep();
        const double variance = nextVariance(model, squares, variances, variances.size(), before);
        squares.push_back(variance);  // the expectation of a square is its variance
        variances.push_back(variance);
    }
    return {variances.begin() + static_cast<ptrdiff_t>(y.size()), variances.end()};
}

}  // namespace pelorus
