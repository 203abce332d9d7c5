// Surfaces of volatilities over time and strike, as market data describes them.
#pragma once

#include <cstdint>
#include <vector>

#include "stdlib/instruments/description.h"
#include "stdlib/interpolation/piecewise_cubic.h"

namespace pelorus {

// Volatilities by strike, at one term.
struct VolatilitySmile {
    enum class Method : uint8_t { Linear, CubicSpline, Svi, Sabr };
    Method method = Method::Linear;
    double years = 0;
    std::vector<double> strikes, volatilities;
    PiecewiseCubic curve;            // of CubicSpline
    std::vector<double> parameters;  // of SVI: a, b, rho, m, sigma; of SABR: alpha, beta, rho, nu
    double forward = 0;

    double at(double strike) const;
};

class VolatilitySurface {
public:
    // Reads a description (FxVolatilitySurface, VolatilitySurface) at an argument. Throws UserError for what is none.
    VolatilitySurface(const Value& description, size_t argument);

    // Returns the years to a date, days by 365.
    double yearsTo(int64_t date) const { return static_cast<double>(date - referenceDate_) / 365; }
    // Returns the volatility at a time in years: the variance up to it is linear between two terms; before the first
    // and behind the last the volatility is theirs.
    double at(double years, double strike) const;

private:
    int64_t referenceDate_ = 0;
    std::vector<VolatilitySmile> smiles_;  // by term
};

}  // namespace pelorus
