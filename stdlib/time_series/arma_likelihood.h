// The likelihood of a series whose errors are autoregressive moving averages.
#pragma once

#include <functional>
#include <vector>

namespace pelorus {

// Coefficients of an ARMA process: y_t = sum ar_i y_(t-i) + e_t + sum ma_i e_(t-i).
struct ArmaProcess {
    std::vector<double> ar, ma;
};
// Returns the process of a factor for each step and one for each season: the products of their polynomials.
ArmaProcess seasonalProcess(const ArmaProcess& steps, const ArmaProcess& seasons, size_t period);

// Maps any numbers to coefficients of a stationary autoregression (Monahan 1984).
std::vector<double> stationaryCoefficients(const std::vector<double>& free);

struct ArmaLikelihood {
    double logLikelihood = 0;
    double variance = 0;               // of the errors, by maximum likelihood
    std::vector<double> coefficients;  // of the regressors, by generalized least squares
    bool exists = false;               // false where the process is not stationary
};
// Returns the exact likelihood of y = X b + ARMA errors at the best b and variance, by the filter of Kalman (Harvey
// 1989, section 3.4). O(rows · order² · (1 + regressors)). `onBlock` is called now and then.
ArmaLikelihood armaLikelihood(const std::vector<double>& y, const std::vector<std::vector<double>>& regressors,
                              const ArmaProcess& process, const std::function<void()>& onBlock);

}  // namespace pelorus
