// Prices of plain options on an asset with a continuous dividend.
#pragma once

#include <cstdint>
#include <vector>

namespace pelorus {

struct OptionTerms {
    double spot, strike, rate, dividend, volatility;
    double years;  // to maturity
    bool isCall, isAmerican;
};

struct Greeks {
    double npv, delta, gamma, theta, vega, rho;
};

// Black, Scholes 1973, Merton 1973. European only.
Greeks blackScholes(const OptionTerms& terms);

struct OptionGrid {
    int64_t prices = 200, times = 100, damping = 0;
};
// Finite differences over the logarithm of the price: Crank and Nicolson, after `damping` implicit steps (Rannacher
// 1984); an American option is worth at least what it pays at once. O(prices · times). npv, delta, gamma and theta are
// read off the grid, vega and rho are differences of two grids.
Greeks finiteDifferences(const OptionTerms& terms, const OptionGrid& grid);

// The parameters of Heston's model from the end of the span before up to `until`, in years.
struct HestonSpan {
    double until, theta, kappa, rho, sigma;
};
// Heston 1993, with parameters that are constant over each span; the last one has no end. The variance begins at
// volatility². European only; NaN when the integral does not converge.
double heston(const OptionTerms& terms, const std::vector<HestonSpan>& spans);

}  // namespace pelorus
