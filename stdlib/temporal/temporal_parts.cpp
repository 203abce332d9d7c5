// Parts of dates and times as numbers: year, monthOfYear, hour and so on.
#include <array>

#include "common/time/calendar.h"
#include "runtime/kernel/forms/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/temporal/map_temporal.h"

namespace pelorus {

namespace {

using calendar::TemporalKind;

template <int64_t (*kPart)(int64_t), Needs kNeeds>
Value partKernel(Context&, Arguments a) {
    return mapTemporal(a[0], kNeeds, Type::Int, kPart);
}

int64_t yearPart(int64_t days) {
    return calendar::civilFromDays(days).year;
}
int64_t monthPart(int64_t days) {
    return calendar::civilFromDays(days).month;
}
int64_t dayPart(int64_t days) {
    return calendar::civilFromDays(days).day;
}
int64_t quarterPart(int64_t days) {
    return (calendar::civilFromDays(days).month + 2) / 3;
}
int64_t dayOfYearPart(int64_t days) {
    return days - calendar::daysFromCivil(calendar::civilFromDays(days).year, 1, 1) + 1;
}
int64_t hourPart(int64_t nanos) {
    return nanos / (3600 * calendar::kNanosPerSecond);
}
int64_t minutePart(int64_t nanos) {
    return nanos / (60 * calendar::kNanosPerSecond) % 60;
}
int64_t secondPart(int64_t nanos) {
    return nanos / calendar::kNanosPerSecond % 60;
}
int64_t millisPart(int64_t nanos) {
    return nanos / 1000000 % 1000;
}
int64_t microsPart(int64_t nanos) {
    return nanos / 1000 % 1000000;
}
int64_t nanosPart(int64_t nanos) {
    return nanos % calendar::kNanosPerSecond;
}

// The ISO week: the one that holds the year's first Thursday is number 1.
int64_t weekPart(int64_t days) {
    int64_t thursday = days - calendar::weekdayFromDays(days) + 3;
    return (thursday - calendar::daysFromCivil(calendar::civilFromDays(thursday).year, 1, 1)) / 7 + 1;
}

int64_t daysInMonthPart(int64_t days) {
    calendar::CivilDate date = calendar::civilFromDays(days);
    return calendar::daysInMonth(date.year, date.month);
}

// weekday(X, [startFromSunday=true]): 0 … 6.
Value weekdayKernel(Context&, Arguments a) {
    bool fromSunday = flagArgument(a, 1, "startFromSunday", true);
    return mapTemporal(a[0], Needs::Date, Type::Int, [&](int64_t days) -> int64_t {
        int64_t day = calendar::weekdayFromDays(days);
        return fromSunday ? (day + 1) % 7 : day;
    });
}

// dayOfWeek(X): 0 … 6 from Monday.
int64_t dayOfWeekPart(int64_t days) {
    return calendar::weekdayFromDays(days);
}

Value isLeapKernel(Context&, Arguments a) {
    return mapTemporal(a[0], Needs::Date, Type::Bool, [](int64_t days) -> int64_t {
        return calendar::isLeapYear(calendar::civilFromDays(days).year);
    });
}
// Tests whether X is the first or last day of a period of 1, 3 or 12 months.
template <int kMonths, bool kEnd>
Value isPeriodEdgeKernel(Context&, Arguments a) {
    return mapTemporal(a[0], Needs::Date, Type::Bool, [](int64_t days) -> int64_t {
        const calendar::CivilDate date = calendar::civilFromDays(days);
        if (kEnd) return date.month % kMonths == 0 && date.day == calendar::daysInMonth(date.year, date.month);
        return (date.month - 1) % kMonths == 0 && date.day == 1;
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
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   const Declaration& declaration = {.gives = is(Type::Int), .kind = FunctionKind::Elementwise}) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .nulls = "NULL for NULL.",
                      .errors = "X is not temporal, or lacks that part.",
                      .example = example},
                     declaration);
    };
    constexpr Declaration kIsEdge{.gives = is(Type::Bool), .kind = FunctionKind::Elementwise};
    add("year(X)", partKernel<yearPart, Needs::Date>, "The year of X, as INT.", "year(2024.03.15) -> 2024");
    add("monthOfYear(X)", partKernel<monthPart, Needs::Date>, "The month of X from 1 to 12, as INT.",
        "monthOfYear(2024.03.15) -> 3");
    add("dayOfMonth(X)", partKernel<dayPart, Needs::Date>, "The day of the month of X, as INT.",
        "dayOfMonth(2024.03.15T10:00:00) -> 15");
    add("dayOfWeek(X)", partKernel<dayOfWeekPart, Needs::Date>, "The day of the week of X from 0 for Monday, as INT.",
        "dayOfWeek(2024.03.15) -> 4");
    add("quarterOfYear(X)", partKernel<quarterPart, Needs::Date>, "The quarter of X from 1 to 4, as INT.",
        "quarterOfYear(2024.03.15) -> 1");
    add("dayOfYear(X)", partKernel<dayOfYearPart, Needs::Date>, "The day of the year of X from 1, as INT.",
        "dayOfYear(2024.02.01) -> 32");
    add("hourOfDay(X)", partKernel<hourPart, Needs::Clock>, "The hour of the day of X, as INT.",
        "hourOfDay(13:30m) -> 13");
    add("isQuarterStart(X)", isPeriodEdgeKernel<3, false>, "Whether X is the first day of its quarter.",
        "isQuarterStart(2024.04.01) -> true", kIsEdge);
    add("isQuarterEnd(X)", isPeriodEdgeKernel<3, true>, "Whether X is the last day of its quarter.",
        "isQuarterEnd(2024.06.30) -> true", kIsEdge);
    add("isYearStart(X)", isPeriodEdgeKernel<12, false>, "Whether X is the first day of its year.",
        "isYearStart(2024.01.01) -> true", kIsEdge);
    registry.alias("isYearBegin", "isYearStart");
    add("isYearEnd(X)", isPeriodEdgeKernel<12, true>, "Whether X is the last day of its year.",
        "isYearEnd(2024.12.31) -> true", kIsEdge);
    add("weekOfYear(X)", partKernel<weekPart, Needs::Date>, "The week of X by ISO 8601, as INT.",
        "weekOfYear(2024.01.01 2023.01.01) -> [1,52]");
    add("daysInMonth(X)", partKernel<daysInMonthPart, Needs::Date>, "How many days the month of X has, as INT.",
        "daysInMonth(2024.02.10) -> 29");
    add("hour(X)", partKernel<hourPart, Needs::Clock>, "The hour of X, as INT.", "hour(2024.03.15T13:30:10) -> 13",
        {.gives = is(Type::Int), .kind = FunctionKind::Elementwise, .role = Role::Hour});
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
    add("isLeapYear(X)", isLeapKernel, "Whether X is in a leap year.", "isLeapYear(2024.03.15) -> true", kIsEdge);
    add("isMonthStart(X)", isPeriodEdgeKernel<1, false>, "Whether X is the first day of its month.",
        "isMonthStart(2024.03.01) -> true", kIsEdge);
    add("isMonthEnd(X)", isPeriodEdgeKernel<1, true>, "Whether X is the last day of its month.",
        "isMonthEnd(2024.02.29) -> true", kIsEdge);
    add("concatDateTime(date, time)", concatDateTimeKernel, "The date and the time of day as one instant.",
        "concatDateTime(2024.03.15, 13:30:10) -> 2024.03.15T13:30:10",
        {.gives = instantOf(1), .kind = FunctionKind::Elementwise});
    registry.alias("concatDT", "concatDateTime");
}

}  // namespace pelorus
