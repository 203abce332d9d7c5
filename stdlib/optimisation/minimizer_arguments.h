// How minimizers of scripts read their arguments and give their results.
#pragma once

#include "stdlib/named_results.h"
#include "stdlib/optimisation/minimizers.h"

namespace pelorus {

// A point to begin at, and whether the script gave a scalar.
struct StartArgument {
    Point x;
    bool isScalar = false;
};
StartArgument startArgument(Arguments arguments, size_t i, std::string_view name = "X0");
// Reads an optional count of at least 0; NULL when left out.
std::optional<int64_t> countArgument(Arguments arguments, size_t i, std::string_view name);
int64_t countArgument(Arguments arguments, size_t i, std::string_view name, int64_t whenOmitted, int64_t least = 0);
// Reads a number above 0, or at least 0.
double positiveArgument(Arguments arguments, size_t i, std::string_view name, double whenOmitted,
                        bool mayBeZero = false);
const Function* optionalFunction(Arguments arguments, size_t i, std::string_view name);
// Reads a matrix with a row of the least and the most for each of `count` parameters; NULL is no bound. Both stay empty
// when it is left out. Throws UserError for a low bound above a high one.
void boundsArgument(Arguments arguments, size_t i, size_t count, Point& low, Point& high);

Value pointValue(const Point& x);

}  // namespace pelorus
