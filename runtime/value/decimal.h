// Decimals: integers of 32, 64 or 128 bits times 10^-scale.
//
// A raw integer is kept as __int128 while it is computed with; null<__int128> is NULL. Rounding is half away from zero.
#pragma once

#include <string_view>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus::decimal {

constexpr int kMaxScale = 38;

// Returns 10^n, 0 <= n <= 38.
__int128 power(int n);

// Returns the integer of a decimal scalar; of an integral or BOOL scalar, its value.
__int128 rawOf(const Value& scalar);
double toDouble(__int128 raw, int scale);
int64_t toLong(__int128 raw, int scale);

// Changes the scale of `raw`; returns false when the result does not fit. NULL stays NULL.
bool rescale(__int128& raw, int from, int to);
bool fits(__int128 raw, Type type);
// Drops the zeros at the end of the digits behind the point, and lowers the scale by their number. NULL stays NULL.
void dropZeros(__int128& raw, int& scale);

// Makes a decimal scalar. Throws UserError (Decimal math overflow) when the integer does not fit into the type.
Value make(Type type, __int128 raw, int scale);
// Stores the integer of an element into a vector of decimals. REQUIRES: it fits the width (`fits`).
void put(Vector& out, int64_t i, __int128 raw);
// Throws UserError: Decimal math overflow.
[[noreturn]] void overflow();
// Stores a decimal scalar of this type into 4, 8 or 16 bytes.
void write(char* target, Type type, const Value& scalar);

// Converts numbers, strings and decimals to a decimal type. NULL and strings that are no number become NULL; throws
// UserError for values that do not fit.
Value cast(const Value& scalar, Type to, int scale);
Ref<Vector> cast(const Vector& from, Type to, int scale);
// Converts decimals to numbers and strings.
Ref<Vector> toPlain(const Vector& from, Type to);

// Returns the decimal type that holds both; at least one is a decimal.
Type wider(Type a, Type b);
// Returns the next wider decimal type, or DECIMAL128 itself.
Type next(Type type);

}  // namespace pelorus::decimal
