// An estimate of how many distinct values a column has.
#pragma once

#include "runtime/value/value.h"

namespace pelorus {

// Returns about how many distinct values a vector has, at least 1, from a sample of 4,096 elements, one of each stretch
// (the estimator Duj1 of Haas and Stokes). The same vector gives the same number. O(1).
double estimateDistinct(const Value& column);

}  // namespace pelorus
