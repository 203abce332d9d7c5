#include "runtime/value/value.h"

#include <cmath>

#include "common/error.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/decimal.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

static int64_t nullInteger(Type type) {
    switch (widthOf(type)) {
        case 1:
            return null<int8_t>;
        case 2:
            return null<int16_t>;
        case 4:
            return null<int32_t>;
        default:
            return null<int64_t>;
    }
}

Value Value::ofDouble(double x) {
    int64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return scalar(Type::Double, bits);
}

Value Value::ofFloat(float x) {
    Value v = ofDouble(pelorus::isNull(x) ? null<double> : static_cast<double>(x));
    v.tag_.type = Type::Float;
    return v;
}

Value Value::ofString(std::string_view string, Type type) {
    return ofObject(type, Form::Scalar, makeRef<String>(string).detach());
}

Value Value::ofDuration(int32_t amount, int32_t unit) {
    Value v = scalar(Type::Duration, amount);
    v.tag_.unit = unit;
    return v;
}

Value Value::ofBytes16(Type type, const void* bytes) {
    return ofObject(type, Form::Scalar, makeRef<Bytes16>(bytes).detach());
}

Value Value::nullOf(Type type) {
    switch (storageOf(type)) {
        case Storage::Float32:
        case Storage::Float64: {
            Value v = ofDouble(null<double>);
            v.tag_.type = type;
            return v;
        }
        case Storage::String:
            return ofString("", type);
        case Storage::Bytes16: {
            uint8_t zero[16] = {};
            if (type == Type::Complex || type == Type::Point) {
                double parts[2] = {null<double>, null<double>};
                return ofBytes16(type, parts);
            }
            if (type == Type::Decimal128) zero[15] = 0x80;
            return ofBytes16(type, zero);
        }
        case Storage::None:
        case Storage::Boxed:
            return Value();
        default:
            break;
    }
    if (type == Type::Symbol) return ofString("", type);
    if (type == Type::Duration) return scalar(type, null<int32_t>);
    return scalar(type, nullInteger(type));
}

// Takes over the caller's reference.
Value Value::ofObject(Type type, Form form, Object* object) {
    Value v;
    v.tag_.type = type;
    v.tag_.form = form;
    v.tag_.heap = 1;
    v.bits_ = reinterpret_cast<int64_t>(object);
    return v;
}

Value Value::of(Ref<Vector> vector, Form form) {
    const Type type = vector->type();
    const uint8_t scale = vector->scale();
    Value v = ofObject(type, form, vector.detach());
    v.tag_.extra = scale;
    return v;
}
Type columnType(const Value& column) {
    return column.isTuple() && column.tuple().kind == TupleKind::IotAny ? Type::IotAny : column.type();
}

Value Value::of(Ref<Tuple> tuple) {
    return ofObject(Type::Any, Form::Vector, tuple.detach());
}
Value Value::of(Ref<ArrayVector> rows) {
    const Type type = rows->type();
    const uint8_t scale = rows->scale();
    Value v = ofObject(type, Form::Vector, rows.detach());
    v.tag_.extra = scale;
    return v;
}
Value Value::of(Ref<Matrix> matrix) {
    const Type type = matrix->cells->type();
    const uint8_t scale = matrix->cells->scale();
    Value v = ofObject(type, Form::Matrix, matrix.detach());
    v.tag_.extra = scale;
    return v;
}
Value Value::of(Ref<Set> set) {
    const Type type = set->index.type();
    return ofObject(type, Form::Set, set.detach());
}
Value Value::of(Ref<Dictionary> dictionary) {
    const Type type = dictionary->valueType();
    return ofObject(type, Form::Dictionary, dictionary.detach());
}
Value Value::ofChart(Ref<Dictionary> chart) {
    return ofObject(Type::Any, Form::Chart, chart.detach());
}
Value Value::ofSystem(Type type, Ref<Object> object) {
    return ofObject(type, Form::Scalar, object.detach());
}

bool Value::isNull() const {
    if (!isScalar()) return false;
    switch (storageOf(tag_.type)) {
        case Storage::None:
            return true;
        case Storage::Float32:
        case Storage::Float64:
            return real() == null<double>;
        case Storage::String:
            return string().empty();
        case Storage::Bytes16:
            return identical(*this, nullOf(tag_.type));
        case Storage::Boxed:
            return false;
        default:
            break;
    }
    if (tag_.type == Type::Symbol) return string().empty();
    if (tag_.type == Type::Duration) return bits_ == null<int32_t>;
    return bits_ == nullInteger(tag_.type);
}

// Throws for a value that is not stored in the bits, which then hold no number.
static void requireBits(const Value& v) {
    const Storage storage = v.isScalar() ? storageOf(v.type()) : Storage::Boxed;
    if (storage == Storage::Bytes16 || storage == Storage::String || storage == Storage::Boxed) {
        throw UserError("Expected a number, but this is " + typeString(v) + ".");
    }
}

double Value::asDouble() const {
    if (!isScalar()) refuse("a scalar");
    if (isFloating(tag_.type)) return real();
    if (isDecimal(tag_.type)) return decimal::toDouble(decimal::rawOf(*this), tag_.extra);
    requireBits(*this);
    return isNull() ? null<double> : static_cast<double>(bits_);
}

int64_t Value::asLong() const {
    if (!isScalar()) refuse("a scalar");
    if (isNull()) return null<int64_t>;
    if (isDecimal(tag_.type)) return decimal::toLong(decimal::rawOf(*this), tag_.extra);
    if (!isFloating(tag_.type)) {
        requireBits(*this);
        return bits_;
    }
    double rounded = std::round(real());
    // 2^63 is the first DOUBLE that LONG cannot hold; NaN fails both comparisons.
    if (!(rounded >= -0x1p63 && rounded < 0x1p63)) return null<int64_t>;
    return static_cast<int64_t>(rounded);
}

std::string_view Value::string() const {
    if (!isString()) refuse("a string");
    return as<String>()->string;
}

void Value::refuse(const char* expected) const {
    throw UserError(std::string("Expected ") + expected + ", but this is " + typeString(*this) + ".");
}
const uint8_t* Value::bytes16() const {
    if (!isScalar()) refuse("a scalar");
    return as<Bytes16>()->bytes;
}

}  // namespace pelorus
