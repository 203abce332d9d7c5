// Quantiles of a list of numbers.
#pragma once

#include <vector>

#include "runtime/registry/registry.h"

namespace pelorus {

enum class Interpolation : uint8_t { Linear, Lower, Higher, Nearest, Midpoint };

// Returns linear, when omitted, or one of lower, higher, nearest and midpoint.
Interpolation interpolationArgument(Arguments arguments, size_t i);

// Interpolates between two neighbouring values, at `share` of the way from the first, whose position is `low`.
double interpolated(double below, double above, double share, int64_t low, Interpolation interpolation);

// Returns the value at fraction q of the sorted values, NULL of none; reorders the vector. O(n).
double quantileOf(std::vector<double>& elements, double q, Interpolation interpolation);

}  // namespace pelorus
