// The operators under their function names.
#include "runtime/kernel/elementwise/operators.h"

#include <cmath>

#include "common/error.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/value/cast.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

template <Operator op>
static Value binaryKernel(Context&, Arguments arguments) {
    return applyBinary(op, arguments[0], arguments[1]);
}

static Value negKernel(Context&, Arguments arguments) {
    return applyUnary(Operator::Neg, arguments[0]);
}
static Value notKernel(Context&, Arguments arguments) {
    return applyUnary(Operator::Not, arguments[0]);
}
static Value bitNotKernel(Context&, Arguments arguments) {
    return mapElements(arguments[0], [](const Vector& v) {
        if (!isIntegral(v.type()))
            throw UserError(0, fmt::format("X must be integral, but it is {}.", typeName(v.type())));
        // -x - 1 inverts every bit.
        const Value turned =
            applyBinary(Operator::Sub, applyUnary(Operator::Neg, Value::of(v.copy())), Value::ofInt(1));
        return cast(turned.vector(), v.type());
    });
}
static Value iifKernel(Context&, Arguments arguments) {
    return selectItems(arguments[0], arguments[1], arguments[2]);
}
static Value notInKernel(Context&, Arguments arguments) {
    return applyUnary(Operator::Not, applyBinary(Operator::In, arguments[0], arguments[1]));
}
static Value notBetweenKernel(Context&, Arguments arguments) {
    return applyUnary(Operator::Not, applyBinary(Operator::Between, arguments[0], arguments[1]));
}
static Value notLikeKernel(Context&, Arguments arguments) {
    return applyUnary(Operator::Not, applyBinary(Operator::Like, arguments[0], arguments[1]));
}
static Value ilikeKernel(Context&, Arguments arguments) {
    return isLike(arguments[0], arguments[1], true);
}

static Value eqFloatKernel(Context&, Arguments a) {
    const int64_t digits = integerArgument(a, 2, "precision", 9);
    if (digits < 0) throw UserError(2, "precision must not be negative.");
    const double tolerance = 0.5 * std::pow(10.0, -static_cast<double>(digits));
    const Value difference = applyBinary(Operator::Sub, a[0], a[1]);
    const Value near = applyBinary(Operator::And, applyBinary(Operator::Ge, difference, Value::ofDouble(-tolerance)),
                                   applyBinary(Operator::Le, difference, Value::ofDouble(tolerance)));
    return applyBinary(Operator::OrIgnoringNull, applyBinary(Operator::Eq, a[0], a[1]), near);
}

static Value xorKernel(Context&, Arguments a) {
    const Value both = applyBinary(Operator::And, a[0], a[1]);
    return applyBinary(Operator::And, applyBinary(Operator::OrIgnoringNull, a[0], a[1]),
                       applyUnary(Operator::Not, both));
}

static Value joinInPlace(Context&, Arguments arguments) {
    arguments[0] = joinValues(arguments[0], arguments[1]);
    return arguments[0];
}

template <Operator op>
static void addArithmetic(FunctionRegistry& registry, std::string_view syntax, std::string_view summary,
                          std::string_view example) {
    registry.add(syntax, binaryKernel<op>,
                 {.summary = summary,
                  .nulls = "NULL for NULL.",
                  .errors = "The types have no such operation, or the vectors differ in length. It is no error when an "
                            "integer does not fit the wider type of the two: it wraps around, so 200000 * 60000 is "
                            "-884901888; long(200000) * 60000 is right.",
                  .example = example},
                 {.gives = promote(0, 1, op),
                  .kind = FunctionKind::Elementwise,
                  // Concatenation of strings takes NULL as the empty string.
                  .nulls = op == Operator::Add ? NullRule::See : NullRule::Propagate});
}

// The explanations of the parameters of elementwise functions.
static constexpr std::string_view kParameterLines =
    "iif.cond: a BOOL or numeric scalar, vector or matrix\n"
    "iif.trueResult: a scalar, or of the shape of cond\n"
    "iif.falseResult: a scalar, or of the shape of cond, of a type that goes with trueResult";

static void addElementwise(FunctionRegistry& registry, std::string_view syntax, Kernel kernel, TypeRule gives,
                           std::string_view summary, std::string_view example, Role role = Role::None,
                           const Takes& takes = kAnything) {
    registry.add(syntax, kernel,
                 {.summary = summary,
                  .parameters = parameterLines(syntax, kParameterLines),
                  .nulls = "NULL for NULL, but comparisons take NULL as the smallest value and equal to NULL.",
                  .errors = "The types have no such operation, or the vectors differ in length.",
                  .example = example},
                 {.takes = {takes}, .gives = gives, .kind = FunctionKind::Elementwise, .role = role});
}

// Y is one collection for all elements of X.
static void addMembership(FunctionRegistry& registry, std::string_view syntax, Kernel kernel, std::string_view summary,
                          std::string_view example, Role role = Role::None) {
    registry.add(syntax, kernel,
                 {.summary = summary,
                  .nulls = "NULL is a value like others.",
                  .errors = "X and the second argument can't be compared.",
                  .example = example},
                 {.takes = {kAnything, kAnything | Takes::Together},
                  .gives = is(Type::Bool),
                  .kind = FunctionKind::Elementwise,
                  .role = role});
}

static void registerArithmetic(FunctionRegistry& registry) {
    addArithmetic<Operator::Add>(registry, "add(X, Y)", "X + Y elementwise; concatenates strings.",
                                 "add(1 2, 3) -> [4,5]");
    addArithmetic<Operator::Sub>(registry, "sub(X, Y)", "X - Y elementwise; the difference of sets.", "sub(5, 3) -> 2");
    addArithmetic<Operator::Mul>(registry, "mul(X, Y)", "X * Y elementwise.", "mul(2 3, 4) -> [8,12]");
    addArithmetic<Operator::Div>(registry, "div(X, Y)", "X / Y: rounded down for integers, the quotient for floats.",
                                 "div(-7, 5) -> -2");
    addArithmetic<Operator::Ratio>(registry, "ratio(X, Y)", "X divided by Y as DOUBLE.", "ratio(1, 4) -> 0.25");
    addArithmetic<Operator::Mod>(registry, "mod(X, Y)", "What is left of X divided by Y, with the sign of Y.",
                                 "mod(-10, 3) -> 2");
}

static void registerComparisons(FunctionRegistry& registry) {
    addElementwise(registry, "lt(X, Y)", binaryKernel<Operator::Lt>, is(Type::Bool), "X < Y elementwise.",
                   "lt(1, 2) -> true");
    addElementwise(registry, "le(X, Y)", binaryKernel<Operator::Le>, is(Type::Bool), "X <= Y elementwise.",
                   "le(2, 2) -> true");
    registry.add("eqFloat(X, Y, [precision=9])", eqFloatKernel,
                 {.summary = "Whether X and Y are equal to `precision` digits after the decimal point, elementwise.",
                  .parameters = "X: numbers: a scalar, vector or matrix\n"
                                "Y: a scalar, or of the shape of X\n"
                                "precision: how many digits after the decimal point, 0 or more",
                  .nulls = "NULL equals NULL only.",
                  .errors = "precision is negative.",
                  .example = "eqFloat(0.1234567891, 0.123456789) -> true\neqFloat(1.5 1.51, 1.5, 1) -> [true,true]"},
                 {.takes = {kAnything, kAnything, kAnything | Takes::Constant},
                  .gives = is(Type::Bool),
                  .kind = FunctionKind::Elementwise});
    addElementwise(registry, "eq(X, Y)", binaryKernel<Operator::Eq>, is(Type::Bool), "X == Y elementwise.",
                   "eq(1 2, 1 3) -> [true,false]");
    addElementwise(registry, "gt(X, Y)", binaryKernel<Operator::Gt>, is(Type::Bool), "X > Y elementwise.",
                   "gt(1, 2) -> false");
    addElementwise(registry, "ge(X, Y)", binaryKernel<Operator::Ge>, is(Type::Bool), "X >= Y elementwise.",
                   "ge(2, 2) -> true");
    addElementwise(registry, "ne(X, Y)", binaryKernel<Operator::Ne>, is(Type::Bool), "X != Y elementwise.",
                   "ne(1, 2) -> true");
    addElementwise(registry, "and(X, Y)", binaryKernel<Operator::And>, is(Type::Bool),
                   "Both X and Y, as BOOL; any non-zero number is true.", "and(true, 0) -> false");
    addElementwise(registry, "or(X, Y)", binaryKernel<Operator::OrIgnoringNull>, is(Type::Bool),
                   "X or Y, as BOOL; a NULL side gives the other side. Between operands, `||` gives NULL there.",
                   "or(true, 0) -> true");
    addElementwise(registry, "xor(X, Y)", xorKernel, is(Type::Bool),
                   "Whether one of X and Y is true and the other is not, as BOOL.", "true false xor 5 -> [false,true]");
}

static void registerBitsAndSigns(FunctionRegistry& registry) {
    addElementwise(registry, "bitAnd(X, Y)", binaryKernel<Operator::BitAnd>, promote(0, 1, Operator::BitAnd),
                   "Bitwise and of integers; the intersection of sets.", "bitAnd(6, 3) -> 2");
    addElementwise(registry, "bitOr(X, Y)", binaryKernel<Operator::BitOr>, promote(0, 1, Operator::BitOr),
                   "Bitwise or of integers; the union of sets.", "bitOr(6, 3) -> 7");
    addElementwise(registry, "bitXor(X, Y)", binaryKernel<Operator::BitXor>, promote(0, 1, Operator::BitXor),
                   "Bitwise exclusive or of integers; the symmetric difference of sets.", "bitXor(6, 3) -> 5");
    addElementwise(registry, "lshift(X, Y)", binaryKernel<Operator::ShiftLeft>, promote(0, 1, Operator::ShiftLeft),
                   "X shifted left by Y bits.", "lshift(1, 4) -> 16");
    addElementwise(registry, "rshift(X, Y)", binaryKernel<Operator::ShiftRight>, promote(0, 1, Operator::ShiftRight),
                   "X shifted right by Y bits, filling with zeros.", "rshift(16, 2) -> 4");
    addElementwise(registry, "not(X)", notKernel, is(Type::Bool), "Whether X is false, as BOOL.", "not(false) -> true",
                   Role::Not, kNumberOrTime);
    addElementwise(registry, "bitNot(X)", bitNotKernel, same(0), "X with every bit turned around.",
                   "bitNot(3 -1) -> [-4,0]");
    addElementwise(registry, "neg(X)", negKernel, sameOrInt(0), "-X elementwise.", "neg(1 -2) -> [-1,2]");
    addElementwise(registry, "iif(cond, trueResult, falseResult)", iifKernel, common(1, 2),
                   "trueResult where cond is true, falseResult where it is false, NULL where it is NULL, elementwise.",
                   "iif(true false true, 1 2 3, 0) -> [1,0,3]", Role::Select, kNumber);
}

static void registerMemberships(FunctionRegistry& registry) {
    addMembership(registry, "in(X, Y)", binaryKernel<Operator::In>,
                  "Whether elements of X are among those of Y: a vector, set, pair (a closed range) or the keys of a "
                  "dictionary. Of a keyed table, whether it has the keys. Where Y holds integers, fractions are "
                  "rounded first.",
                  "2 7 in 1 2 3 -> [true,false]");
    addMembership(registry, "notIn(X, Y)", notInKernel, "The opposite of in.", "notIn(2 7, 1 2 3) -> [false,true]");
    addMembership(registry, "notBetween(X, Y)", notBetweenKernel, "The opposite of between.",
                  "notBetween(1 5, 2:6) -> [true,false]");
    addMembership(registry, "notLike(X, pattern)", notLikeKernel, "The opposite of like.",
                  "notLike(`apple, \"b%\") -> true");
    addMembership(registry, "between(X, Y)", binaryKernel<Operator::Between>,
                  "Whether elements of X lie in the pair Y, both ends included.", "between(1 5, 2:6) -> [false,true]",
                  Role::Between);
    addMembership(registry, "like(X, pattern)", binaryKernel<Operator::Like>,
                  "Whether a string matches the pattern: % is any run, ? one character; case matters.",
                  "like(`apple, \"a%\") -> true");
    addMembership(registry, "ilike(X, pattern)", ilikeKernel, "As like, without regard to case.",
                  "ilike(`Apple, \"a%\") -> true");
}

static void registerWholeOperators(FunctionRegistry& registry) {
    registry.add("pair(a, b)", binaryKernel<Operator::Pair>,
                 {.summary = "The pair a:b.", .example = "pair(1, 3) -> 1 : 3"});
    registry.add("seq(start, end)", binaryKernel<Operator::Seq>,
                 {.summary = "The sequence start..end, both ends included, by steps of one up or down.",
                  .errors = "start or end is no integer or temporal scalar.",
                  .example = "seq(3, 1) -> [3,2,1]"});
    registry.add("join!(X, Y)", joinInPlace,
                 {.summary = "As join, changing X.",
                  .errors = "X and Y do not fit together.",
                  .example = "x = 1 2; join!(x, 3); x -> [1,2,3]"});
    registry.add("join(X, Y)", binaryKernel<Operator::Join>,
                 {.summary = "X followed by Y as a new object: a longer vector, a wider matrix or table.",
                  .example = "join(1 2, 3) -> [1,2,3]"});
    registry.add("dot(X, Y)", binaryKernel<Operator::Dot>,
                 {.summary = "The inner product of vectors, the product of matrices; NULL counts as 0.",
                  .example = "dot(1 2 3, 4 5 6) -> 32"});
    registry.add("cast(X, Y)", binaryKernel<Operator::Cast>,
                 {.summary = "X converted to a type, or reshaped when Y is a pair of rows and columns.",
                  .errors = "There is no such conversion.",
                  .example = "cast(8.9, INT) -> 9"},
                 {.takes = {kAnything, kAnything | Takes::Constant}, .role = Role::Convert});
    registry.alias("intersection", "bitAnd");
    registry.alias("union", "bitOr");
    registry.alias("symmetricDifference", "bitXor");
}

void registerOperators(FunctionRegistry& registry) {
    registerArithmetic(registry);
    registerComparisons(registry);
    registerBitsAndSigns(registry);
    registerMemberships(registry);
    registerWholeOperators(registry);
}

}  // namespace pelorus
