// Rows that a mask chooses, in their order. A mask holds one byte for each row, and 1 chooses it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

// Writes the positions of the chosen rows; `positions` has room for all rows. Returns how many there are.
int64_t chosenPositions(const int8_t* mask, int64_t rows, int32_t* positions);

// Returns the `count` elements of the chosen rows. REQUIRES: the vector has as many elements as the mask; strings are
// copied as handles only.
Ref<Vector> chosenElements(const Vector& elements, const int8_t* mask, const int32_t* positions, int64_t count);

// Returns the rows for which a condition is true: a scalar counts for all of them, lists hold scalars. Anything else,
// as a value for other rows than these, is an error of the clause (`where`) that names it.
std::vector<int32_t> rowsWhere(const Value& mask, int64_t rows, std::string_view clause);

}  // namespace pelorus
