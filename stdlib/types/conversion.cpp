// Conversion functions, one per type, and what tells of types: CNV-04 … CNV-21, TYP-02, NUL-04.
#include "common/calendar.h"
#include "runtime/dictionary.h"
#include "runtime/kernel/elementwise.h"
#include "runtime/table.h"
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

Value stringKernel(Context&, Arguments arguments) {
    if (isOmitted(arguments[0])) return Value::ofString("");
    return mapContainer(arguments[0], [](const Value& v) -> Value {
        if (v.isScalar()) return Value::ofString(scalarText(v));
        if (isLiteral(v.type()) || isNumeric(v.type()) || isTemporal(v.type())) return cast(v, Type::String);
        if (!v.isVector() && !v.isPair()) return Value::ofString(display(v));
        Ref<Vector> out = Vector::make(Type::String, v.size());
        for (int64_t i = 0; i < v.size(); ++i) out->setText(i, scalarText(v.vector().at(i)));
        return Value::of(out, v.form());
    });
}

Value typeKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    if (x.isDictionary()) return Value::ofInt(static_cast<int32_t>(x.dictionary().valueType()));
    if (x.isTable()) return Value::ofInt(static_cast<int32_t>(Type::Dictionary));
    return Value::ofInt(static_cast<int32_t>(x.type()));
}
Value typestrKernel(Context&, Arguments arguments) {
    return Value::ofString(typeString(arguments[0]));
}
Value formKernel(Context&, Arguments arguments) {
    return Value::ofInt(static_cast<int32_t>(arguments[0].form()));
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
    std::string text = textArgument(arguments, 0, "X");
    size_t digits = 0;
    bool negative = !text.empty() && text[0] == '-';
    size_t begin = negative ? 1 : 0;
    int64_t amount = 0;
    for (digits = begin; digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && amount < INT32_MAX;
         ++digits) {
        amount = amount * 10 + (text[digits] - '0');
    }
    DurationUnit unit;
    if (digits == begin || amount > INT32_MAX || !calendar::unitByName(text.substr(digits), unit)) {
        refuseArgument(0, "X", "a duration such as 5m", arguments[0]);
    }
    return Value::ofDuration(static_cast<int32_t>(negative ? -amount : amount), static_cast<int32_t>(unit));
}

// The integers of a decimal at `scale`, from any number or text; NULL stays NULL.
__int128 rawDecimal(const Value& item, int scale, bool& isNullItem) {
    isNullItem = item.isNull();
    if (isNullItem) return 0;
    if (categoryOf(item.type()) == Category::Denary) {
        __int128 raw;
        if (item.type() == Type::Decimal128) {
            std::memcpy(&raw, item.bytes16(), sizeof raw);
        } else {
            raw = item.integer();
        }
        for (int s = item.extra(); s < scale; ++s) raw *= 10;
        for (int s = item.extra(); s > scale; --s) raw = (raw + (s == scale + 1 ? (raw < 0 ? -5 : 5) : 0)) / 10;
        return raw;
    }
    std::string text = item.isText() ? std::string(item.text()) : "";
    if (isFloating(item.type())) return static_cast<__int128>(std::round(item.real() * std::pow(10.0, scale)));
    if (text.empty()) {
        __int128 raw = item.integer();
        for (int s = 0; s < scale; ++s) raw *= 10;
        return raw;
    }
    __int128 raw = 0;
    bool negative = text[0] == '-', point = false, roundUp = false;
    int decimals = 0;
    for (size_t i = negative || text[0] == '+' ? 1 : 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '.' && !point) {
            point = true;
        } else if (c < '0' || c > '9') {
            isNullItem = true;
            return 0;
        } else if (point && decimals == scale) {
            roundUp = c >= '5';
            break;
        } else {
            raw = raw * 10 + (c - '0');
            if (point) ++decimals;
        }
    }
    for (; decimals < scale; ++decimals) raw *= 10;
    raw += roundUp ? 1 : 0;
    return negative ? -raw : raw;
}

template <Type kType>
Value decimalScalar(const Value& item, int scale) {
    bool isNullItem = false;
    __int128 raw = rawDecimal(item, scale, isNullItem);
    Value result;
    if (isNullItem) {
        result = Value::nullOf(kType);
    } else if constexpr (kType == Type::Decimal128) {
        result = Value::ofBytes16(kType, &raw);
    } else {
        __int128 most = kType == Type::Decimal32 ? INT32_MAX : INT64_MAX;
        if (raw > most || raw < -most) throw UserError(0, "Decimal math overflow. RefId: S05003");
        result = Value::scalar(kType, static_cast<int64_t>(raw));
    }
    result.setExtra(static_cast<uint8_t>(scale));
    return result;
}

template <Type kType, int kMaxScale>
Value decimalKernel(Context&, Arguments arguments) {
    int64_t scale = integerArgument(arguments, 1, "scale");
    if (scale < 0 || scale > kMaxScale) {
        throw UserError(
            1, fmt::format("Scale out of bound (valid range: [0, {}], but get: {}). RefId: S05010", kMaxScale, scale));
    }
    return mapContainer(arguments[0], [&](const Value& v) -> Value {
        if (v.isScalar()) return decimalScalar<kType>(v, static_cast<int>(scale));
        if (!v.isVector()) refuseArgument(0, "X", "a number or a vector of numbers", v);
        Ref<Vector> out = Vector::make(kType, v.size());
        out->setScale(static_cast<uint8_t>(scale));
        for (int64_t i = 0; i < v.size(); ++i)
            out->set(i, decimalScalar<kType>(v.vector().at(i), static_cast<int>(scale)));
        return Value::of(out);
    });
}

int hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// 32 hexadecimal digits, with dashes allowed for UUID.
template <Type kType>
Value wideFromText(std::string_view text) {
    uint8_t bytes[16] = {};
    int count = 0;
    for (char c : text) {
        if (c == '-' && kType == Type::Uuid) continue;
        int digit = hexDigit(c);
        if (digit < 0 || count == 32) return Value::nullOf(kType);
        bytes[15 - count / 2] = static_cast<uint8_t>(bytes[15 - count / 2] << 4 | digit);
        ++count;
    }
    return count == 32 ? Value::ofBytes16(kType, bytes) : Value::nullOf(kType);
}

template <Type kType>
Value wideKernel(Context&, Arguments arguments) {
    if (isOmitted(arguments[0])) return Value::nullOf(kType);
    return mapContainer(arguments[0], [](const Value& v) -> Value {
        if (v.type() == kType) return v;
        if (!isLiteral(v.type())) refuseArgument(0, "X", "text", v);
        if (v.isScalar()) return wideFromText<kType>(v.text());
        Ref<Vector> out = Vector::make(kType, v.size());
        for (int64_t i = 0; i < v.size(); ++i) out->set(i, wideFromText<kType>(v.vector().text(i)));
        return Value::of(out);
    });
}

template <Type kType>
Value twoPartKernel(Context&, Arguments arguments) {
    auto one = [](double x, double y) {
        double parts[2] = {x, y};
        return Value::ofBytes16(kType, parts);
    };
    if (arguments[0].isScalar()) return one(realArgument(arguments, 0, "X"), realArgument(arguments, 1, "Y"));
    Ref<Vector> x = realsArgument(arguments, 0, "X"), y = realsArgument(arguments, 1, "Y");
    if (x->size() != y->size())
        throw UserError(1, fmt::format("X and Y differ in length: {} and {}.", x->size(), y->size()));
    Ref<Vector> out = Vector::make(kType, x->size());
    for (int64_t i = 0; i < x->size(); ++i) out->set(i, one(x->asDouble(i), y->asDouble(i)));
    return Value::of(out);
}

}  // namespace

void registerConversions(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .nulls = "NULL stays NULL; without X, the NULL of the type; text that does not parse is NULL.",
                      .errors = "The language has no such conversion.",
                      .example = example},
                     kElementwise);
    };
    add("bool([X])", convertKernel<Type::Bool>, "X as BOOL: any number but 0 is true.", "bool(0 2) -> [false,true]");
    add("char([X])", convertKernel<Type::Char>, "X as CHAR.", "char(99) -> c");
    add("short([X])", convertKernel<Type::Short>, "X as SHORT; wider integers keep their low bits.",
        "short(65578) -> 42");
    add("int([X])", convertKernel<Type::Int>,
        "X as INT: floats rounded half away from zero, text by its leading digits.",
        "int(8.9 -2.5) -> [9,-3]\nint(`12) -> 12");
    add("long([X])", convertKernel<Type::Long>, "X as LONG.", "long(3.5) -> 4");
    add("float([X])", convertKernel<Type::Float>, "X as FLOAT.", "float(1.5) -> 1.5");
    add("double([X])", convertKernel<Type::Double>, "X as DOUBLE.", "double(`1.5) -> 1.5");
    add("symbol([X])", convertKernel<Type::Symbol>, "X as SYMBOL.", "typestr(symbol(`a`b)) -> FAST SYMBOL VECTOR");
    add("string([X])", stringKernel, "X as text, as it is shown.",
        "string(108.5) -> 108.5\nstring(1 2) -> [\"1\",\"2\"]");
    add("blob(X)", convertKernel<Type::Blob>, "X as BLOB.", "typestr(blob(`a)) -> BLOB");
    add("date([X])", convertKernel<Type::Date>, "The date of X.",
        "date(2024.03.15T13:30:10) -> 2024.03.15\ndate(1) -> 1970.01.02");
    add("month([X])", convertKernel<Type::Month>, "The month of X.", "month(2024.03.15) -> 2024.03M");
    add("time([X])", convertKernel<Type::Time>, "The time of day of X in milliseconds.",
        "time(2024.03.15T13:30:10.008) -> 13:30:10.008");
    add("minute([X])", convertKernel<Type::Minute>, "The minute of the day of X.", "minute(13:30:10) -> 13:30m");
    add("second([X])", convertKernel<Type::Second>, "The second of the day of X.",
        "second(2024.03.15T13:30:10.008) -> 13:30:10");
    add("datetime([X])", convertKernel<Type::DateTime>, "X to the second.",
        "datetime(2024.03.15) -> 2024.03.15T00:00:00");
    add("datehour([X])", convertKernel<Type::DateHour>, "X to the hour.",
        "datehour(2024.03.15T13:30:10) -> 2024.03.15T13");
    add("timestamp([X])", convertKernel<Type::Timestamp>, "X to the millisecond.",
        "timestamp(2024.03.15) -> 2024.03.15T00:00:00.000");
    add("nanotime([X])", convertKernel<Type::NanoTime>, "The time of day of X in nanoseconds.",
        "nanotime(13:30:10) -> 13:30:10.000000000");
    add("nanotimestamp([X])", convertKernel<Type::NanoTimestamp>, "X to the nanosecond.",
        "nanotimestamp(2024.03.15) -> 2024.03.15T00:00:00.000000000");
    add("uuid([X])", wideKernel<Type::Uuid>, "The UUID written in X.",
        "uuid(\"5d212a78-cc48-e3b1-4235-b4d91473ee87\") -> 5d212a78-cc48-e3b1-4235-b4d91473ee87");
    add("int128([X])", wideKernel<Type::Int128>, "The 16 bytes written in X as 32 hexadecimal digits.",
        "int128(\"e1671797c52e15f763380b45e841ec32\") -> e1671797c52e15f763380b45e841ec32");
    add("complex(X, Y)", twoPartKernel<Type::Complex>, "The complex number X+Yi.", "complex(2, 5) -> 2.0+5.0i");
    add("point(X, Y)", twoPartKernel<Type::Point>, "The point (X, Y).", "point(1, 2) -> (1, 2)");
    add("decimal32(X, scale)", decimalKernel<Type::Decimal32, 9>, "X as DECIMAL32 with so many decimals.",
        "decimal32(\"3.1415\", 2) -> 3.14");
    add("decimal64(X, scale)", decimalKernel<Type::Decimal64, 18>, "X as DECIMAL64 with so many decimals.",
        "decimal64(3, 2) -> 3.00");
    add("decimal128(X, scale)", decimalKernel<Type::Decimal128, 38>, "X as DECIMAL128 with so many decimals.",
        "decimal128(1.5, 3) -> 1.500");
    registry.add("duration(X)", durationKernel,
                 {.summary = "The duration written in X.", .example = "duration(\"20H\") -> 20H"});

    auto plain = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example) {
        registry.add(syntax, kernel, {.summary = summary, .example = example});
    };
    plain("type(X)", typeKernel, "The id of the type of X, as INT.", "type(1.5) == DOUBLE -> true");
    plain("typestr(X)", typestrKernel, "The type and form of X in words.", "typestr(1 2 3) -> FAST INT VECTOR");
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

}  // namespace pelorus
