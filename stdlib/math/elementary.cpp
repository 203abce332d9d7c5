// Elementwise functions of one number.
#include <cmath>
#include <numbers>

#include "runtime/kernel/block/block_program.h"
#include "runtime/kernel/elementwise/broadcast.h"
#include "runtime/kernel/forms/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// Infinity and NaN never enter from a computation.
double finite(double x) {
    return std::isfinite(x) ? x : null<double>;
}

using Side = RealDomain::Side;
constexpr RealDomain kPositive{Side::Above, 0};
constexpr RealDomain kUnit{Side::AtMost, 1, true};

using Exp = RealFunction<::exp>;
using Exp2 = RealFunction<::exp2>;
using Expm1 = RealFunction<::expm1>;
using Log = RealFunction<::log, kPositive>;
using Log2 = RealFunction<::log2, kPositive>;
using Log10 = RealFunction<::log10, kPositive>;
using Log1p = RealFunction<::log1p, RealDomain{Side::Above, -1}>;
struct Sqrt {
    double operator()(double x) const { return x >= 0 ? std::sqrt(x) : null<double>; }
};
using Cbrt = RealFunction<::cbrt>;
struct Reciprocal {
    double operator()(double x) const { return x == 0 ? null<double> : finite(1 / x); }
};
using Sin = RealFunction<::sin>;
using Cos = RealFunction<::cos>;
using Tan = RealFunction<::tan>;
using Asin = RealFunction<::asin, kUnit>;
using Acos = RealFunction<::acos, kUnit>;
using Atan = RealFunction<::atan>;
using Sinh = RealFunction<::sinh>;
using Cosh = RealFunction<::cosh>;
using Tanh = RealFunction<::tanh>;
using Asinh = RealFunction<::asinh>;
using Acosh = RealFunction<::acosh, RealDomain{Side::AtLeast, 1}>;
using Atanh = RealFunction<::atanh, RealDomain{Side::Below, 1, true}>;
struct DegreesToRadians {
    double operator()(double x) const { return x * (std::numbers::pi / 180); }
};
struct RadiansToDegrees {
    double operator()(double x) const { return x * (180 / std::numbers::pi); }
};
struct Sign {
    int32_t operator()(double x) const { return (x > 0) - (x < 0); }
};

// Integers wrap, and their NULL, the minimum of the type, is equal to its negative.
struct Absolute {
    template <class T>
    static T wrapped(T x) {
        using U = std::make_unsigned_t<T>;
        return x < 0 ? static_cast<T>(U{0} - static_cast<U>(x)) : x;
    }
    double operator()(double x) const { return std::abs(x); }
    int64_t operator()(int64_t x) const { return wrapped(x); }
    int32_t operator()(int32_t x) const { return wrapped(x); }
};
struct Square {
    template <class T>
    static T wrapped(T x) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(x) * static_cast<U>(x));
    }
    double operator()(double x) const { return std::isfinite(x) ? finite(x * x) : x * x; }
    int64_t operator()(int64_t x) const { return wrapped(x); }
    int32_t operator()(int32_t x) const { return wrapped(x); }
};
template <class F>
inline constexpr ScalarForm kForNumbers[] = {scalarForm<F, int32_t>(), scalarForm<F, int64_t>(),
                                             scalarForm<F, double>()};

struct Pow {
    double operator()(double x, double y) const { return finite(std::pow(x, y)); }
};
struct LogToBase {
    double operator()(double x, double y) const {
        if (!(x > 0) || !(y > 0) || y == 1) return null<double>;
        if (y == 10) return std::log10(x);
        if (y == 2) return std::log2(x);
        return finite(std::log(x) / std::log(y));
    }
};
struct Atan2 {
    double operator()(double x, double y) const { return std::atan2(x, y); }
};
inline constexpr ScalarForm kPowForms[] = {scalarForm<Pow, double, double>()};
inline constexpr ScalarForm kAtan2Forms[] = {scalarForm<Atan2, double, double>()};
inline constexpr ScalarForm kLogForms[] = {scalarForm<Log, double>(), scalarForm<LogToBase, double, double>()};

// Rounds to LONG; a value beyond the range of LONG is NULL.
int64_t toLong(double x) {
    return x >= -9.2233720368547748e18 && x < 9.2233720368547758e18 ? static_cast<int64_t>(x) : null<int64_t>;
}
struct Floor {
    int64_t operator()(double x) const { return toLong(std::floor(x)); }
};
struct Ceil {
    int64_t operator()(double x) const { return toLong(std::ceil(x)); }
};
struct RoundToLong {
    int64_t operator()(double x) const { return toLong(std::round(x)); }
};

struct SameLong {
    int64_t operator()(int64_t x) const { return x; }
};
// Integers are their own floor and ceiling, and stay exact.
template <class F>
inline constexpr ScalarForm kWholeForms[] = {scalarForm<SameLong, int64_t>(), scalarForm<F, double>()};

constexpr int64_t kMaxDigits = 15;
double scaleOfDigits(int64_t digits) {
    return std::pow(10.0, static_cast<double>(std::abs(digits)));
}
double roundToDigits(double x, int64_t digits, double scale) {
    if (digits < 0) return std::round(x / scale) * scale;
    // Half away from zero on the decimal digits: 2.675 is a little less, and rounds as written.
    const double scaled = x * scale;
    double nearest = std::round(scaled);
    if (std::abs(std::abs(scaled - std::trunc(scaled)) - 0.5) < 1e-9 * std::max(1.0, std::abs(scaled))) {
        nearest = std::trunc(scaled) + (x < 0 ? -1 : 1);
    }
    return std::abs(scaled) < 9e15 ? nearest / scale : x;
}
struct RoundToDigits {
    static constexpr bool kSeesNulls = true, kMayDecline = true;
    double operator()(double x, int64_t digits) const {
        if (isNull(digits) || digits < -kMaxDigits || digits > kMaxDigits) return declined;
        return isNull(x) ? x : roundToDigits(x, digits, scaleOfDigits(digits));
    }
};
inline constexpr ScalarForm kRoundForms[] = {scalarForm<SameLong, int64_t>(), scalarForm<RoundToLong, double>(),
                                             scalarForm<RoundToDigits, double, int64_t>()};

Ref<Vector> absoluteOf(const Vector& v) {
    BlockProgram program;
    program.setResult(program.absolute(program.input(0, v.type())));
    const Vector* input = &v;
    return program.run({&input, 1}, v.size());
}

Value absKernel(Context&, Arguments arguments) {
    return mapElements(arguments[0], [](const Vector& v) {
        if (isDecimal(v.type())) {
            const Value x = Value::of(v.slice(0, v.size()));
            const Value positive =
                selectItems(applyBinary(Operator::Lt, x, Value::ofInt(0)), applyUnary(Operator::Neg, x), x);
            return Ref<Vector>(&positive.vector());
        }
        if (!isNumeric(v.type()))
            throw UserError(0, fmt::format("X must be numeric, but it is {}.", typeName(v.type())));
        return absoluteOf(v.type() == Type::Bool ? *cast(v, Type::Int) : v);
    });
}

template <class F>
Value wholeKernel(Context& context, Arguments arguments) {
    const Value& x = arguments[0];
    const bool isFlat = x.isScalar() || x.isTypedVector() || x.isPair() || x.isMatrix();
    if (isFlat && isNumeric(x.type()) && !isFloating(x.type())) return cast(x, Type::Long);
    return elementwiseKernel<F, double>(context, arguments);
}

Value roundKernel(Context& context, Arguments arguments) {
    if (!isGiven(arguments, 1)) return wholeKernel<RoundToLong>(context, arguments.first(1));
    int64_t digits = integerArgument(arguments, 1, "precision");
    if (digits < -kMaxDigits || digits > kMaxDigits) {
        refuseArgument(1, "precision", "between -15 and 15", arguments[1]);
    }
    const double scale = scaleOfDigits(digits);
    return mapElements(arguments[0], [&](const Vector& v) {
        Ref<Vector> in = numbersAs<double>(v);
        Ref<Vector> out = Vector::make(Type::Double, v.size());
        const double* x = in->data<double>();
        double* y = out->mutableData<double>();
        for (int64_t i = 0; i < v.size(); ++i) y[i] = isNull(x[i]) ? x[i] : roundToDigits(x[i], digits, scale);
        return out;
    });
}

Value squareKernel(Context&, Arguments arguments) {
    return applyBinary(Operator::Mul, arguments[0], arguments[0]);
}

// Elementwise function of two arguments, either of which may be a scalar, as DOUBLE.
template <class F>
Value binaryReal(Arguments arguments, F f) {
    const Value& a = arguments[0];
    const Value& b = arguments[1];
    if (a.isScalar() && b.isScalar()) {
        if (a.isNull() || b.isNull()) return Value::nullOf(Type::Double);
        return Value::ofDouble(f(realArgument(arguments, 0, "X"), realArgument(arguments, 1, "Y")));
    }
    if (a.isMatrix() != b.isMatrix() && (a.isVector() || b.isVector())) {
        // A vector goes with each column.
        const Matrix& shape = a.isMatrix() ? a.matrix() : b.matrix();
        Value cells[2] = {broadcastToCells(a, shape), broadcastToCells(b, shape)};
        const Value result = binaryReal(cells, f);
        return Value::of(shape.withCells(Ref<Vector>(&result.vector())));
    }
    if (a.isArrayVector() || b.isArrayVector()) {
        const ArrayVector& rows = a.isArrayVector() ? a.arrayVector() : b.arrayVector();
        Value values[2] = {broadcastToValues(rows, a), broadcastToValues(rows, b)};
        const Value result = binaryReal(values, f);
        return Value::of(rows.withValues(Ref<Vector>(&result.vector())));
    }
    bool left = !a.isScalar();
    return mapElements(left ? a : b, [&](const Vector& v) {
        Ref<Vector> first = numbersAs<double>(v, left ? 0 : 1, left ? "X" : "Y");
        const Value& other = left ? b : a;
        Ref<Vector> second;
        if (!other.isScalar()) {
            second = numbersAs<double>(other.isMatrix() ? *other.matrix().cells : other.vector(), 1, "Y");
            if (second->size() != v.size()) {
                throw UserError(
                    1, fmt::format("The vectors don't have the same length: {} and {}.", v.size(), second->size()));
            }
        }
        double constant = second ? 0 : other.asDouble();
        Ref<Vector> out = Vector::make(Type::Double, v.size());
        const double* p = first->data<double>();
        const double* q = second ? second->data<double>() : nullptr;
        double* y = out->mutableData<double>();
        for (int64_t i = 0; i < v.size(); ++i) {
            double u = p[i], w = q ? q[i] : constant;
            y[i] = isNull(u) || isNull(w) ? null<double> : left ? f(u, w) : f(w, u);
        }
        return out;
    });
}

Value powKernel(Context&, Arguments arguments) {
    return binaryReal(arguments, Pow());
}
Value logKernel(Context& context, Arguments arguments) {
    if (!isGiven(arguments, 1)) return elementwiseKernel<Log, double>(context, arguments.first(1));
    return binaryReal(arguments, LogToBase());
}
Value atan2Kernel(Context&, Arguments arguments) {
    return binaryReal(arguments, Atan2());
}

}  // namespace

void registerMath(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, auto kernel, std::string_view summary, std::string_view example,
                   std::string_view nulls = "NULL for NULL.", std::string_view units = "",
                   const Declaration& declaration = kElementwise) {
        registry.add(
            syntax, kernel,
            {.summary = summary, .units = units, .nulls = nulls, .errors = "X is not numeric.", .example = example},
            declaration);
    };
    constexpr std::string_view kDomain = "NULL for NULL, and where the function is not defined or overflows.";
    add("abs(X)", absKernel, "X without its sign, in the type of X.", "abs(-2 3) -> [2,3]", "NULL for NULL.", "",
        {.takes = {kNumber},
         .gives = sameOrInt(0),
         .kind = FunctionKind::Elementwise,
         .nulls = NullRule::Propagate,
         .role = Role::Absolute,
         .scalar = kForNumbers<Absolute>});
    add("exp(X)", elementwise<Exp, double>(), "e to the power of X, as DOUBLE.", "exp(0 1) -> [1,2.718282]", kDomain);
    add("exp2(X)", elementwise<Exp2, double>(), "2 to the power of X, as DOUBLE.", "exp2(3) -> 8", kDomain);
    add("expm1(X)", elementwise<Expm1, double>(), "exp(X) - 1, exact for small X.", "expm1(0) -> 0", kDomain);
    add("log(X, [Y])", logKernel, "Natural logarithm, or the one to base Y, as DOUBLE.",
        "log(1 0) -> [0,]\nlog(8 1, 2) -> [3,0]", kDomain, "",
        {.takes = {kNumber, kNumber},
         .gives = is(Type::Double),
         .kind = FunctionKind::Elementwise,
         .scalar = kLogForms});
    add("log2(X)", elementwise<Log2, double>(), "Logarithm to base 2, as DOUBLE.", "log2(8) -> 3", kDomain);
    add("log10(X)", elementwise<Log10, double>(), "Logarithm to base 10, as DOUBLE.", "log10(1000) -> 3", kDomain);
    add("log1p(X)", elementwise<Log1p, double>(), "log(1 + X), exact for small X.", "log1p(0) -> 0", kDomain);
    Declaration root = kElementwise;
    root.role = Role::SquareRoot;
    add("sqrt(X)", elementwise<Sqrt, double>(), "Square root, as DOUBLE.", "sqrt(4 -1) -> [2,]", kDomain, "", root);
    add("cbrt(X)", elementwise<Cbrt, double>(), "Cube root, as DOUBLE.", "cbrt(27) -> 3");
    add("reciprocal(X)", elementwise<Reciprocal, double>(), "1 / X, as DOUBLE.", "reciprocal(4) -> 0.25", kDomain);
    add("square(X)", squareKernel, "X * X.", "square(3) -> 9", "NULL for NULL.", "",
        {.gives = promote(0, 0, Operator::Mul), .kind = FunctionKind::Elementwise, .scalar = kForNumbers<Square>});
    constexpr std::string_view kRadians = "radians";
    add("sin(X)", elementwise<Sin, double>(), "Sine, as DOUBLE.", "sin(0) -> 0", kDomain, kRadians);
    add("cos(X)", elementwise<Cos, double>(), "Cosine, as DOUBLE.", "cos(0) -> 1", kDomain, kRadians);
    add("tan(X)", elementwise<Tan, double>(), "Tangent, as DOUBLE.", "tan(0) -> 0", kDomain, kRadians);
    add("asin(X)", elementwise<Asin, double>(), "Inverse sine, as DOUBLE.", "asin(0 1) -> [0,1.570796]", kDomain,
        kRadians);
    add("acos(X)", elementwise<Acos, double>(), "Inverse cosine, as DOUBLE.", "acos(1) -> 0", kDomain, kRadians);
    add("atan(X)", elementwise<Atan, double>(), "Inverse tangent, as DOUBLE.", "atan(1) -> 0.785398", kDomain,
        kRadians);
    add("sinh(X)", elementwise<Sinh, double>(), "Hyperbolic sine, as DOUBLE.", "sinh(0) -> 0", kDomain);
    add("cosh(X)", elementwise<Cosh, double>(), "Hyperbolic cosine, as DOUBLE.", "cosh(0) -> 1", kDomain);
    add("tanh(X)", elementwise<Tanh, double>(), "Hyperbolic tangent, as DOUBLE.", "tanh(0) -> 0");
    add("asinh(X)", elementwise<Asinh, double>(), "Inverse hyperbolic sine, as DOUBLE.", "asinh(0) -> 0");
    add("acosh(X)", elementwise<Acosh, double>(), "Inverse hyperbolic cosine, as DOUBLE.", "acosh(1) -> 0", kDomain);
    add("atanh(X)", elementwise<Atanh, double>(), "Inverse hyperbolic tangent, as DOUBLE.", "atanh(0) -> 0", kDomain);
    add("deg2rad(X)", elementwise<DegreesToRadians, double>(), "Degrees as radians.", "deg2rad(180) -> 3.141593");
    add("rad2deg(X)", elementwise<RadiansToDegrees, double>(), "Radians as degrees.", "rad2deg(pi) -> 180");
    add("signum(X)", elementwise<Sign, double>(), "1, 0 or -1 with the sign of X, as INT.",
        "signum(-2 0 5) -> [-1,0,1]");
    registry.alias("sign", "signum");
    add("floor(X)", wholeKernel<Floor>, "The largest LONG that is not above X.", "floor(2.7 -2.1) -> [2,-3]",
        "NULL for NULL.", "",
        {.takes = {kNumber}, .gives = is(Type::Long), .kind = FunctionKind::Elementwise, .scalar = kWholeForms<Floor>});
    add("ceil(X)", wholeKernel<Ceil>, "The smallest LONG that is not below X.", "ceil(2.1 -2.7) -> [3,-2]",
        "NULL for NULL.", "",
        {.takes = {kNumber}, .gives = is(Type::Long), .kind = FunctionKind::Elementwise, .scalar = kWholeForms<Ceil>});
    add("round(X, [precision])", roundKernel,
        "X rounded half away from zero: to LONG, or with precision to that many decimals, as DOUBLE.",
        "round(2.5 -2.5) -> [3,-3]\nround(1.23456, 2) -> 1.23", "NULL for NULL.", "",
        {.takes = {kNumber, kNumber | Takes::Constant},
         .gives = ifGiven(1, Type::Double, Type::Long),
         .kind = FunctionKind::Elementwise,
         .scalar = kRoundForms});
    add("pow(X, Y)", powKernel, "X to the power of Y, as DOUBLE.", "pow(2, 10) -> 1024", kDomain, "",
        {.takes = {kNumber, kNumber},
         .gives = is(Type::Double),
         .kind = FunctionKind::Elementwise,
         .scalar = kPowForms});
    registry.alias("power", "pow");
    add("atan2(X, Y)", atan2Kernel, "The angle of the point (Y, X), as DOUBLE.", "atan2(1, 1) -> 0.785398", kDomain,
        kRadians,
        {.takes = {kNumber, kNumber},
         .gives = is(Type::Double),
         .kind = FunctionKind::Elementwise,
         .scalar = kAtan2Forms});
}

}  // namespace pelorus
