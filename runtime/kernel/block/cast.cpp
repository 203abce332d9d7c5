#include "runtime/value/cast.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <fast_float/fast_float.h>
#include <algorithm>
#include <charconv>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/stack_room.h"
#include "common/time/calendar.h"
#include "runtime/kernel/block/block_program.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/decimal.h"
#include "runtime/value/print.h"

namespace pelorus {

static bool isPlain(Type type) {
    return isNumeric(type) || isTemporal(type);
}

bool canCast(Type from, Type to) {
    if (from == to || from == Type::Void) return true;
    if (isArrayType(from) || isArrayType(to)) return canCast(elementTypeOf(from), elementTypeOf(to));
    if (to == Type::Complex) return isNumeric(from);
    if (isDecimal(from)) return isDecimal(to) || isNumeric(to) || isLiteral(to);
    if (isDecimal(to)) return isNumeric(from) || isLiteral(from);
    if (isLiteral(from))
        return isLiteral(to) || isPlain(to) || to == Type::Uuid || to == Type::Int128 || to == Type::IpAddr;
    if (isLiteral(to))
        return categoryOf(from) == Category::Complex || isPlain(from) || categoryOf(from) == Category::Binary ||
               from == Type::Duration;
    if (!isPlain(from) || !isPlain(to)) return false;
    if (isTemporal(from) && isTemporal(to)) return calendar::canConvert(from, to);
    return true;
}

[[noreturn]] static void refuse(Type from, Type to) {
    throw UserError(fmt::format("{} cannot be converted to {}.", typeName(from), typeName(to)));
}

// Parses an integer: digits up to the first other character; NULL when there is none.
static int64_t parseInteger(std::string_view string) {
    while (!string.empty() && string.front() == ' ') string.remove_prefix(1);
    if (!string.empty() && string.front() == '+') string.remove_prefix(1);
    int64_t x = 0;
    auto [end, error] = std::from_chars(string.data(), string.data() + string.size(), x);
    return error == std::errc() && end != string.data() ? x : null<int64_t>;
}

static double parseReal(std::string_view string) {
    while (!string.empty() && string.front() == ' ') string.remove_prefix(1);
    if (!string.empty() && string.front() == '+') string.remove_prefix(1);
    double x = 0;
    auto [end, error] = fast_float::from_chars(string.data(), string.data() + string.size(), x);
    return error == std::errc() && end != string.data() ? x : null<double>;
}

static int hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Parses UUID with its dashes, INT128 as 32 hexadecimal digits, IPADDR in either notation. Bytes are stored in
// little-endian order.
static Value parseBytes16(std::string_view string, Type to) {
    uint8_t bytes[16] = {};
    if (to == Type::IpAddr) {
        const std::string address(string);
        uint8_t network[16] = {};
        if (inet_pton(AF_INET, address.c_str(), network + 12) != 1 &&
            inet_pton(AF_INET6, address.c_str(), network) != 1) {
            return Value::nullOf(to);
        }
        std::reverse_copy(network, network + 16, bytes);
        return Value::ofBytes16(to, bytes);
    }
    int count = 0;
    for (char c : string) {
        if (c == '-' && to == Type::Uuid) continue;
        const int digit = hexDigit(c);
        if (digit < 0 || count == 32) return Value::nullOf(to);
        bytes[15 - count / 2] = static_cast<uint8_t>(bytes[15 - count / 2] << 4 | digit);
        ++count;
    }
    return count == 32 ? Value::ofBytes16(to, bytes) : Value::nullOf(to);
}

// Returns whether an integer type holds the number; NULL is below all that it holds.
static bool fitsInteger(int64_t x, Type to) {
    const int64_t most = INT64_MAX >> (64 - 8 * widthOf(to));
    return x >= -most && x <= most;
}

static Value parseString(std::string_view string, Type to) {
    if (to == Type::Bool) {
        if (string == "true") return Value::ofBool(true);
        if (string == "false") return Value::ofBool(false);
        double x = parseReal(string);
        return isNull(x) ? Value::nullOf(to) : Value::ofBool(x != 0);
    }
    if (to == Type::Char) {
        if (string.size() == 1) return Value::ofChar(static_cast<int8_t>(string[0]));
        if (string.empty()) return Value::nullOf(to);
        throw UserError(fmt::format("\"{}\" cannot be converted to CHAR: it has more than one character.", string));
    }
    if (isFloating(to)) {
        double x = parseReal(string);
        return to == Type::Float ? Value::ofFloat(isNull(x) ? null<float> : static_cast<float>(x)) : Value::ofDouble(x);
    }
    if (isTemporal(to)) {
        int64_t stored;
        return calendar::parse(string, to, stored) ? Value::scalar(to, stored) : Value::nullOf(to);
    }
    if (categoryOf(to) == Category::Binary) return parseBytes16(string, to);
    const int64_t x = parseInteger(string);
    return isNull(x) || !fitsInteger(x, to) ? Value::nullOf(to) : cast(Value::ofLong(x), to);
}

// Returns a decimal target's scale when none is asked for, and no scale for other targets.
static uint8_t targetScale(Type to, uint8_t scale, uint8_t source) {
    if (!isDecimal(elementTypeOf(to))) return 0;
    return scale == kSourceScale ? source : scale;
}

static Ref<Vector> fromString(const Vector& from, Type to) {
    Ref<Vector> result = Vector::make(to, from.size());
    inPieces(from.size(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            if (isLiteral(to)) {
                result->setString(i, from.string(i));
            } else {
                result->set(i, parseString(from.string(i), to));
            }
        }
    });
    return result;
}

Ref<Vector> cast(const Vector& from, Type to, uint8_t scale) {
    scale = targetScale(to, scale, from.scale());
    if (from.type() == to && from.scale() == scale) return from.slice(0, from.size());
    if (isDecimal(from.type()) || isDecimal(to)) {
        if (!canCast(from.type(), to)) refuse(from.type(), to);
        return isDecimal(to) ? decimal::cast(from, to, scale) : decimal::toPlain(from, to);
    }
    if (isLiteral(from.type())) {
        if (!canCast(from.type(), to)) refuse(from.type(), to);
        return fromString(from, to);
    }
    if (isLiteral(to)) {
        if (!canCast(from.type(), to)) refuse(from.type(), to);
        Ref<Vector> result = Vector::make(to, from.size());
        inPieces(from.size(), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) result->setString(i, toString(from.at(i)));
        });
        return result;
    }
    if (to == Type::Complex && isNumeric(from.type())) {
        Ref<Vector> result = Vector::make(to, from.size());
        inPieces(from.size(), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) result->set(i, cast(from.at(i), to));
        });
        return result;
    }
    if (from.type() == Type::Void) return Vector::filled(to, from.size(), Value::nullOf(to));
    if (!isPlain(from.type()) || !isPlain(to)) refuse(from.type(), to);
    BlockProgram program;
    program.setResult(program.cast(program.input(0, from.type()), to));
    const Vector* input = &from;
    Ref<Vector> result = program.run({&input, 1}, from.size());
    // A time may be NULL in a finer unit, which ends earlier.
    const bool staysWithin = !isTemporal(from.type()) || !isTemporal(to);
    if (!from.mayHaveNull() && staysWithin && !isFloating(from.type()) && widthOf(to) >= widthOf(from.type())) {
        result->setMayHaveNull(false);
    }
    return result;
}

static Value castScalar(const Value& from, Type to, uint8_t scale) {
    if (isDecimal(to)) return decimal::cast(from, to, scale);
    if (from.isVoid()) return Value::nullOf(to);
    if (isLiteral(to)) return Value::ofString(from.isString() ? from.string() : toString(from), to);
    if (from.isString()) return parseString(from.string(), to);
    if (to == Type::Complex && isNumeric(from.type())) {
        if (from.isNull()) return Value::nullOf(to);
        const double parts[2] = {from.asDouble(), 0};
        return Value::ofBytes16(to, parts);
    }
    // These frequent pairs need no block.
    if (to == Type::Double && isNumeric(from.type())) return Value::ofDouble(from.asDouble());
    if (to == Type::Long && isNumeric(from.type())) return Value::ofLong(from.asLong());
    if (!isDecimal(from.type()) && (!isPlain(from.type()) || !isPlain(to))) refuse(from.type(), to);
    return cast(*Vector::filled(from.type(), 1, from), to)->at(0);
}

static Ref<ArrayVector> rowsFrom(const Value& column, Type to, uint8_t scale, bool forStorage);

// Makes a column of type IOTANY.
static Value iotAnyFrom(const Value& column, std::string_view name) {
    if (column.isTuple() && column.tuple().kind == TupleKind::IotAny) return column;
    std::vector<Value> elements(static_cast<size_t>(column.isVector() || column.isScalar() ? column.size() : 1));
    for (size_t i = 0; i < elements.size(); ++i) {
        Value element = column.isVector() ? column.at(static_cast<int64_t>(i)) : column;
        if (!element.isScalar() || !(element.isVoid() || isIotAnyElement(element.type()))) {
            const std::string where = name.empty() ? "" : fmt::format(" Column: {}.", name);
            throw UserError(
                fmt::format("Incompatible type. Expected: IOTANY, Actual: {}.{}", typeString(element), where),
                "A column of type IOTANY holds BOOL, integers, floats, SYMBOL and STRING.");
        }
        // NULLs of all types are one.
        if (!element.isNull()) elements[i] = std::move(element);
    }
    if (column.isScalar()) return elements[0];
    return Value::of(makeRef<Tuple>(std::move(elements), TupleKind::IotAny));
}

Value cast(const Value& value, Type to, uint8_t scale) {
    scale = targetScale(to, scale, isDecimal(elementTypeOf(value.type())) ? value.extra() : 0);
    if (value.type() == to && (scale == value.extra() || !isDecimal(elementTypeOf(to)))) return value;
    if (value.isArrayVector() && to != Type::Any) {
        const ArrayVector& rows = value.arrayVector();
        return Value::of(rows.withValues(cast(*rows.values(), elementTypeOf(to), scale)));
    }
    if (isArrayType(to)) return Value::of(rowsFrom(value, to, scale, false));
    if (to == Type::IotAny) return iotAnyFrom(value, "");
    if (to == Type::Any) {
        if (!value.isVector()) return value;
        auto tuple = makeRef<Tuple>();
        for (int64_t i = 0; i < value.size(); ++i) tuple->elements.push_back(value.at(i));
        return Value::of(tuple);
    }
    switch (value.form()) {
        case Form::Scalar:
            if (!canCast(value.type(), to)) refuse(value.type(), to);
            return castScalar(value, to, scale);
        case Form::Vector:
            if (value.isTuple()) {
                requireStackRoom();
                std::vector<Value> elements;
                for (const Value& element : value.tuple().elements) elements.push_back(cast(element, to, scale));
                return Value::of(makeRef<Tuple>(std::move(elements), value.tuple().kindOfResults()));
            }
            return Value::of(cast(value.vector(), to, scale));
        case Form::Pair:
            return Value::of(cast(value.vector(), to, scale), Form::Pair);
        case Form::Matrix: {
            auto result =
                makeRef<Matrix>(cast(*value.matrix().cells, to, scale), value.matrix().rows, value.matrix().columns);
            result->rowLabels = value.matrix().rowLabels;
            result->columnLabels = value.matrix().columnLabels;
            return Value::of(result);
        }
        default:
            throw UserError(fmt::format("{} cannot be converted to {}.", typeString(value), typeName(to)));
    }
}

// Makes a column from a tuple of scalars of one category, as from a vector.
static Value columnFromTuple(const Tuple& tuple, Type to, std::string_view name, uint8_t scale) {
    Ref<Vector> result = Vector::make(to, static_cast<int64_t>(tuple.elements.size()));
    result->setScale(targetScale(to, scale, 0));
    for (size_t i = 0; i < tuple.elements.size(); ++i) {
        const Value element = castForStorage(tuple.elements[i], to, name, scale);
        if (!element.isScalar()) {
            throw UserError(
                fmt::format("Incompatible type. Expected: {}, Actual: {}.", typeName(to), typeString(element)));
        }
        result->set(static_cast<int64_t>(i), element);
    }
    return Value::of(result);
}

// Makes one row of an array vector from a scalar or the vector of its elements.
static Ref<Vector> rowFrom(const Value& element, Type to, uint8_t scale, bool forStorage) {
    requireStackRoom();
    if (element.isTuple() && element.size() == 0) return Vector::make(to, 0);
    const Value elements = forStorage ? castForStorage(element, to, "", scale) : cast(element, to, scale);
    if (elements.isTypedVector()) return Ref<Vector>(&elements.vector());
    if (!elements.isScalar()) {
        throw UserError(fmt::format("A row of an array vector must be a vector of {} or one element, but it is {}.",
                                    typeName(to), typeString(element)));
    }
    return Vector::filled(to, 1, elements);
}

static Ref<ArrayVector> rowsFrom(const Value& column, Type to, uint8_t scale, bool forStorage) {
    const Type elementType = elementTypeOf(to);
    if (!canBeInArrayVector(elementType)) {
        throw UserError(fmt::format("There are no array vectors of {}. RefId: S02024", typeName(elementType)),
                        "Use a columnar tuple: setColumnarTuple!(x).");
    }
    auto rows = makeRef<ArrayVector>(elementType, scale == kSourceScale ? uint8_t{0} : scale);
    if (column.isTuple()) {
        for (const Value& element : column.tuple().elements)
            rows->appendRow(*rowFrom(element, elementType, scale, forStorage));
        return rows;
    }
    Ref<Vector> elements = rowFrom(column, elementType, scale, forStorage);
    for (int64_t i = 0; i < elements->size(); ++i) rows->appendRow(*elements->slice(i, 1));
    return rows;
}

// Returns the position of the first integer that is neither NULL nor at most `most` to either side of 0; -1 for none.
template <class T>
static int64_t firstBeyond(const Vector& given, int64_t most) {
    const T* elements = given.data<T>();
    const T limit = static_cast<T>(most);
    for (int64_t i = 0; i < given.size(); ++i) {
        if ((elements[i] > limit || elements[i] < -limit) && elements[i] != null<T>) return i;
    }
    return -1;
}

// Returns the position of the first element that the type of `converted` does not hold; -1 when it holds all.
static int64_t firstUnfit(const Vector& given, const Vector& converted) {
    const Type from = given.type(), to = converted.type();
    // Integers keep their low bits when they are converted; other values that do not fit become NULL.
    const bool narrows = isIntegral(from) && isIntegral(to) && to != Type::Bool && widthOf(to) < widthOf(from);
    if (narrows) {
        const int64_t most = INT64_MAX >> (64 - 8 * widthOf(to));
        if (widthOf(from) == 8) return firstBeyond<int64_t>(given, most);
        return widthOf(from) == 4 ? firstBeyond<int32_t>(given, most) : firstBeyond<int16_t>(given, most);
    }
    if (!converted.hasNull() || isLiteral(to)) return -1;
    for (int64_t i = 0; i < given.size(); ++i) {
        if (converted.isNullAt(i) && !given.isNullAt(i)) return i;
    }
    return -1;
}

[[noreturn]] static void refuseUnfit(const Value& element, Type to, std::string_view where) {
    std::string range;
    if (isIntegral(to) && to != Type::Bool && isNumeric(element.type())) {
        const int64_t most = INT64_MAX >> (64 - 8 * widthOf(to));
        range = fmt::format(", which holds {} to {}", -most, most);
    }
    throw UserError(fmt::format("{} does not fit {}{}.{}{}", toString(element), typeName(to), range,
                                where.empty() ? "" : " Column: ", where.empty() ? "" : std::string(where) + "."),
                    isNumeric(element.type()) ? "Make the type wider, or convert the values first." : "");
}

Value castFitting(const Value& value, Type to, uint8_t scale, std::string_view where) {
    Value converted = cast(value, to, scale);
    const auto check = [&](const Vector& given, const Vector& result) {
        if (const int64_t at = firstUnfit(given, result); at >= 0) refuseUnfit(given.at(at), result.type(), where);
    };
    if (value.type() == to || value.isVoid()) return converted;
    if (value.isScalar()) {
        if (converted.isScalar() && !value.isNull())
            check(*Vector::filled(value.type(), 1, value), *Vector::filled(converted.type(), 1, converted));
    } else if (value.isTypedVector() && converted.isTypedVector()) {
        check(value.vector(), converted.vector());
    } else if (value.isMatrix() && converted.isMatrix()) {
        check(*value.matrix().cells, *converted.matrix().cells);
    }
    return converted;
}

Value castForStorage(const Value& column, Type to, std::string_view name, uint8_t scale) {
    Type from = column.type();
    scale = targetScale(to, scale, isDecimal(elementTypeOf(from)) ? column.extra() : 0);
    if (to == Type::Any || (from == to && (scale == column.extra() || !isDecimal(elementTypeOf(to))))) return column;
    if (to == Type::IotAny) return iotAnyFrom(column, name);
    if (isArrayType(to)) {
        if (!column.isArrayVector()) return Value::of(rowsFrom(column, to, scale, true));
        const ArrayVector& rows = column.arrayVector();
        const Value values = castForStorage(Value::of(rows.values()), elementTypeOf(to), name, scale);
        return Value::of(rows.withValues(Ref<Vector>(&values.vector())));
    }
    if (column.isTuple()) {
        requireStackRoom();
        return columnFromTuple(column.tuple(), to, name, scale);
    }
    bool fits = from == Type::Void || (isLiteral(from) && isLiteral(to)) || (isNumeric(from) && isNumeric(to)) ||
                (isTemporal(from) && (isTemporal(to) ? canCast(from, to) : isIntegral(to))) ||
                (isIntegral(from) && isTemporal(to)) || (isPlain(from) && to == Type::String) ||
                (isDecimal(from) && (isDecimal(to) || isNumeric(to) || to == Type::String)) ||
                (isDecimal(to) && (isNumeric(from) || isLiteral(from))) ||
                (isLiteral(from) && categoryOf(to) == Category::Binary) ||
                (from == to && column.form() == Form::Scalar);
    if (!fits) {
        std::string where = name.empty() ? "" : fmt::format(" Column: {}.", name);
        throw UserError(
            fmt::format("Incompatible type. Expected: {}, Actual: {}.{}", typeName(to), typeName(from), where));
    }
    return castFitting(column, to, scale, name);
}

Value withoutUnfit(const Value& value, Type to) {
    if (value.isTuple()) {
        requireStackRoom();
        std::vector<Value> elements;
        for (const Value& element : value.tuple().elements) elements.push_back(withoutUnfit(element, to));
        return Value::of(makeRef<Tuple>(std::move(elements), value.tuple().kindOfResults()));
    }
    // A conversion to BOOL tests all bits for 0.
    const Type from = value.type();
    if (!isIntegral(from) || !isIntegral(to) || to == Type::Bool || widthOf(to) >= widthOf(from)) return value;
    const int64_t most = INT64_MAX >> (64 - 8 * widthOf(to));
    const auto isUnfit = [&](int64_t x) { return x < -most || x > most; };  // NULL stays NULL
    if (value.isScalar()) return isUnfit(value.asLong()) ? Value::nullOf(from) : value;
    if (!value.isTypedVector()) return value;
    Value fit = value;
    bool isOwn = false;
    for (int64_t i = 0; i < value.size(); ++i) {
        if (!isUnfit(value.vector().asLong(i)) || value.vector().isNullAt(i)) continue;
        if (!isOwn) fit.makeUnique();
        isOwn = true;
        fit.vector().set(i, Value::nullOf(from));
    }
    return fit;
}

bool isTrue(const Value& condition) {
    if (!condition.isScalar()) {
        throw UserError(fmt::format("The {} can't be converted to bool scalar.",
                                    condition.isVector() ? "vector" : typeString(condition)),
                        "Use all(x) or any(x) for a condition over many values.");
    }
    if (condition.isNull()) return false;
    if (isFloating(condition.type())) return condition.real() != 0;
    if (isDecimal(condition.type())) return condition.asDouble() != 0;
    if (isNumeric(condition.type())) return condition.integer() != 0;
    throw UserError(fmt::format("A condition must be a number or BOOL, but it is {}.", typeName(condition.type())));
}

}  // namespace pelorus
