// Many results as one value: list literals and the assembly rules of higher-order functions.
#pragma once

#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

// Makes [a, b, c]: scalars of a common type make a vector; everything else a tuple.
Value listOf(std::vector<Value> elements);

// Returns the cells of a column as one value, as listOf does, but decimals of different scales share the largest.
Value columnOf(std::vector<Value> cells);

// The rule by which the results of a higher-order function become one value.
enum class AssembleRule : uint8_t {
    Default,     // D: scalars make a vector, vectors of one length a matrix, dictionaries a table; otherwise a tuple
    Consistent,  // C: as the first result says; later ones are converted
    Tuple,       // U: always a tuple
    Kdb,         // K: as D, but a vector among the results makes a tuple
};
Value assemble(std::vector<Value> elements, AssembleRule rule = AssembleRule::Default);

}  // namespace pelorus
