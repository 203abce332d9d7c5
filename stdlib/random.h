// The random numbers of scripts.
#pragma once

#include <random>

#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"

namespace pelorus {

// One generator per thread; setRandomSeed makes it repeatable.
std::mt19937_64& randomGenerator();
// Returns a number in [0, 1).
double unitRandom();
// Draws a number in [0, 1) of 53 bits.
inline double unitOf(std::mt19937_64& generator) {
    return static_cast<double>(generator() >> 11) * 0x1p-53;
}
// Reads the seed of a function with a generator of its own; draws one from randomGenerator() when it is left out.
uint64_t seedArgument(Arguments arguments, size_t i, std::string_view name);
// Makes a generator with that seed.
std::mt19937_64 seededGenerator(Arguments arguments, size_t i, std::string_view name);

// The number of random values that a script asks for: `count` of them, or a matrix whose shape a pair holds.
struct RandomCount {
    int64_t elements = 1;
    int64_t rows = 0, columns = 0;  // shape of a matrix
    // Returns the values in the shape that was asked for.
    Value shaped(Ref<Vector> drawn) const;
};
RandomCount randomCount(Arguments arguments, size_t i);

}  // namespace pelorus
