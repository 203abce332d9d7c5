#include "runtime/kernel/cast.h"

#include <fmt/format.h>

#include <fast_float/fast_float.h>
#include <charconv>

#include "common/calendar.h"
#include "common/error.h"
#include "runtime/format/print.h"
#include "runtime/kernel/block_program.h"

namespace pelorus {

static bool isPlain(Type type) {
    return isNumeric(type) || isTemporal(type);
}

bool canCast(Type from, Type to) {
    if (from == to || from == Type::Void) return true;
    if (isLiteral(from)) return isLiteral(to) || isPlain(to);
    if (isLiteral(to)) return isPlain(from) || categoryOf(from) == Category::Binary || from == Type::Duration;
    if (!isPlain(from) || !isPlain(to)) return false;
    if (isTemporal(from) && isTemporal(to)) return calendar::canConvert(from, to);
    return true;
}

[[noreturn]] static void refuse(Type from, Type to) {
    throw UserError(fmt::format("{} cannot be converted to {}.", typeName(from), typeName(to)));
}

// Text to number: digits up to the first other character; nothing usable is NULL.
static int64_t parseInteger(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    int64_t x = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    return error == std::errc() && end != text.data() ? x : null<int64_t>;
}

static double parseReal(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    double x = 0;
    auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), x);
    return error == std::errc() && end != text.data() ? x : null<double>;
}

static Value parseText(std::string_view text, Type to) {
    if (to == Type::Bool) {
        if (text == "true") return Value::ofBool(true);
        if (text == "false") return Value::ofBool(false);
        double x = parseReal(text);
        return isNull(x) ? Value::nullOf(to) : Value::ofBool(x != 0);
    }
    if (to == Type::Char) {
        if (text.size() == 1) return Value::ofChar(static_cast<int8_t>(text[0]));
        if (text.empty()) return Value::nullOf(to);
        throw UserError(fmt::format("\"{}\" cannot be converted to CHAR: it has more than one character.", text));
    }
    if (isFloating(to)) {
        double x = parseReal(text);
        return to == Type::Float ? Value::ofFloat(isNull(x) ? null<float> : static_cast<float>(x)) : Value::ofDouble(x);
    }
    if (isTemporal(to)) {
        int64_t stored;
        return calendar::parse(text, to, stored) ? Value::scalar(to, stored) : Value::nullOf(to);
    }
    int64_t x = parseInteger(text);
    return isNull(x) ? Value::nullOf(to) : cast(Value::ofLong(x), to);
}

static Ref<Vector> fromText(const Vector& from, Type to) {
    Ref<Vector> result = Vector::make(to, from.size());
    for (int64_t i = 0; i < from.size(); ++i) {
        if (isLiteral(to)) {
            result->setText(i, from.text(i));
        } else {
            result->set(i, parseText(from.text(i), to));
        }
    }
    return result;
}

Ref<Vector> cast(const Vector& from, Type to, uint8_t scale) {
    if (from.type() == to && from.scale() == scale) return from.slice(0, from.size());
    if (isLiteral(from.type())) {
        if (!canCast(from.type(), to)) refuse(from.type(), to);
        return fromText(from, to);
    }
    if (isLiteral(to)) {
        if (!canCast(from.type(), to)) refuse(from.type(), to);
        Ref<Vector> result = Vector::make(to, from.size());
        for (int64_t i = 0; i < from.size(); ++i) result->setText(i, scalarText(from.at(i)));
        return result;
    }
    if (from.type() == Type::Void) return Vector::filled(to, from.size(), Value::nullOf(to));
    if (!isPlain(from.type()) || !isPlain(to)) refuse(from.type(), to);
    BlockProgram program;
    program.setResult(program.cast(program.input(0, from.type()), to));
    const Vector* input = &from;
    Ref<Vector> result = program.run({&input, 1}, from.size());
    if (!from.mayHaveNull() && !isFloating(from.type()) && widthOf(to) >= widthOf(from.type())) {
        result->setMayHaveNull(false);
    }
    return result;
}

static Value castScalar(const Value& from, Type to) {
    if (from.isVoid()) return Value::nullOf(to);
    if (isLiteral(to)) return Value::ofString(from.isText() ? from.text() : scalarText(from), to);
    if (from.isText()) return parseText(from.text(), to);
    // The frequent pairs, without a block.
    if (to == Type::Double && isNumeric(from.type())) return Value::ofDouble(from.asDouble());
    if (to == Type::Long && isNumeric(from.type())) return Value::ofLong(from.asLong());
    if (!isPlain(from.type()) || !isPlain(to)) refuse(from.type(), to);
    return cast(*Vector::filled(from.type(), 1, from), to)->at(0);
}

Value cast(const Value& value, Type to, uint8_t scale) {
    if (value.type() == to && value.extra() == scale) return value;
    if (to == Type::Any) {
        if (!value.isVector()) return value;
        auto tuple = makeRef<Tuple>();
        for (int64_t i = 0; i < value.size(); ++i) tuple->items.push_back(value.at(i));
        return Value::of(tuple);
    }
    switch (value.form()) {
        case Form::Scalar:
            if (!canCast(value.type(), to)) refuse(value.type(), to);
            return castScalar(value, to);
        case Form::Vector:
            if (value.isTuple()) {
                std::vector<Value> items;
                for (const Value& item : value.tuple().items) items.push_back(cast(item, to, scale));
                return Value::of(makeRef<Tuple>(std::move(items)));
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

// A tuple of scalars of one category is a column as good as a vector.
static Value columnFromTuple(const Tuple& tuple, Type to, std::string_view name) {
    Ref<Vector> result = Vector::make(to, static_cast<int64_t>(tuple.items.size()));
    for (size_t i = 0; i < tuple.items.size(); ++i) {
        result->set(static_cast<int64_t>(i), castForStorage(tuple.items[i], to, name));
    }
    return Value::of(result);
}

Value castForStorage(const Value& column, Type to, std::string_view name, uint8_t scale) {
    Type from = column.type();
    if (to == Type::Any || (from == to && column.extra() == scale)) return column;
    if (column.isTuple()) return columnFromTuple(column.tuple(), to, name);
    bool fits = from == Type::Void || (isLiteral(from) && isLiteral(to)) || (isNumeric(from) && isNumeric(to)) ||
                (isTemporal(from) && (isTemporal(to) ? canCast(from, to) : isIntegral(to))) ||
                (isIntegral(from) && isTemporal(to)) || (isPlain(from) && to == Type::String);
    if (!fits) {
        std::string where = name.empty() ? "" : fmt::format(" Column: {}.", name);
        throw UserError(
            fmt::format("Incompatible type. Expected: {}, Actual: {}.{}", typeName(to), typeName(from), where));
    }
    return cast(column, to, scale);
}

bool isTrue(const Value& condition) {
    if (!condition.isScalar()) {
        throw UserError(fmt::format("The {} can't be converted to bool scalar.",
                                    condition.isVector() ? "vector" : typeString(condition)),
                        "Use all(x) or any(x) for a condition over many values.");
    }
    if (condition.isNull()) return false;
    if (isFloating(condition.type())) return condition.real() != 0;
    if (isNumeric(condition.type())) return condition.integer() != 0;
    throw UserError(fmt::format("A condition must be a number or BOOL, but it is {}.", typeName(condition.type())));
}

}  // namespace pelorus
