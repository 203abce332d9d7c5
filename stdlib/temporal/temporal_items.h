// The items of temporal values one by one, for functions of dates and of times of day.
#pragma once

#include "common/calendar.h"
#include "runtime/kernel/elementwise.h"

namespace pelorus {

// Days since 1970 of a stored instant or month.
inline int64_t daysOf(int64_t stored, Type type) {
    return type == Type::Month ? calendar::convert(stored, type, Type::Date)
                               : calendar::floorDivide(stored, calendar::unitsPerDay(type));
}

// Nanoseconds since midnight.
inline int64_t nanosOf(int64_t stored, Type type) {
    int64_t perDay = calendar::unitsPerDay(type);
    return calendar::floorModulo(stored, perDay) * (calendar::kNanosPerDay / perDay);
}

enum class Needs : uint8_t { Date, Clock };

// f(stored, type) for each item that is not NULL.
template <class F>
Value mapTemporal(const Value& x, Needs needs, Type resultType, F f) {
    return mapContainer(
        x,
        [&](const Value& v) -> Value {
            using calendar::TemporalKind;
            TemporalKind kind = calendar::temporalKind(v.type());
            bool fits = needs == Needs::Date ? kind == TemporalKind::Instant || kind == TemporalKind::Month
                                             : kind == TemporalKind::TimeOfDay ||
                                                   (kind == TemporalKind::Instant && v.type() != Type::Date);
            if (v.isVoid()) return Value::nullOf(resultType);
            if (!fits) {
                throw UserError(0, fmt::format("X must hold a {}, but it is {}.",
                                               needs == Needs::Date ? "date" : "time of day", typeString(v)));
            }
            if (v.isScalar()) {
                return v.isNull() ? Value::nullOf(resultType) : Value::scalar(resultType, f(v.integer(), v.type()));
            }
            const Vector& in = v.isMatrix() ? *v.matrix().cells : v.vector();
            Ref<Vector> out = Vector::make(resultType, in.size());
            for (int64_t i = 0; i < in.size(); ++i) {
                bool missing = in.isNullAt(i);
                int64_t stored = missing                   ? 0
                                 : widthOf(in.type()) == 8 ? in.items<int64_t>()[i]
                                                           : in.items<int32_t>()[i];
                int64_t result = missing ? 0 : f(stored, in.type());
                if (storageOf(resultType) == Storage::Int8) {
                    out->mutableItems<int8_t>()[i] = missing ? null<int8_t> : static_cast<int8_t>(result);
                } else {
                    out->mutableItems<int32_t>()[i] = missing ? null<int32_t> : static_cast<int32_t>(result);
                }
            }
            if (v.isMatrix()) return Value::of(v.matrix().withCells(out));
            return Value::of(out);
        },
        isTemporal);
}

}  // namespace pelorus
