// The random numbers of scripts.
#pragma once

#include <random>

namespace pelorus {

// One generator per thread; setRandomSeed makes it repeatable.
std::mt19937_64& randomGenerator();
// At least 0 and below 1.
double unitRandom();

}  // namespace pelorus
