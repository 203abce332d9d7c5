#include "stdlib/temporal/map_temporal.h"

#include <utility>

#include "common/error.h"

namespace pelorus {

namespace {

using calendar::floorDivide;
using calendar::floorModulo;
using calendar::kNanosPerDay;
using calendar::TemporalKind;

// Calls f with the units of a day as a constant: a division by one is a multiplication.
template <class F>
void withUnitsPerDay(Type type, const F& f) {
    switch (calendar::unitsPerDay(type)) {
        case 1:
            return f(std::integral_constant<int64_t, 1>());
        case 24:
            return f(std::integral_constant<int64_t, 24>());
        case 1440:
            return f(std::integral_constant<int64_t, 1440>());
        case 86400:
            return f(std::integral_constant<int64_t, 86400>());
        case 86400000:
            return f(std::integral_constant<int64_t, 86400000>());
        default:
            return f(std::integral_constant<int64_t, kNanosPerDay>());
    }
}

template <class T>
void readElements(const T* stored, Type type, Needs needs, int64_t count, int64_t* parts) {
    const auto write = [&](auto part) {
        for (int64_t i = 0; i < count; ++i) {
            parts[i] = isNull(stored[i]) ? null<int64_t> : part(static_cast<int64_t>(stored[i]));
        }
    };
    if (type == Type::Month) {
        write([](int64_t months) { return calendar::convert(months, Type::Month, Type::Date); });
        return;
    }
    withUnitsPerDay(type, [&](auto units) {
        constexpr int64_t kUnits = decltype(units)::value;
        if (needs == Needs::Date) {
            write([](int64_t x) { return floorDivide(x, kUnits); });
        } else {
            write([](int64_t x) { return floorModulo(x, kUnits) * (kNanosPerDay / kUnits); });
        }
    });
}

}  // namespace

void readParts(const Vector& elements, Needs needs, int64_t begin, int64_t count, int64_t* parts) {
    if (widthOf(elements.type()) == 8) {
        readElements(elements.data<int64_t>() + begin, elements.type(), needs, count, parts);
    } else {
        readElements(elements.data<int32_t>() + begin, elements.type(), needs, count, parts);
    }
}

int64_t partOf(int64_t stored, Type type, Needs needs) {
    int64_t part = 0;
    readElements(&stored, type, needs, 1, &part);
    return part;
}

void requirePart(const Value& x, Needs needs) {
    const TemporalKind kind = calendar::temporalKind(x.type());
    const bool fits = needs == Needs::Date ? kind == TemporalKind::Instant || kind == TemporalKind::Month
                                           : kind == TemporalKind::TimeOfDay ||
                                                 (kind == TemporalKind::Instant && x.type() != Type::Date);
    if (fits) return;
    throw UserError(0, fmt::format("X must hold a {}, but it is {}.", needs == Needs::Date ? "date" : "time of day",
                                   typeString(x)));
}

}  // namespace pelorus
