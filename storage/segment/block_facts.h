// What the directory of a segment says of a block's values: whether some are NULL, and between which bounds the others
// lie.
#pragma once

#include <cstdint>

#include "common/type_table.h"

namespace pelorus {

struct ValueFacts {
    bool boundsKnown = false;
    uint32_t nullCount = 0;
    int64_t min = 0, max = 0;  // integers as such, floats as the bits of a double, dictionary text as its code
};

// Of items as they lie in a vector of that type, which is not text. REQUIRES: n > 0.
ValueFacts factsOf(Type type, const char* items, int64_t n);
// Of codes into a dictionary; code 0 is NULL when the dictionary begins with the empty text.
ValueFacts factsOfCodes(const int32_t* codes, int64_t n, bool hasEmpty);

}  // namespace pelorus
