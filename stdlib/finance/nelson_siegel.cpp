#include "stdlib/finance/nelson_siegel.h"

#include <cmath>

namespace pelorus {

double nelsonSiegelYield(const std::vector<double>& p, double t) {
    const bool hasSecondHump = p.size() == 6;
    const auto factor = [](double x) { return std::abs(x) < 1e-10 ? 1 - x / 2 : -std::expm1(-x) / x; };
    const double first = t / p[hasSecondHump ? 4 : 3], f = factor(first);
    double value = p[0] + p[1] * f + p[2] * (f - std::exp(-first));
    if (hasSecondHump) {
        const double second = t / p[5];
        value += p[3] * (factor(second) - std::exp(-second));
    }
    return value;
}

}  // namespace pelorus
