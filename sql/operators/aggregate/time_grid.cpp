#include "sql/operators/aggregate/time_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/time/calendar.h"
#include "runtime/value/cast.h"

namespace pelorus {

int64_t unitsOf(const Value& span, Type type, std::string_view parameter) {
    if (!span.isScalar() || span.isNull() || (!isIntegral(span.type()) && span.type() != Type::Duration)) {
        throw UserError(fmt::format("{} must be an integer or a duration.", parameter));
    }
    int64_t units = 0;
    if (span.type() == Type::Duration) {
        const auto unit = static_cast<DurationUnit>(span.unit());
        const int64_t nanos = calendar::nanosPerUnit(unit) * span.integer();
        const int64_t perDay = calendar::unitsPerDay(type);
        constexpr int64_t kNanosPerDay = 86'400'000'000'000;
        if (nanos != 0 && perDay != 0 && nanos % (kNanosPerDay / perDay) == 0) units = nanos / (kNanosPerDay / perDay);
        if (units == 0) {
            throw UserError(fmt::format("{} does not fit a column of type {}.", parameter, typeName(type)),
                            "Use a unit of fixed length that is not finer than the column.");
        }
    } else {
        units = span.asLong();
    }
    if (units <= 0) throw UserError(fmt::format("{} must be positive.", parameter));
    return units;
}

int64_t gridOrigin(std::string_view origin, Type type, int64_t first, int64_t last) {
    if (origin == "start") return first;
    if (origin == "end") return last;
    const int64_t perDay =
        calendar::temporalKind(type) == calendar::TemporalKind::Instant ? calendar::unitsPerDay(type) : 0;
    if (perDay == 0 || origin == "epoch") return 0;
    if (origin == "end_day") return (calendar::floorDivide(last, perDay) + 1) * perDay;
    return calendar::floorDivide(first, perDay) * perDay;
}

std::vector<int64_t> gridNumbers(const Value& column, std::string_view function) {
    if (!column.isTypedVector() || !(isTemporal(column.type()) || isIntegral(column.type()))) {
        throw UserError(fmt::format("X of {} must be a column of times or integers.", function));
    }
    const Vector& v = column.vector();
    std::vector<int64_t> numbers(static_cast<size_t>(v.size()));
    for (int64_t i = 0; i < v.size(); ++i) numbers[static_cast<size_t>(i)] = v.asLong(i);
    return numbers;
}

Value gridColumn(const std::vector<int64_t>& numbers, Type type) {
    const Value wide = Value::of(Vector::of(Type::Long, numbers));
    if (!isTemporal(type)) return cast(wide, type);
    return cast(widthOf(type) == 8 ? wide : cast(wide, Type::Int), type);
}

}  // namespace pelorus
