#include "runtime/kernel/elementwise/duration.h"

#include <fmt/format.h>

#include <functional>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/time/calendar.h"
#include "common/time/trading_calendar.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

// Returns the moment `rest` units after the beginning of a day; NULL on overflow of 64 bits.
int64_t momentOf(int64_t day, int64_t perDay, int64_t rest) {
    int64_t moment = 0;
    const bool overflows =
        __builtin_mul_overflow(day, perDay, &moment) || __builtin_add_overflow(moment, rest, &moment);
    return overflows ? null<int64_t> : moment;
}

int64_t addMonthsTo(int64_t stored, Type type, int64_t months) {
    if (type == Type::Month) return stored + months;
    int64_t perDay = calendar::unitsPerDay(type);
    int64_t day = calendar::floorDivide(stored, perDay);
    return momentOf(calendar::addMonths(day, months), perDay, stored - day * perDay);
}

int64_t addBusinessDays(int64_t stored, Type type, int64_t days) {
    int64_t perDay = calendar::unitsPerDay(type);
    int64_t day = calendar::floorDivide(stored, perDay);
    int64_t rest = stored - day * perDay;
    const int step = days < 0 ? -1 : 1;
    int64_t left = days < 0 ? -days : days;
    // Five of them are a week, wherever it begins; the last ones are walked, so that none ends on a weekend.
    const int64_t weeks = left > 0 ? (left - 1) / 5 : 0;
    day += step * 7 * weeks;
    for (left -= 5 * weeks; left > 0;) {
        day += step;
        if (calendar::weekdayFromDays(day) < 5) --left;
    }
    return momentOf(day, perDay, rest);
}

// Exceeds the distance of any two moments that a type holds.
constexpr int64_t kMaxDays = int64_t{1} << 33;
constexpr bool isFar(int64_t days) {
    return days > kMaxDays || days < -kMaxDays;
}

int64_t addTradingDays(int64_t stored, Type type, int64_t days, const TradingCalendar& calendar) {
    if (isFar(days)) return null<int64_t>;
    const int64_t perDay = calendar::unitsPerDay(type);
    const int64_t day = calendar::floorDivide(stored, perDay);
    return momentOf(calendar.add(day, days), perDay, stored - day * perDay);
}

int64_t addOne(int64_t stored, Type type, int64_t amount, DurationUnit unit) {
    if (unit >= DurationUnit::Day && isFar(amount)) return null<int64_t>;
    switch (unit) {
        case DurationUnit::Year:
            return addMonthsTo(stored, type, amount * 12);
        case DurationUnit::Month:
            return addMonthsTo(stored, type, amount);
        case DurationUnit::BusinessDay:
            return addBusinessDays(stored, type, amount);
        default:
            break;
    }
    int64_t nanos = calendar::nanosPerUnit(unit);
    int64_t unitNanos = calendar::kNanosPerDay / calendar::unitsPerDay(type);
    if (nanos % unitNanos != 0) {
        throw UserError(fmt::format("A duration in {} is finer than {}.", calendar::unitName(unit), typeName(type)));
    }
    int64_t sum = 0;
    if (__builtin_mul_overflow(amount, nanos / unitNanos, &sum) || __builtin_add_overflow(sum, stored, &sum)) {
        return null<int64_t>;
    }
    if (calendar::temporalKind(type) == calendar::TemporalKind::TimeOfDay) {
        return calendar::floorModulo(sum, calendar::unitsPerDay(type));
    }
    return sum;
}

// Returns the moved value; NULL outside the range of the type.
Value movedItem(Type type, int64_t moved) {
    const bool fits = !isNull(moved) && (widthOf(type) == 8 || moved == static_cast<int32_t>(moved));
    return fits ? Value::scalar(type, moved) : Value::nullOf(type);
}

// Moves each stored value; NULL stays NULL.
Value movedItems(const Value& x, const std::function<int64_t(int64_t)>& moved) {
    const Type type = x.type();
    if (x.isScalar()) return x.isNull() ? x : movedItem(type, moved(x.integer()));
    Ref<Vector> result = Vector::make(type, x.size());
    inPieces(x.size(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            int64_t stored = x.vector().asLong(i);
            result->set(i, isNull(stored) ? Value() : movedItem(type, moved(stored)));
        }
    });
    return Value::of(result);
}

}  // namespace

Value temporalAdd(const Value& x, int64_t amount, int32_t unitCode) {
    Type type = x.type();
    auto unit = static_cast<DurationUnit>(unitCode);
    if (!isTemporal(type)) {
        throw UserError(0, fmt::format("X must be temporal, but it is {}.", typeName(type)));
    }
    bool isMonths = unit == DurationUnit::Month || unit == DurationUnit::Year;
    bool timeOfDay = calendar::temporalKind(type) == calendar::TemporalKind::TimeOfDay;
    const bool isCalendar = unitCode > static_cast<int32_t>(DurationUnit::BusinessDay);
    if ((type == Type::Month && !isMonths) ||
        (timeOfDay && (isMonths || isCalendar || unit == DurationUnit::BusinessDay))) {
        throw UserError(fmt::format("A duration in {} cannot be added to {}.",
                                    isCalendar ? "a trading calendar" : calendar::unitName(unit), typeName(type)));
    }
    if (isCalendar) return temporalAdd(x, amount, *tradingCalendar(unpackCalendarName(unitCode)));
    return movedItems(x, [&](int64_t stored) { return addOne(stored, type, amount, unit); });
}

bool goesRoundTheClock(Type type, const Value& by) {
    if (calendar::temporalKind(type) != calendar::TemporalKind::TimeOfDay) return false;
    const bool isDuration = by.type() == Type::Duration;
    const int64_t unit = isDuration ? calendar::nanosPerUnit(static_cast<DurationUnit>(by.unit())) : 1;
    const __int128 distance = static_cast<__int128>(isDuration ? by.integer() : by.asLong()) * unit;
    const int64_t day = isDuration ? calendar::kNanosPerDay : calendar::unitsPerDay(type);
    return distance >= day || distance <= -day;
}

Value temporalAdd(const Value& x, int64_t amount, const TradingCalendar& market) {
    const Type type = x.type();
    const bool holdsDays =
        isTemporal(type) && type != Type::Month && calendar::temporalKind(type) != calendar::TemporalKind::TimeOfDay;
    if (!holdsDays) {
        throw UserError(0, fmt::format("Days of a trading calendar cannot be added to {}.", typeName(type)));
    }
    return movedItems(x, [&](int64_t stored) { return addTradingDays(stored, type, amount, market); });
}

Value durationOperation(Operator op, const Value& a, const Value& b) {
    if (op == Operator::Add && a.type() == Type::Duration && isTemporal(b.type())) return durationOperation(op, b, a);
    if ((op == Operator::Eq || op == Operator::Ne) && a.isScalar() && b.isScalar()) {
        return Value::ofBool(identical(a, b) == (op == Operator::Eq));
    }
    bool fits = (op == Operator::Add || op == Operator::Sub) && isTemporal(a.type()) && b.isScalar() &&
                b.type() == Type::Duration;
    if (!fits) {
        throw UserError(fmt::format("The operator {} does not support {} and {}.", facts(op).symbol, typeName(a.type()),
                                    typeName(b.type())),
                        "A duration can only be added to a temporal value or subtracted from it.");
    }
    return temporalAdd(a, op == Operator::Add ? b.integer() : -b.integer(), b.unit());
}

}  // namespace pelorus
