// The order in which the tables of a graph of inner joins are joined, by estimates.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pelorus {

// A set of columns that must be equal: the sides that have one, and about how many distinct values each has.
struct EqualColumns {
    std::vector<size_t> sides;
    std::vector<double> distinct;  // of each, at least 1
};

// Returns all sides, in an order of joins one after the other whose intermediate results are estimated to have the
// fewest rows. `rows[i]` are those of side i. Up to ten sides by dynamic programming, O(2^n n), else greedily. The
// result depends on nothing else. Sides that nothing connects come last.
std::vector<size_t> joinOrder(std::span<const double> rows, const std::vector<EqualColumns>& equalities);

}  // namespace pelorus
