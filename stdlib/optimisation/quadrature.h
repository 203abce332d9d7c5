// Integrals of functions of one variable.
#pragma once

#include <functional>

namespace pelorus {

// Returns the integral from `from` to `to`, which may be infinite; NaN when it is infinite, does not converge, or the
// function gives no number. Gauss and Kronrod's 21 points over pieces that are halved where the error is largest, at
// most 200 of them (Piessens et al. 1983, QUADPACK), to 1.49e-8.
double integrate(const std::function<double(double)>& f, double from, double to);

}  // namespace pelorus
