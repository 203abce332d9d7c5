// Conversion between types: CNV-01 … CNV-26 of the language.
#pragma once

#include <string_view>

#include "runtime/value.h"
#include "runtime/vector.h"

namespace pelorus {

// Whether the language has a conversion at all; single values may still become NULL.
bool canCast(Type from, Type to);

// Converts scalars, vectors, pairs, matrices and tuples item by item; NULL stays NULL. Text that does not parse is
// NULL. `scale` is of decimal targets. Throws UserError when there is no such conversion.
Value cast(const Value& value, Type to, uint8_t scale = 0);
Ref<Vector> cast(const Vector& vector, Type to, uint8_t scale = 0);

// Converts what is appended to a column: as `cast`, but text never becomes a number or the other way round unasked, and
// the error is the one scripts know: "Incompatible type. Expected: INT, Actual: STRING".
Value castForStorage(const Value& column, Type to, std::string_view columnName, uint8_t scale = 0);

// A condition as the language takes it: NULL is false. Throws UserError for what is no scalar.
bool isTrue(const Value& condition);

}  // namespace pelorus
