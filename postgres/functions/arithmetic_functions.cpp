// Arithmetic as PostgreSQL does it: integers that overflow are errors, numeric has the scale that the translation says.
#include "postgres/functions/postgres_functions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "postgres/functions/conversions.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/sql_error.h"
#include "runtime/value/decimal.h"

namespace pelorus::postgres {

namespace {

using Row = std::span<const Value>;

[[noreturn]] void divisionByZero() {
    throw SqlError(sql_state::kDivisionByZero, "division by zero");
}

[[noreturn]] void numericOverflow() {
    throw SqlError(sql_state::kOutOfRange, "value overflows numeric format");
}

enum class Arithmetic : uint8_t { Add, Subtract, Multiply, Divide, Modulo };

// An operation on two integers of one type. Their smallest value is NULL to the engine, and so out of range.
template <Oid kType, Arithmetic kOperation>
Value integers(Row row) {
    const int64_t a = wholeArgument(row, 0), b = wholeArgument(row, 1);
    __int128 result = 0;
    if constexpr (kOperation == Arithmetic::Add) result = __int128{a} + b;
    if constexpr (kOperation == Arithmetic::Subtract) result = __int128{a} - b;
    if constexpr (kOperation == Arithmetic::Multiply) result = __int128{a} * b;
    if constexpr (kOperation == Arithmetic::Divide || kOperation == Arithmetic::Modulo) {
        if (b == 0) divisionByZero();
        result = kOperation == Arithmetic::Divide ? a / b : a % b;
    }
    constexpr int64_t kGreatest = kType == oid::kInt2 ? INT16_MAX : kType == oid::kInt4 ? INT32_MAX : INT64_MAX;
    if (result > kGreatest || result < -kGreatest)
        throw SqlError(sql_state::kOutOfRange, std::string(oidFacts(kType)->display) + " out of range");
    return Value::scalar(oidFacts(kType)->kept, static_cast<int64_t>(result));
}

// A decimal number: raw × 10^-scale.
struct Numeric {
    __int128 raw = 0;
    int scale = 0;
};

Numeric numericArgument(Row row, size_t i) {
    const Value& x = row[i];
    if (isDecimal(x.type())) return {decimal::rawOf(x), x.extra()};
    return {__int128{wholeArgument(row, i)}, 0};
}

int resultScale(Row row, size_t i) {
    return static_cast<int>(std::clamp<int64_t>(wholeArgument(row, i), 0, decimal::kMaxScale));
}

Value makeNumeric(__int128 raw, int scale) {
    if (!decimal::fits(raw, Type::Decimal128) || raw >= decimal::power(38) || raw <= -decimal::power(38))
        numericOverflow();
    return decimal::make(Type::Decimal128, raw, scale);
}

__int128 rescaled(Numeric x, int scale) {
    if (!decimal::rescale(x.raw, x.scale, scale)) numericOverflow();
    return x.raw;
}

__int128 product(__int128 a, __int128 b) {
    __int128 result = 0;
    if (__builtin_mul_overflow(a, b, &result)) numericOverflow();
    return result;
}

template <Arithmetic kOperation>
Value numericSum(Row row) {
    const int scale = resultScale(row, 2);
    const __int128 a = rescaled(numericArgument(row, 0), scale), b = rescaled(numericArgument(row, 1), scale);
    __int128 result = 0;
    if (kOperation == Arithmetic::Add ? __builtin_add_overflow(a, b, &result) : __builtin_sub_overflow(a, b, &result))
        numericOverflow();
    return makeNumeric(result, scale);
}

Value numericProduct(Row row) {
    const Numeric a = numericArgument(row, 0), b = numericArgument(row, 1);
    return makeNumeric(rescaled({product(a.raw, b.raw), a.scale + b.scale}, resultScale(row, 2)), resultScale(row, 2));
}

// The quotient rounded half away from zero. Digit by digit, since the dividend times a power of ten would overflow.
__int128 quotient(__int128 a, __int128 b, int digits) {
    const bool isNegative = (a < 0) != (b < 0);
    unsigned __int128 rest = a < 0 ? -static_cast<unsigned __int128>(a) : static_cast<unsigned __int128>(a);
    const unsigned __int128 divisor = b < 0 ? -static_cast<unsigned __int128>(b) : static_cast<unsigned __int128>(b);
    unsigned __int128 result = rest / divisor;
    rest %= divisor;
    const unsigned __int128 limit = static_cast<unsigned __int128>(decimal::power(38)) / 10;
    for (int i = 0; i < digits; ++i) {
        if (result >= limit) numericOverflow();
        // rest < divisor < 10^38, so ten times it fits into 128 bits without a sign only below 3.4 × 10^37.
        int digit = 0;
        unsigned __int128 sum = 0;
        for (int k = 0; k < 10; ++k) {
            sum += rest;
            if (sum >= divisor) {
                sum -= divisor;
                ++digit;
            }
        }
        rest = sum;
        result = result * 10 + static_cast<unsigned>(digit);
    }
    if (rest >= divisor - rest) ++result;
    return isNegative ? -static_cast<__int128>(result) : static_cast<__int128>(result);
}

Value numericQuotient(Row row) {
    const Numeric a = numericArgument(row, 0), b = numericArgument(row, 1);
    if (b.raw == 0) divisionByZero();
    const int scale = resultScale(row, 2);
    // a/10^sa : b/10^sb to `scale` digits is a : b to so many digits more or less.
    const int digits = scale - a.scale + b.scale;
    if (digits >= 0) return makeNumeric(quotient(a.raw, b.raw, digits), scale);
    return makeNumeric(quotient(a.raw, product(b.raw, decimal::power(std::min(-digits, 38))), 0), scale);
}

Value numericRemainder(Row row) {
    const int scale = resultScale(row, 2);
    const __int128 a = rescaled(numericArgument(row, 0), scale), b = rescaled(numericArgument(row, 1), scale);
    if (b == 0) divisionByZero();
    return makeNumeric(a % b, scale);
}

double realArgument(Row row, size_t i) {
    if (!isNumeric(row[i].type()) && !isDecimal(row[i].type()))
        throw UserError(static_cast<int>(i), "A number is needed here.");
    return row[i].asDouble();
}

Value checkedReal(double x, bool hadInfinity) {
    if (std::isnan(x)) throw SqlError(sql_state::kOutOfRange, "NaN is no value here: it is NULL to the engine.");
    if (std::isinf(x) && !hadInfinity) throw SqlError(sql_state::kOutOfRange, "value out of range: overflow");
    return Value::ofDouble(x);
}

Value realQuotient(Row row) {
    const double a = realArgument(row, 0), b = realArgument(row, 1);
    if (b == 0) divisionByZero();
    return checkedReal(a / b, std::isinf(a) || std::isinf(b));
}

Value realPower(Row row) {
    const double a = realArgument(row, 0), b = realArgument(row, 1);
    if (a == 0 && b < 0) throw SqlError("2201F", "zero raised to a negative power is undefined");
    if (a < 0 && b != std::trunc(b))
        throw SqlError("2201F", "a negative number raised to a non-integer power yields a complex result");
    return checkedReal(std::pow(a, b), std::isinf(a) || std::isinf(b));
}

Value squareRoot(Row row) {
    const double x = realArgument(row, 0);
    if (x < 0) throw SqlError("2201F", "cannot take square root of a negative number");
    return Value::ofDouble(std::sqrt(x));
}

double logarithmArgument(Row row, size_t i) {
    const double x = realArgument(row, i);
    if (x == 0) throw SqlError("2201E", "cannot take logarithm of zero");
    if (x < 0) throw SqlError("2201E", "cannot take logarithm of a negative number");
    return x;
}

Value naturalLogarithm(Row row) {
    return Value::ofDouble(std::log(logarithmArgument(row, 0)));
}
Value decimalLogarithm(Row row) {
    return Value::ofDouble(std::log10(logarithmArgument(row, 0)));
}
Value exponential(Row row) {
    return checkedReal(std::exp(realArgument(row, 0)), std::isinf(realArgument(row, 0)));
}

// A function of the C library.
template <double (*kFunction)(double)>
Value real(Row row) {
    return checkedReal(kFunction(realArgument(row, 0)), std::isinf(realArgument(row, 0)));
}
double degreesOf(double x) {
    return x * (180.0 / M_PI);
}
double radiansOf(double x) {
    return x * (M_PI / 180.0);
}
double signOf(double x) {
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}
double sineOf(double x) {
    return std::sin(x);
}
double cosineOf(double x) {
    return std::cos(x);
}
double tangentOf(double x) {
    return std::tan(x);
}
double arcSineOf(double x) {
    return std::asin(x);
}
double arcCosineOf(double x) {
    return std::acos(x);
}
double arcTangentOf(double x) {
    return std::atan(x);
}
double cubeRootOf(double x) {
    return std::cbrt(x);
}
double floorOf(double x) {
    return std::floor(x);
}
double ceilOf(double x) {
    return std::ceil(x);
}
double roundOf(double x) {
    return std::nearbyint(x);
}
double truncateOf(double x) {
    return std::trunc(x);
}
double absoluteOf(double x) {
    return std::fabs(x);
}

Value arcTangent2(Row row) {
    return Value::ofDouble(std::atan2(realArgument(row, 0), realArgument(row, 1)));
}

// Rounds to so many digits behind the point, negative ones before it. The result keeps `scale`.
enum class Rounding : uint8_t { Nearest, Truncate, Floor, Ceil };

template <Rounding kRounding>
Value numericRounded(Row row) {
    const Numeric x = numericArgument(row, 0);
    const int64_t digits = wholeArgument(row, 1);
    const int scale = resultScale(row, 2);
    __int128 raw = x.raw;
    if (digits < x.scale) {
        const int64_t dropped = x.scale - digits;
        if (dropped > 38) return makeNumeric(0, scale);
        const __int128 unit = decimal::power(static_cast<int>(dropped));
        const __int128 rest = raw % unit;
        raw -= rest;
        if (kRounding == Rounding::Nearest && (rest < 0 ? -rest : rest) >= unit - (rest < 0 ? -rest : rest))
            raw += rest < 0 ? -unit : unit;
        if (kRounding == Rounding::Floor && rest < 0) raw -= unit;
        if (kRounding == Rounding::Ceil && rest > 0) raw += unit;
    }
    return makeNumeric(rescaled({raw, x.scale}, scale), scale);
}

Value numericAbsolute(Row row) {
    const Numeric x = numericArgument(row, 0);
    return makeNumeric(rescaled({x.raw < 0 ? -x.raw : x.raw, x.scale}, resultScale(row, 1)), resultScale(row, 1));
}

Value numericNegative(Row row) {
    const Numeric x = numericArgument(row, 0);
    return makeNumeric(rescaled({-x.raw, x.scale}, resultScale(row, 1)), resultScale(row, 1));
}

Value numericSign(Row row) {
    const Numeric x = numericArgument(row, 0);
    return makeNumeric(x.raw > 0 ? 1 : x.raw < 0 ? -1 : 0, 0);
}

Value greatestDivisor(Row row) {
    int64_t a = std::abs(wholeArgument(row, 0)), b = std::abs(wholeArgument(row, 1));
    while (b != 0) a = std::exchange(b, a % b);
    return Value::ofLong(a);
}

Value widthBucket(Row row) {
    const double x = realArgument(row, 0), low = realArgument(row, 1), high = realArgument(row, 2);
    const int64_t count = wholeArgument(row, 3);
    if (count <= 0) throw SqlError("2201G", "count must be greater than zero");
    if (low == high) throw SqlError("2201G", "lower bound cannot equal upper bound");
    const double part = (x - low) / (high - low);
    if (part < 0) return Value::ofInt(0);
    if (part >= 1) return Value::ofInt(static_cast<int32_t>(count + 1));
    return Value::ofInt(static_cast<int32_t>(part * static_cast<double>(count)) + 1);
}

#define INTEGER_OPERATIONS(NAME, OID, TYPE)                                                                            \
    {.syntax = "pg" NAME "Add(a, b)", .compute = integers<OID, Arithmetic::Add>, .result = TYPE, .summary = "a + b."}, \
        {.syntax = "pg" NAME "Subtract(a, b)",                                                                         \
         .compute = integers<OID, Arithmetic::Subtract>,                                                               \
         .result = TYPE,                                                                                               \
         .summary = "a - b."},                                                                                         \
        {.syntax = "pg" NAME "Multiply(a, b)",                                                                         \
         .compute = integers<OID, Arithmetic::Multiply>,                                                               \
         .result = TYPE,                                                                                               \
         .summary = "a * b."},                                                                                         \
        {.syntax = "pg" NAME "Divide(a, b)",                                                                           \
         .compute = integers<OID, Arithmetic::Divide>,                                                                 \
         .result = TYPE,                                                                                               \
         .summary = "a / b, cut."},                                                                                    \
    {                                                                                                                  \
        .syntax = "pg" NAME "Modulo(a, b)", .compute = integers<OID, Arithmetic::Modulo>, .result = TYPE,              \
        .summary = "a % b, of a's sign."                                                                               \
    }
#define REAL_FUNCTION(NAME, FUNCTION, SUMMARY) \
    { .syntax = NAME "(x)", .compute = real<FUNCTION>, .result = Type::Double, .summary = SUMMARY }

constexpr RowFunction kArithmetic[] = {
    INTEGER_OPERATIONS("Short", oid::kInt2, Type::Short),
    INTEGER_OPERATIONS("Int", oid::kInt4, Type::Int),
    INTEGER_OPERATIONS("Long", oid::kInt8, Type::Long),
    {.syntax = "pgNumericAdd(a, b, scale)",
     .compute = numericSum<Arithmetic::Add>,
     .result = Type::Decimal128,
     .scaleArgument = 2,
     .summary = "a + b."},
    {.syntax = "pgNumericSubtract(a, b, scale)",
     .compute = numericSum<Arithmetic::Subtract>,
     .result = Type::Decimal128,
     .scaleArgument = 2,
     .summary = "a - b."},
    {.syntax = "pgNumericMultiply(a, b, scale)",
     .compute = numericProduct,
     .result = Type::Decimal128,
     .scaleArgument = 2,
     .summary = "a * b."},
    {.syntax = "pgNumericDivide(a, b, scale)",
     .compute = numericQuotient,
     .result = Type::Decimal128,
     .scaleArgument = 2,
     .summary = "a / b, rounded."},
    {.syntax = "pgNumericModulo(a, b, scale)",
     .compute = numericRemainder,
     .result = Type::Decimal128,
     .scaleArgument = 2,
     .summary = "a % b."},
    {.syntax = "pgNumericRound(x, digits, scale)",
     .compute = numericRounded<Rounding::Nearest>,
     .result = Type::Decimal128,
     .scaleArgument = 2,
     .summary = "x rounded."},
    {.syntax = "pgNumericTrunc(x, digits, scale)",
     .compute = numericRounded<Rounding::Truncate>,
     .result = Type::Decimal128,
     .scaleArgument = 2,
     .summary = "x cut."},
    {.syntax = "pgNumericFloor(x, digits, scale)",
     .compute = numericRounded<Rounding::Floor>,
     .result = Type::Decimal128,
     .scaleArgument = 2,
     .summary = "x rounded down."},
    {.syntax = "pgNumericCeil(x, digits, scale)",
     .compute = numericRounded<Rounding::Ceil>,
     .result = Type::Decimal128,
     .scaleArgument = 2,
     .summary = "x rounded up."},
    {.syntax = "pgNumericAbs(x, scale)",
     .compute = numericAbsolute,
     .result = Type::Decimal128,
     .scaleArgument = 1,
     .summary = "x without its sign."},
    {.syntax = "pgNumericNegate(x, scale)",
     .compute = numericNegative,
     .result = Type::Decimal128,
     .scaleArgument = 1,
     .summary = "-x."},
    {.syntax = "pgNumericSign(x, scale)",
     .compute = numericSign,
     .result = Type::Decimal128,
     .scaleArgument = 1,
     .summary = "-1, 0 or 1."},
    {.syntax = "pgDoubleDivide(a, b)", .compute = realQuotient, .result = Type::Double, .summary = "a / b."},
    {.syntax = "pgPower(a, b)", .compute = realPower, .result = Type::Double, .summary = "a to the power of b."},
    {.syntax = "pgSqrt(x)", .compute = squareRoot, .result = Type::Double, .summary = "The square root."},
    {.syntax = "pgLn(x)", .compute = naturalLogarithm, .result = Type::Double, .summary = "The natural logarithm."},
    {.syntax = "pgLog10(x)", .compute = decimalLogarithm, .result = Type::Double, .summary = "The decimal logarithm."},
    {.syntax = "pgExp(x)", .compute = exponential, .result = Type::Double, .summary = "e to the power of x."},
    {.syntax = "pgAtan2(y, x)", .compute = arcTangent2, .result = Type::Double, .summary = "The angle of a point."},
    REAL_FUNCTION("pgDegrees", degreesOf, "Radians as degrees."),
    REAL_FUNCTION("pgRadians", radiansOf, "Degrees as radians."),
    REAL_FUNCTION("pgSign", signOf, "-1, 0 or 1."),
    REAL_FUNCTION("pgSin", sineOf, "The sine."),
    REAL_FUNCTION("pgCos", cosineOf, "The cosine."),
    REAL_FUNCTION("pgTan", tangentOf, "The tangent."),
    REAL_FUNCTION("pgAsin", arcSineOf, "The angle of a sine."),
    REAL_FUNCTION("pgAcos", arcCosineOf, "The angle of a cosine."),
    REAL_FUNCTION("pgAtan", arcTangentOf, "The angle of a tangent."),
    REAL_FUNCTION("pgCbrt", cubeRootOf, "The cube root."),
    REAL_FUNCTION("pgFloor", floorOf, "x rounded down."),
    REAL_FUNCTION("pgCeil", ceilOf, "x rounded up."),
    REAL_FUNCTION("pgRound", roundOf, "x rounded half to even."),
    REAL_FUNCTION("pgTrunc", truncateOf, "x without its fraction."),
    REAL_FUNCTION("pgAbs", absoluteOf, "x without its sign."),
    {.syntax = "pgGcd(a, b)",
     .compute = greatestDivisor,
     .result = Type::Long,
     .summary = "The greatest common divisor."},
    {.syntax = "pgWidthBucket(x, low, high, count)",
     .compute = widthBucket,
     .result = Type::Int,
     .summary = "The bucket of x."},
};

#undef INTEGER_OPERATIONS
#undef REAL_FUNCTION

}  // namespace

void registerArithmeticFunctions(FunctionRegistry& registry) {
    registerRowFunctions<kArithmetic>(registry);
}

}  // namespace pelorus::postgres
