// Conversion between types.
#pragma once

#include <string_view>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

// Returns whether the language has a conversion at all; single values may still become NULL.
bool canCast(Type from, Type to);

// The scale of a decimal target: that of the source, 0 when the source has none.
inline constexpr uint8_t kSourceScale = 255;

// Converts scalars, vectors, pairs, matrices, tuples and array vectors element by element; NULL stays NULL. A string
// that does not parse is NULL. The type of an array vector turns tuples into array vectors. `scale` is of decimal
// targets. Throws UserError when there is no such conversion.
Value cast(const Value& value, Type to, uint8_t scale = kSourceScale);
Ref<Vector> cast(const Vector& vector, Type to, uint8_t scale = kSourceScale);

// Converts a value that is stored where something else was or is added to it: as `cast`, but strings never become
// numbers or the other way round unasked, and the error is the one scripts know: "Incompatible type. Expected: INT,
// Actual: STRING". Throws UserError with the value when the type cannot hold it, such as 70000 in a SHORT column. For
// the type of an array vector, each element of a vector, and each scalar or vector in a tuple, is one row.
Value castForStorage(const Value& column, Type to, std::string_view columnName, uint8_t scale = kSourceScale);

// Converts as `cast` does, but throws UserError with the first element that the type cannot hold. `where` names the
// place in the error, such as a column; it may be empty.
Value castFitting(const Value& value, Type to, uint8_t scale = kSourceScale, std::string_view where = "");

// Returns `value` with NULL for integers that an integer type `to` cannot hold; `cast` would keep their low bits.
Value withoutUnfit(const Value& value, Type to);

// Returns whether a condition is true; NULL is false. Throws UserError for a value that is no scalar.
bool isTrue(const Value& condition);

}  // namespace pelorus
