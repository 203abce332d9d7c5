// Conversion functions, one per type, and functions that return types.
#include <cmath>

#include "common/thread/cancellation.h"
#include "common/time/calendar.h"
#include "runtime/kernel/elementwise/decimal_operators.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/table/table.h"
#include "runtime/value/decimal.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/tensor.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// int(), int(x): NULL of the type, or x converted.
template <Type kType>
Value convertKernel(Context&, Arguments arguments) {
    if (isOmitted(arguments[0])) return Value::nullOf(kType);
    const Value& x = arguments[0];
    if (isTemporal(kType) && isTemporal(x.type()) && !calendar::canConvert(x.type(), kType)) {
        std::string name(typeName(x.type()));
        for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        std::string target(typeName(kType));
        for (char& c : target) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        throw UserError(0, fmt::format("The function {} does not support {} data", target, name));
    }
    return mapContainer(x, [](const Value& v) { return cast(v, kType); });
}

// Rounds half away from zero; NULL when the result is out of range of the type. Integers keep their low bits.
template <class T>
struct Convert {
    T operator()(double x) const {
        constexpr double kLimit = static_cast<double>(uint64_t{1} << (sizeof(T) * 8 - 1));
        const double rounded = std::round(x);
        return rounded >= -kLimit && rounded < kLimit ? static_cast<T>(static_cast<int64_t>(rounded)) : null<T>;
    }
    T operator()(int64_t x) const { return static_cast<T>(x); }
};
template <class T>
inline constexpr ScalarForm kWholeForms[] = {scalarForm<Convert<T>, int64_t>(), scalarForm<Convert<T>, double>()};

struct SameReal {
    double operator()(double x) const { return x; }
};
inline constexpr ScalarForm kRealForms[] = {scalarForm<SameReal, double>()};

struct IsNotZero {
    bool operator()(double x) const { return x != 0; }
    bool operator()(int64_t x) const { return x != 0; }
};
inline constexpr ScalarForm kBoolForms[] = {scalarForm<IsNotZero, int64_t>(), scalarForm<IsNotZero, double>()};

Value stringKernel(Context&, Arguments arguments) {
    if (isOmitted(arguments[0])) return Value::ofString("");
    return mapContainer(arguments[0], [](const Value& v) -> Value {
        if (v.isScalar()) return Value::ofString(toString(v));
        if (isLiteral(v.type()) || isNumeric(v.type()) || isTemporal(v.type())) return cast(v, Type::String);
        if (!v.isVector() && !v.isPair()) return Value::ofString(display(v));
        Ref<Vector> out = Vector::make(Type::String, v.size());
        for (int64_t i = 0; i < v.size(); ++i) out->setString(i, toString(v.vector().at(i)));
        return Value::of(out, v.form());
    });
}

Value typeKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    if (x.isDictionary()) return Value::ofInt(static_cast<int32_t>(x.dictionary().valueType()));
    if (x.isTable()) return Value::ofInt(static_cast<int32_t>(Type::Dictionary));
    if (const Tensor* tensor = asTensor(x)) return Value::ofInt(static_cast<int32_t>(tensor->cells->type()));
    return Value::ofInt(static_cast<int32_t>(columnType(x)));
}
Value typestrKernel(Context&, Arguments arguments) {
    return Value::ofString(typeString(arguments[0]));
}
Value formKernel(Context&, Arguments arguments) {
    const Form form = asTensor(arguments[0]) ? Form::Tensor : arguments[0].form();
    return Value::ofInt(static_cast<int32_t>(form));
}
Value categoryKernel(Context&, Arguments arguments) {
    return Value::ofInt(static_cast<int32_t>(categoryOf(arguments[0].type())));
}

template <Form kForm>
Value isFormKernel(Context&, Arguments arguments) {
    return Value::ofBool(arguments[0].form() == kForm);
}

// duration("5m")
Value durationKernel(Context&, Arguments arguments) {
    if (arguments[0].isScalar() && arguments[0].type() == Type::Duration) return arguments[0];
    std::string string = stringArgument(arguments, 0, "X");
    size_t digits = 0;
    bool negative = !string.empty() && string[0] == '-';
    size_t begin = negative ? 1 : 0;
    int64_t amount = 0;
    for (digits = begin; digits < string.size() && string[digits] >= '0' && string[digits] <= '9' && amount < INT32_MAX;
         ++digits) {
        amount = amount * 10 + (string[digits] - '0');
    }
    const std::string unitString = string.substr(digits);
    const bool isCalendar = unitString.size() == 4 && std::all_of(unitString.begin(), unitString.end(),
                                                                  [](char c) { return c >= 'A' && c <= 'Z'; });
    if (digits > begin && amount <= INT32_MAX && isCalendar) {
        int32_t packed = 0;
        for (char c : unitString) packed = packed << 8 | c;
        return Value::ofDuration(static_cast<int32_t>(negative ? -amount : amount), packed);
    }
    DurationUnit unit;
    if (digits == begin || amount > INT32_MAX || !calendar::unitByName(string.substr(digits), unit)) {
        refuseArgument(0, "X", "a duration such as 5m", arguments[0]);
    }
    return Value::ofDuration(static_cast<int32_t>(negative ? -amount : amount), static_cast<int32_t>(unit));
}

template <Type kType, int kMaxScale>
Value decimalKernel(Context&, Arguments arguments) {
    int64_t scale = integerArgument(arguments, 1, "scale");
    if (scale < 0 || scale > kMaxScale) {
        throw UserError(
            1, fmt::format("Scale out of bound (valid range: [0, {}], but get: {}). RefId: S05010", kMaxScale, scale));
    }
    return mapContainer(arguments[0], [&](const Value& v) { return cast(v, kType, static_cast<uint8_t>(scale)); });
}

template <Type kType>
Value wideKernel(Context&, Arguments arguments) {
    if (isOmitted(arguments[0])) return Value::nullOf(kType);
    return mapContainer(arguments[0], [](const Value& v) {
        if (v.type() != kType && !isLiteral(v.type())) refuseArgument(0, "X", "text", v);
        return cast(v, kType);
    });
}

template <Type kType>
Value twoPartKernel(Context&, Arguments arguments) {
    auto one = [](double x, double y) {
        double parts[2] = {x, y};
        return Value::ofBytes16(kType, parts);
    };
    const Value &x = arguments[0], &y = arguments[1];
    const auto isReal = [](const Value& v) {
        return v.isScalar() && (v.isVoid() || v.isNumber() || isDecimal(v.type()));
    };
    const auto real = [](const Value& v) { return cast(v, Type::Double).real(); };
    if (isReal(x) && isReal(y)) {
        return x.isNull() || y.isNull() ? Value::nullOf(kType) : one(real(x), real(y));
    }
    // A scalar pairs with every element of a vector.
    const Ref<Vector> xs =
        isReal(x) ? Vector::filled(Type::Double, y.size(), cast(x, Type::Double)) : realsArgument(arguments, 0, "X");
    const Ref<Vector> ys =
        isReal(y) ? Vector::filled(Type::Double, xs->size(), cast(y, Type::Double)) : realsArgument(arguments, 1, "Y");
    if (xs->size() != ys->size()) {
        throw UserError(1, fmt::format("X and Y differ in length: {} and {}.", xs->size(), ys->size()));
    }
    Ref<Vector> out = Vector::make(kType, xs->size());
    inPieces(xs->size(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const double a = xs->data<double>()[i], b = ys->data<double>()[i];
            out->set(i, pelorus::isNull(a) || pelorus::isNull(b) ? Value::nullOf(kType) : one(a, b));
        }
    });
    return Value::of(out);
}

// DECIMAL32(scale) with a scale that is computed; a literal one is a constant already.
template <Type kType>
Value decimalTypeKernel(Context&, Arguments arguments) {
    const int64_t scale = integerArgument(arguments, 0, "scale");
    if (scale < 0 || scale > maxScale(kType)) {
        throw UserError(0, fmt::format("Scale out of bound (valid range: [0, {}], but get: {}). RefId: S05010",
                                       maxScale(kType), scale));
    }
    return Value::ofInt(typeConstant(kType, static_cast<int>(scale)));
}

// decimalMultiply(X, Y, scale): a scale that does not suit is as if it were not given.
Value decimalMultiplyKernel(Context&, Arguments arguments) {
    const Value &x = arguments[0], &y = arguments[1];
    const int64_t scale = integerArgument(arguments, 2, "scale");
    const bool left = isDecimal(x.type()), right = isDecimal(y.type());
    if (!left && !right) refuseArgument(0, "X", "DECIMAL, or Y must be", x);
    const int a = left ? x.extra() : y.extra(), b = right ? y.extra() : x.extra();
    const bool suits = left && right ? scale >= std::min(a, b) && scale <= a + b : scale == a;
    const bool flat = (x.isScalar() || x.isTypedVector()) && (y.isScalar() || y.isTypedVector());
    if (!suits || !flat) return applyBinary(Operator::Mul, x, y);
    return decimal::operation(Operator::Mul, x, y, static_cast<int>(scale));
}

}  // namespace

static void addConversion(FunctionRegistry& registry, std::string_view syntax, Kernel kernel, TypeRule gives,
                          std::string_view summary, std::string_view example, Role role = Role::None,
                          std::span<const ScalarForm> scalar = {}) {
    registry.add(syntax, kernel,
                 {.summary = summary,
                  .nulls = "NULL stays NULL; without X, the NULL of the type; a string that does not parse is NULL.",
                  .errors = "The language has no such conversion.",
                  .example = example},
                 {.takes = {kAnything, kAnything | Takes::Constant},
                  .gives = gives,
                  .kind = FunctionKind::Elementwise,
                  .role = role,
                  .scalar = scalar});
}

static void registerNumbersAndStrings(FunctionRegistry& registry) {
    addConversion(registry, "bool([X])", convertKernel<Type::Bool>, is(Type::Bool),
                  "X as BOOL: any number but 0 is true.", "bool(0 2) -> [false,true]", Role::None, kBoolForms);
    addConversion(registry, "char([X])", convertKernel<Type::Char>, is(Type::Char), "X as CHAR.", "char(99) -> c");
    addConversion(registry, "short([X])", convertKernel<Type::Short>, is(Type::Short),
                  "X as SHORT; wider integers keep their low bits.", "short(65578) -> 42");
    addConversion(registry, "int([X])", convertKernel<Type::Int>, is(Type::Int),
                  "X as INT: floats rounded half away from zero, a string by its leading digits.",
                  "int(8.9 -2.5) -> [9,-3]\nint(`12) -> 12", Role::None, kWholeForms<int32_t>);
    addConversion(registry, "long([X])", convertKernel<Type::Long>, is(Type::Long), "X as LONG.", "long(3.5) -> 4",
                  Role::ToLong, kWholeForms<int64_t>);
    addConversion(registry, "float([X])", convertKernel<Type::Float>, is(Type::Float), "X as FLOAT.",
                  "float(1.5) -> 1.5");
    addConversion(registry, "double([X])", convertKernel<Type::Double>, is(Type::Double), "X as DOUBLE.",
                  "double(`1.5) -> 1.5", Role::ToDouble, kRealForms);
    addConversion(registry, "symbol([X])", convertKernel<Type::Symbol>, is(Type::Symbol), "X as SYMBOL.",
                  "typestr(symbol(`a`b)) -> FAST SYMBOL VECTOR");
    addConversion(registry, "string([X])", stringKernel, is(Type::String), "X as a string, as it is shown.",
                  "string(108.5) -> 108.5\nstring(1 2) -> [\"1\",\"2\"]");
    addConversion(registry, "blob(X)", convertKernel<Type::Blob>, is(Type::Blob), "X as BLOB.",
                  "typestr(blob(`a)) -> BLOB");
}

static void registerTemporals(FunctionRegistry& registry) {
    addConversion(registry, "date([X])", convertKernel<Type::Date>, is(Type::Date), "The date of X.",
                  "date(2024.03.15T13:30:10) -> 2024.03.15\ndate(1) -> 1970.01.02");
    addConversion(registry, "month([X])", convertKernel<Type::Month>, is(Type::Month), "The month of X.",
                  "month(2024.03.15) -> 2024.03M");
    addConversion(registry, "time([X])", convertKernel<Type::Time>, is(Type::Time),
                  "The time of day of X in milliseconds.", "time(2024.03.15T13:30:10.008) -> 13:30:10.008");
    addConversion(registry, "minute([X])", convertKernel<Type::Minute>, is(Type::Minute), "The minute of the day of X.",
                  "minute(13:30:10) -> 13:30m");
    addConversion(registry, "second([X])", convertKernel<Type::Second>, is(Type::Second), "The second of the day of X.",
                  "second(2024.03.15T13:30:10.008) -> 13:30:10");
    addConversion(registry, "datetime([X])", convertKernel<Type::DateTime>, is(Type::DateTime), "X to the second.",
                  "datetime(2024.03.15) -> 2024.03.15T00:00:00");
    addConversion(registry, "datehour([X])", convertKernel<Type::DateHour>, is(Type::DateHour), "X to the hour.",
                  "datehour(2024.03.15T13:30:10) -> 2024.03.15T13");
    addConversion(registry, "timestamp([X])", convertKernel<Type::Timestamp>, is(Type::Timestamp),
                  "X to the millisecond.", "timestamp(2024.03.15) -> 2024.03.15T00:00:00.000");
    addConversion(registry, "nanotime([X])", convertKernel<Type::NanoTime>, is(Type::NanoTime),
                  "The time of day of X in nanoseconds.", "nanotime(13:30:10) -> 13:30:10.000000000");
    addConversion(registry, "nanotimestamp([X])", convertKernel<Type::NanoTimestamp>, is(Type::NanoTimestamp),
                  "X to the nanosecond.", "nanotimestamp(2024.03.15) -> 2024.03.15T00:00:00.000000000");
}

static void registerWideTypes(FunctionRegistry& registry) {
    auto addPair = [&](std::string_view syntax, Kernel kernel, TypeRule gives, std::string_view summary,
                       std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .nulls = "NULL where X or Y is.",
                      .errors = "X or Y is not numeric.",
                      .example = example},
                     {.gives = gives, .kind = FunctionKind::Elementwise});
    };
    addConversion(registry, "uuid([X])", wideKernel<Type::Uuid>, is(Type::Uuid), "The UUID written in X.",
                  "uuid(\"5d212a78-cc48-e3b1-4235-b4d91473ee87\") -> 5d212a78-cc48-e3b1-4235-b4d91473ee87");
    addConversion(registry, "int128([X])", wideKernel<Type::Int128>, is(Type::Int128),
                  "The 16 bytes written in X as 32 hexadecimal digits.",
                  "int128(\"e1671797c52e15f763380b45e841ec32\") -> e1671797c52e15f763380b45e841ec32");
    addConversion(registry, "ipaddr([X])", wideKernel<Type::IpAddr>, is(Type::IpAddr),
                  "The IP address written in X, of version 4 or 6.", "ipaddr(\"192.168.1.13\") -> 192.168.1.13");
    addPair("complex(X, Y)", twoPartKernel<Type::Complex>, is(Type::Complex), "The complex number X+Yi.",
            "complex(2, 5) -> 2.0+5.0i");
    addPair("point(X, Y)", twoPartKernel<Type::Point>, is(Type::Point), "The point (X, Y).", "point(1, 2) -> (1, 2)");
}

static void registerDecimals(FunctionRegistry& registry) {
    addConversion(registry, "decimal32(X, scale)", decimalKernel<Type::Decimal32, 9>, decimalOf(Type::Decimal32, 1),
                  "X as DECIMAL32 with so many decimals.", "decimal32(\"3.1415\", 2) -> 3.14");
    addConversion(registry, "decimal64(X, scale)", decimalKernel<Type::Decimal64, 18>, decimalOf(Type::Decimal64, 1),
                  "X as DECIMAL64 with so many decimals.", "decimal64(3, 2) -> 3.00");
    addConversion(registry, "decimal128(X, scale)", decimalKernel<Type::Decimal128, 38>, decimalOf(Type::Decimal128, 1),
                  "X as DECIMAL128 with so many decimals.", "decimal128(1.5, 3) -> 1.500");
    registry.add("decimalMultiply(X, Y, scale)", decimalMultiplyKernel,
                 {.summary = "X * Y with so many decimals; further ones are cut off.",
                  .parameters = "scale: of two decimals, between the smaller of their scales and the sum of both; of a "
                                "decimal and an integer, that of the decimal. Other values are as X * Y.",
                  .nulls = "NULL for NULL.",
                  .errors = "Neither X nor Y is DECIMAL; the product has no room in DECIMAL128.",
                  .example = "decimalMultiply(1.25P, 1.5P, 2) -> 1.87"});
    auto decimalType = [&](std::string_view syntax, Kernel kernel, std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = "The type of decimals with so many digits after the point, as $ takes it.",
                      .errors = "The scale is out of range.",
                      .example = example});
    };
    decimalType("DECIMAL32(scale)", decimalTypeKernel<Type::Decimal32>, "1.5 $ DECIMAL32(1 + 1) -> 1.50");
    decimalType("DECIMAL64(scale)", decimalTypeKernel<Type::Decimal64>, "1.5 $ DECIMAL64(1 + 1) -> 1.50");
    decimalType("DECIMAL128(scale)", decimalTypeKernel<Type::Decimal128>, "1.5 $ DECIMAL128(1 + 1) -> 1.50");
    registry.add("duration(X)", durationKernel,
                 {.summary = "The duration written in X.", .example = "duration(\"20H\") -> 20H"});
}

static void registerTypesAndForms(FunctionRegistry& registry) {
    auto plain = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                     const Declaration& declaration = {}) {
        registry.add(syntax, kernel, {.summary = summary, .example = example}, declaration);
    };
    plain("type(X)", typeKernel, "The id of the type of X, as INT.", "type(1.5) == DOUBLE -> true");
    plain("typestr(X)", typestrKernel, "The type and form of X in words.", "typestr(1 2 3) -> FAST INT VECTOR",
          {.gives = is(Type::String), .role = Role::TypeName, .takesSharedTables = true});
    plain("form(X)", formKernel, "The id of the form of X, as INT.", "form(1 2 3) == VECTOR -> true");
    plain("category(X)", categoryKernel, "The id of the category of X's type, as INT.", "category(1.5) -> 3");
    plain("isScalar(X)", isFormKernel<Form::Scalar>, "Whether X is a scalar.", "isScalar(1) -> true");
    plain("isVector(X)", isFormKernel<Form::Vector>, "Whether X is a vector or tuple.", "isVector(1 2) -> true");
    plain("isPair(X)", isFormKernel<Form::Pair>, "Whether X is a pair.", "isPair(1:2) -> true");
    plain("isMatrix(X)", isFormKernel<Form::Matrix>, "Whether X is a matrix.", "isMatrix(1 2) -> false");
    plain("isSet(X)", isFormKernel<Form::Set>, "Whether X is a set.", "isSet(1 2) -> false");
    plain("isDict(X)", isFormKernel<Form::Dictionary>, "Whether X is a dictionary.", "isDict({a: 1}) -> true");
    plain("isTable(X)", isFormKernel<Form::Table>, "Whether X is a table.", "isTable(1) -> false");
}

void registerConversions(FunctionRegistry& registry) {
    registerNumbersAndStrings(registry);
    registerTemporals(registry);
    registerWideTypes(registry);
    registerDecimals(registry);
    registerTypesAndForms(registry);
}

}  // namespace pelorus
