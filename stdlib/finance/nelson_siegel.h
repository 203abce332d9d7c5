// Yield curves by the formulas of Nelson and Siegel, and of Svensson.
#pragma once

#include <vector>

namespace pelorus {

// Returns the yield of a maturity in years: b0 + b1 f(t/l0) + b2 (f(t/l0) - e^(-t/l0)) + b3 (f(t/l1) - e^(-t/l1)) with
// f(x) = (1 - e^-x) / x. The parameters are b0, b1, b2, l0 (Nelson, Siegel 1987) or b0, b1, b2, b3, l0, l1 (Svensson
// 1994).
double nelsonSiegelYield(const std::vector<double>& parameters, double years);

}  // namespace pelorus
