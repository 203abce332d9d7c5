// The operators of the language over values of any form.
//
// Scalars, pairs, vectors and matrices go through block kernels; tuples, dictionaries and tables are walked element by
// element. Vectors of different lengths, and types that have no such operation, are UserErrors.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {

Value applyBinary(Operator op, const Value& a, const Value& b);
Value applyUnary(Operator op, const Value& a);

// Returns for each element a where the condition is true, b where it is false, NULL where it is NULL: iif.
Value selectItems(const Value& condition, const Value& a, const Value& b);

// The first and the last element of a..b, which counts down where `to` is below `from`; empty for two NULLs. Throws
// UserError for values that are not countable, and for more elements than a vector may have.
struct SequenceEnds {
    Type type;
    int64_t from, to;
    bool isEmpty;
};
SequenceEnds sequenceEnds(const Value& a, const Value& b);
// Returns a..b or a:b.
Value sequence(const Value& a, const Value& b);
Value pairOf(const Value& a, const Value& b);
// Returns a <- b.
Value joinValues(const Value& a, const Value& b);
// Returns x in y.
Value isIn(const Value& x, const Value& y);
// Returns x between a:b.
Value isBetween(const Value& x, const Value& range);
// Returns x like pattern, where % matches any run and ? one character.
Value isLike(const Value& x, const Value& pattern, bool ignoreCase = false);
// Returns the type that an argument names: INT, `INT, int, DECIMAL32(4), INT[]. Throws UserError with the
// argument's name otherwise, and for a decimal without its scale.
TypeSpec typeOfValue(const Value& v, int argument, std::string_view name);
// x $ type, x $ rows:columns
Value castTo(const Value& x, const Value& target);
// Returns a ** b.
Value dotProduct(const Value& a, const Value& b);

// Applies f to every element of a tuple, value of a dictionary or column of a table that holds what `takes` says, and
// keeps the form; other columns stay. Other forms go to f as they are.
Value mapContainer(const Value& x, const std::function<Value(const Value&)>& f, bool (*takes)(Type) = isNumeric);

}  // namespace pelorus
