// Parts of dates and times as numbers: year, monthOfYear, hour and so on.
#include <array>

#include "common/calendar.h"
#include "runtime/kernel/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

using calendar::TemporalKind;

// Days since 1970 of a stored instant or month.
int64_t daysOf(int64_t stored, Type type) {
    return type == Type::Month ? calendar::convert(stored, type, Type::Date)
                               : calendar::floorDivide(stored, calendar::unitsPerDay(type));
}

// Nanoseconds since midnight.
int64_t nanosOf(int64_t stored, Type type) {
    int64_t perDay = calendar::unitsPerDay(type);
    return calendar::floorModulo(stored, perDay) * (calendar::kNanosPerDay / perDay);
}

enum class Needs : uint8_t { Date, Clock };

// f(stored, type) for each item that is not NULL.
template <class F>
Value mapTemporal(const Value& x, Needs needs, Type resultType, F f) {
    return mapContainer(x, [&](const Value& v) -> Value {
        TemporalKind kind = calendar::temporalKind(v.type());
        bool fits = needs == Needs::Date
                        ? kind == TemporalKind::Instant || kind == TemporalKind::Month
                        : kind == TemporalKind::TimeOfDay || (kind == TemporalKind::Instant && v.type() != Type::Date);
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
            int64_t stored = missing ? 0 : widthOf(in.type()) == 8 ? in.items<int64_t>()[i] : in.items<int32_t>()[i];
            int64_t result = missing ? 0 : f(stored, in.type());
            if (storageOf(resultType) == Storage::Int8) {
                out->mutableItems<int8_t>()[i] = missing ? null<int8_t> : static_cast<int8_t>(result);
            } else {
                out->mutableItems<int32_t>()[i] = missing ? null<int32_t> : static_cast<int32_t>(result);
            }
        }
        if (v.isMatrix()) return Value::of(makeRef<Matrix>(out, v.matrix().rows, v.matrix().columns));
        return Value::of(out);
    });
}

calendar::CivilDate civil(int64_t stored, Type type) {
    return calendar::civilFromDays(daysOf(stored, type));
}

template <int64_t (*kPart)(int64_t, Type), Needs kNeeds>
Value partKernel(Context&, Arguments a) {
    return mapTemporal(a[0], kNeeds, Type::Int, kPart);
}

int64_t yearPart(int64_t s, Type t) {
    return civil(s, t).year;
}
int64_t monthPart(int64_t s, Type t) {
    return civil(s, t).month;
}
int64_t dayPart(int64_t s, Type t) {
    return civil(s, t).day;
}
int64_t quarterPart(int64_t s, Type t) {
    return (civil(s, t).month + 2) / 3;
}
int64_t dayOfYearPart(int64_t s, Type t) {
    int64_t days = daysOf(s, t);
    return days - calendar::daysFromCivil(calendar::civilFromDays(days).year, 1, 1) + 1;
}
int64_t hourPart(int64_t s, Type t) {
    return nanosOf(s, t) / (3600 * calendar::kNanosPerSecond);
}
int64_t minutePart(int64_t s, Type t) {
    return nanosOf(s, t) / (60 * calendar::kNanosPerSecond) % 60;
}
int64_t secondPart(int64_t s, Type t) {
    return nanosOf(s, t) / calendar::kNanosPerSecond % 60;
}
int64_t millisPart(int64_t s, Type t) {
    return nanosOf(s, t) / 1000000 % 1000;
}
int64_t microsPart(int64_t s, Type t) {
    return nanosOf(s, t) / 1000 % 1000000;
}
int64_t nanosPart(int64_t s, Type t) {
    return nanosOf(s, t) % calendar::kNanosPerSecond;
}

// The ISO week: the one that holds the year's first Thursday is number 1.
int64_t weekPart(int64_t s, Type t) {
    int64_t days = daysOf(s, t);
    int64_t thursday = days - calendar::weekdayFromDays(days) + 3;
    return (thursday - calendar::daysFromCivil(calendar::civilFromDays(thursday).year, 1, 1)) / 7 + 1;
}

int64_t daysInMonthPart(int64_t s, Type t) {
    calendar::CivilDate date = civil(s, t);
    return calendar::daysInMonth(date.year, date.month);
}

// weekday(X, [startFromSunday=true]): 0 … 6.
Value weekdayKernel(Context&, Arguments a) {
    bool fromSunday = flagArgument(a, 1, "startFromSunday", true);
    return mapTemporal(a[0], Needs::Date, Type::Int, [&](int64_t s, Type t) -> int64_t {
        int64_t day = calendar::weekdayFromDays(daysOf(s, t));
        return fromSunday ? (day + 1) % 7 : day;
    });
}

Value isLeapKernel(Context&, Arguments a) {
    return mapTemporal(a[0], Needs::Date, Type::Bool,
                       [](int64_t s, Type t) -> int64_t { return calendar::isLeapYear(civil(s, t).year); });
}
template <bool kEnd>
Value isMonthEdgeKernel(Context&, Arguments a) {
    return mapTemporal(a[0], Needs::Date, Type::Bool, [](int64_t s, Type t) -> int64_t {
        calendar::CivilDate date = civil(s, t);
        return kEnd ? date.day == calendar::daysInMonth(date.year, date.month) : date.day == 1;
    });
}

// First and last days of the period that holds X.
enum class Period : uint8_t { Week, Month, Quarter, Year };

template <Period kPeriod, bool kEnd>
Value edgeKernel(Context&, Arguments a) {
    int64_t startingMonth = a.size() > 1 ? integerArgument(a, 1, "startingMonth", 1) : 1;
    if (startingMonth < 1 || startingMonth > 12) refuseArgument(1, "startingMonth", "between 1 and 12", a[1]);
    return mapTemporal(a[0], Needs::Date, Type::Date, [&](int64_t s, Type t) -> int64_t {
        int64_t days = daysOf(s, t);
        calendar::CivilDate date = calendar::civilFromDays(days);
        if (kPeriod == Period::Week) {
            int64_t monday = days - calendar::weekdayFromDays(days);
            return kEnd ? monday + 6 : monday;
        }
        int64_t months = kPeriod == Period::Month ? 1 : kPeriod == Period::Quarter ? 3 : 12;
        // Months since year 0, cut into periods that begin with the starting month.
        int64_t month = int64_t{date.year} * 12 + date.month - 1, shift = (startingMonth - 1) % months;
        int64_t first = calendar::floorDivide(month - shift, months) * months + shift;
        auto firstDay = [](int64_t m) {
            return calendar::daysFromCivil(calendar::floorDivide(m, 12),
                                           static_cast<int32_t>(calendar::floorModulo(m, 12)) + 1, 1);
        };
        return kEnd ? firstDay(first + months) - 1 : firstDay(first);
    });
}

Value concatDateTimeKernel(Context&, Arguments a) {
    const Value& date = a[0];
    const Value& time = a[1];
    Type timeType = time.type();
    if (date.type() != Type::Date) refuseArgument(0, "date", "of type DATE", date);
    if (calendar::temporalKind(timeType) != TemporalKind::TimeOfDay) refuseArgument(1, "time", "a time of day", time);
    Type result = timeType == Type::NanoTime ? Type::NanoTimestamp
                  : timeType == Type::Time   ? Type::Timestamp
                                             : Type::DateTime;
    auto one = [&](const Value& d, const Value& t) {
        if (d.isNull() || t.isNull()) return Value::nullOf(result);
        int64_t perDay = calendar::unitsPerDay(result);
        int64_t inDay = t.integer() * (perDay / calendar::unitsPerDay(timeType));
        return Value::scalar(result, d.integer() * perDay + inDay);
    };
    if (date.isScalar() && time.isScalar()) return one(date, time);
    int64_t n = date.isScalar() ? time.size() : date.size();
    if (!date.isScalar() && !time.isScalar() && date.size() != time.size()) {
        throw UserError(1, fmt::format("The vectors don't have the same length: {} and {}.", date.size(), time.size()));
    }
    Ref<Vector> out = Vector::make(result, n);
    for (int64_t i = 0; i < n; ++i)
        out->set(i, one(date.isScalar() ? date : date.at(i), time.isScalar() ? time : time.at(i)));
    return Value::of(out);
}

}  // namespace

void registerTemporalParts(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .nulls = "NULL for NULL.",
                      .errors = "X is not temporal, or lacks that part.",
                      .example = example},
                     kElementwise);
    };
    add("year(X)", partKernel<yearPart, Needs::Date>, "The year of X, as INT.", "year(2024.03.15) -> 2024");
    add("monthOfYear(X)", partKernel<monthPart, Needs::Date>, "The month of X from 1 to 12, as INT.",
        "monthOfYear(2024.03.15) -> 3");
    add("dayOfMonth(X)", partKernel<dayPart, Needs::Date>, "The day of the month of X, as INT.",
        "dayOfMonth(2024.03.15T10:00:00) -> 15");
    add("quarterOfYear(X)", partKernel<quarterPart, Needs::Date>, "The quarter of X from 1 to 4, as INT.",
        "quarterOfYear(2024.03.15) -> 1");
    add("dayOfYear(X)", partKernel<dayOfYearPart, Needs::Date>, "The day of the year of X from 1, as INT.",
        "dayOfYear(2024.02.01) -> 32");
    add("weekOfYear(X)", partKernel<weekPart, Needs::Date>, "The week of X by ISO 8601, as INT.",
        "weekOfYear(2024.01.01 2023.01.01) -> [1,52]");
    add("daysInMonth(X)", partKernel<daysInMonthPart, Needs::Date>, "How many days the month of X has, as INT.",
        "daysInMonth(2024.02.10) -> 29");
    add("hour(X)", partKernel<hourPart, Needs::Clock>, "The hour of X, as INT.", "hour(2024.03.15T13:30:10) -> 13");
    add("minuteOfHour(X)", partKernel<minutePart, Needs::Clock>, "The minute of the hour of X, as INT.",
        "minuteOfHour(13:30m) -> 30");
    add("secondOfMinute(X)", partKernel<secondPart, Needs::Clock>, "The second of the minute of X, as INT.",
        "secondOfMinute(13:30:10) -> 10");
    add("millisecond(X)", partKernel<millisPart, Needs::Clock>, "The milliseconds of the second of X, as INT.",
        "millisecond(13:30:10.008) -> 8");
    add("microsecond(X)", partKernel<microsPart, Needs::Clock>, "The microseconds of the second of X, as INT.",
        "microsecond(13:30:10.008007006) -> 8007");
    add("nanosecond(X)", partKernel<nanosPart, Needs::Clock>, "The nanoseconds of the second of X, as INT.",
        "nanosecond(13:30:10.008007006) -> 8007006");
    add("weekday(X, [startFromSunday=true])", weekdayKernel,
        "The day of the week of X from 0; Sunday is 0, or Monday when startFromSunday is false.",
        "weekday(2024.03.15) -> 5");
    add("isLeapYear(X)", isLeapKernel, "Whether X is in a leap year.", "isLeapYear(2024.03.15) -> true");
    add("isMonthStart(X)", isMonthEdgeKernel<false>, "Whether X is the first day of its month.",
        "isMonthStart(2024.03.01) -> true");
    add("isMonthEnd(X)", isMonthEdgeKernel<true>, "Whether X is the last day of its month.",
        "isMonthEnd(2024.02.29) -> true");
    add("weekBegin(X)", edgeKernel<Period::Week, false>, "The Monday of the week of X, as DATE.",
        "weekBegin(2024.03.15) -> 2024.03.11");
    add("weekEnd(X)", edgeKernel<Period::Week, true>, "The Sunday of the week of X, as DATE.",
        "weekEnd(2024.03.15) -> 2024.03.17");
    add("monthBegin(X)", edgeKernel<Period::Month, false>, "The first day of the month of X, as DATE.",
        "monthBegin(2024.03.15) -> 2024.03.01");
    registry.alias("monthStart", "monthBegin");
    add("monthEnd(X)", edgeKernel<Period::Month, true>, "The last day of the month of X, as DATE.",
        "monthEnd(2024.02.10) -> 2024.02.29");
    add("quarterBegin(X, [startingMonth=1])", edgeKernel<Period::Quarter, false>,
        "The first day of the quarter of X, as DATE.", "quarterBegin(2024.05.10) -> 2024.04.01");
    add("quarterEnd(X, [startingMonth=1])", edgeKernel<Period::Quarter, true>,
        "The last day of the quarter of X, as DATE.", "quarterEnd(2024.05.10) -> 2024.06.30");
    add("yearBegin(X, [startingMonth=1])", edgeKernel<Period::Year, false>, "The first day of the year of X, as DATE.",
        "yearBegin(2024.05.10) -> 2024.01.01");
    add("yearEnd(X, [startingMonth=1])", edgeKernel<Period::Year, true>, "The last day of the year of X, as DATE.",
        "yearEnd(2024.05.10) -> 2024.12.31");
    add("concatDateTime(date, time)", concatDateTimeKernel, "The date and the time of day as one instant.",
        "concatDateTime(2024.03.15, 13:30:10) -> 2024.03.15T13:30:10");
}

}  // namespace pelorus
