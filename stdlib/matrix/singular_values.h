// The singular values of a matrix given by its columns, descending.
#pragma once

#include <vector>

namespace pelorus {

// REQUIRES: at least one column, all of one length above 0.
std::vector<double> singularValuesOf(const std::vector<std::vector<double>>& columns);

}  // namespace pelorus
