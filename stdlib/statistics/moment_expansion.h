// Probabilities and quantiles of a distribution that is nearly normal, from its first four moments.
//
// These are the expansions of Edgeworth and of Cornish and Fisher, to terms of the square of the skewness: their error
// is about its cube, so that they serve for distributions whose parameters are too large for series and continued
// fractions.
#pragma once

#include <cmath>
#include <numbers>

namespace pelorus {

struct MomentExpansion {
    double mean, deviation, skewness, excess;  // excess: that of the kurtosis, 0 of a normal distribution

    // Returns the probability of a value of at most x.
    double cumulative(double x) const {
        const double z = (x - mean) / deviation, z2 = z * z;
        const double density = std::exp(-z2 / 2) / std::sqrt(2 * std::numbers::pi);
        const double chance = std::erfc(-z / std::numbers::sqrt2) / 2;
        if (density == 0) return chance;
        return chance - density * (skewness * (z2 - 1) / 6 + excess * z * (z2 - 3) / 24 +
                                   skewness * skewness * z * (z2 * z2 - 10 * z2 + 15) / 72);
    }
    // Returns the x that corresponds to z standard deviations of a normal distribution.
    double quantile(double z) const {
        const double z2 = z * z;
        return mean + deviation * (z + skewness * (z2 - 1) / 6 + excess * z * (z2 - 3) / 24 -
                                   skewness * skewness * z * (2 * z2 - 5) / 36);
    }
};

// Limit for both parameters of a Beta distribution from which continued fractions take a million terms and lose digits.
constexpr double kHugeBeta = 1e11;

// Returns the expansion of Beta(a, b). REQUIRES: a and b are at least kHugeBeta, where adding a few changes nothing.
inline MomentExpansion expansionOfBeta(double a, double b) {
    const double mean = 1 / (1 + b / a), rest = 1 / (1 + a / b);
    const double spread = std::sqrt(mean) * std::sqrt(rest), size = std::sqrt(a + b);
    const double lean = (rest - mean) / spread / size;
    return {mean, spread / size, 2 * lean, 6 * (lean * lean - 1 / (a + b))};
}

}  // namespace pelorus
