// Operators by the types of both sides, as PostgreSQL resolves them.
#pragma once

#include <string>

#include "postgres/typing/convert.h"
#include "postgres/typing/typed.h"

namespace pelorus::postgres {

// A comparison of two values of types that compare.
struct Comparison {
    Operator op = Operator::Eq;
    Typed left, right;
};

bool isComparisonName(std::string_view name);

// Resolves a comparison. Throws SqlError 42883 where the types do not compare.
Comparison resolveComparison(std::string_view name, Typed left, Typed right, int place, const ConversionHost& host);

// Returns code that is true exactly where the comparison is, or is not where it is false (`wanted` false); never NULL.
NodeRef comparisonIs(const Comparison& comparison, bool wanted);
// Returns the comparison as a value, NULL where a side is.
Typed comparisonValue(const Comparison& comparison, int place);

// Resolves any other operator: + - * / % ^ ||, ~ and the like. Throws SqlError 42883.
Typed resolveOperator(std::string_view name, Typed left, Typed right, int place, const ConversionHost& host);
Typed resolvePrefix(std::string_view name, Typed operand, int place, const ConversionHost& host);

// Returns x like pattern.
Typed resolveLike(Typed text, Typed pattern, const Typed* escape, bool isCaseless, int place,
                  const ConversionHost& host);

[[noreturn]] void refuseOperator(std::string_view name, const Typed* left, const Typed& right, int place);

}  // namespace pelorus::postgres
