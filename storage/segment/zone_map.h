// The zone maps of blocks, in the directory of a segment.
#pragma once

#include <cstdint>

#include "common/type_table.h"

namespace pelorus {

// The zone map of a block: how many values are NULL, and the bounds of the others. A plain value.
struct ZoneMap {
    bool boundsKnown = false;
    uint32_t nullCount = 0;
    int64_t min = 0, max = 0;  // integers as such, floats as the bits of a double, dictionary-coded strings as codes
};

// Returns the zone map of values in the layout of a vector of a type other than strings. REQUIRES: n > 0.
ZoneMap zoneMapOf(Type type, const char* elements, int64_t n);
// Returns the zone map of codes into a dictionary; code 0 is NULL when the dictionary begins with the empty string.
ZoneMap zoneMapOfCodes(const int32_t* codes, int64_t n, bool hasEmpty);

}  // namespace pelorus
