// Functions of dates, times and intervals.
#include "postgres/functions/postgres_functions.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "common/time/calendar.h"
#include "postgres/functions/conversions.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/functions/time_format.h"
#include "postgres/functions/time_texts.h"
#include "postgres/sql_error.h"
#include "runtime/value/decimal.h"

namespace pelorus::postgres {

namespace {

using Row = std::span<const Value>;

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

int64_t instantArgument(Row row, size_t i) {
    const int64_t nanos = nanosOf(row[i]);
    if (nanos == INT64_MIN) throw SqlError(sql_state::kDatetimeOverflow, "timestamp out of range");
    return nanos;
}

Value ofNanos(int64_t nanos) {
    return Value::scalar(Type::NanoTimestamp, nanos);
}

template <int kSign>
Value shifted(Row row) {
    return ofNanos(addInterval(instantArgument(row, 0), intervalOf(row[1]), kSign));
}

template <int kSign>
Value shiftedTime(Row row) {
    const int64_t nanos = temporalAs(row[0], Type::NanoTime);
    return Value::scalar(Type::NanoTime,
                         calendar::floorModulo(nanos + kSign * (intervalOf(row[1]).micros % kMicrosPerDay) * 1'000,
                                               calendar::kNanosPerDay));
}

int64_t dayArgument(Row row, size_t i) {
    return temporalAs(row[i], Type::Date);
}

template <int kSign>
Value shiftedDay(Row row) {
    const int64_t day = dayArgument(row, 0) + kSign * wholeArgument(row, 1);
    if (std::abs(day) > 2'000'000'000) throw SqlError(sql_state::kDatetimeOverflow, "date out of range");
    return Value::scalar(Type::Date, day);
}

Value daysBetween(Row row) {
    return Value::ofInt(static_cast<int32_t>(dayArgument(row, 0) - dayArgument(row, 1)));
}

Value timeBetween(Row row) {
    const bool isTime = calendar::temporalKind(row[0].type()) == calendar::TemporalKind::TimeOfDay;
    if (isTime) {
        const int64_t a = temporalAs(row[0], Type::NanoTime);
        const int64_t b = temporalAs(row[1], Type::NanoTime);
        return intervalValue({0, 0, (a - b) / 1'000});
    }
    const int64_t micros = instantArgument(row, 0) / 1'000 - instantArgument(row, 1) / 1'000;
    return intervalValue({0, static_cast<int32_t>(micros / kMicrosPerDay), micros % kMicrosPerDay});
}

Interval checkedInterval(int64_t months, int64_t days, __int128 micros) {
    if (std::abs(months) > INT32_MAX || std::abs(days) > INT32_MAX || micros > INT64_MAX || micros < -INT64_MAX)
        throw SqlError(sql_state::kDatetimeOverflow, "interval out of range");
    return {static_cast<int32_t>(months), static_cast<int32_t>(days), static_cast<int64_t>(micros)};
}

template <int kSign>
Value intervalSum(Row row) {
    const Interval a = intervalOf(row[0]), b = intervalOf(row[1]);
    return intervalValue(checkedInterval(int64_t{a.months} + kSign * int64_t{b.months},
                                         int64_t{a.days} + kSign * int64_t{b.days},
                                         __int128{a.micros} + kSign * __int128{b.micros}));
}

Value intervalTimes(Row row) {
    const Interval a = intervalOf(row[0]);
    const double factor = row[1].asDouble();
    const double months = a.months * factor;
    const double days = a.days * factor + (months - std::trunc(months)) * 30;
    const double micros = static_cast<double>(a.micros) * factor +
                          std::nearbyint((days - std::trunc(days)) * static_cast<double>(kMicrosPerDay));
    if (!(std::abs(months) < INT32_MAX && std::abs(days) < INT32_MAX && std::abs(micros) < 9e18))
        throw SqlError(sql_state::kDatetimeOverflow, "interval out of range");
    return intervalValue({static_cast<int32_t>(months), static_cast<int32_t>(days), std::llround(micros)});
}

// The length that intervals are compared by: months of thirty days.
Value intervalOrder(Row row) {
    const Interval a = intervalOf(row[0]);
    return Value::ofDouble(static_cast<double>(a.micros) +
                           (static_cast<double>(a.days) + 30.0 * a.months) * static_cast<double>(kMicrosPerDay));
}

Value truncated(Row row) {
    const std::string field = timeField(textArgument(row, 0));
    return ofNanos(truncateTime(field, instantArgument(row, 1)));
}

Value part(Row row) {
    const std::string field = timeField(textArgument(row, 0));
    return Value::ofDouble(static_cast<double>(timePart(field, row[1])) / 1e6);
}

// extract: numeric, with six digits behind the point where the field has fractions.
Value extracted(Row row) {
    const std::string field = timeField(textArgument(row, 0));
    __int128 raw = timePart(field, row[1]);
    decimal::rescale(raw, 6, static_cast<int>(std::clamp<int64_t>(wholeArgument(row, 2), 0, 38)));
    return decimal::make(Type::Decimal128, raw, static_cast<int>(wholeArgument(row, 2)));
}

Value ageBetween(Row row) {
    int64_t later = instantArgument(row, 0), earlier = instantArgument(row, 1);
    const bool isNegative = later < earlier;
    if (isNegative) std::swap(later, earlier);
    int64_t laterDay = calendar::floorDivide(later, calendar::kNanosPerDay),
            earlierDay = calendar::floorDivide(earlier, calendar::kNanosPerDay);
    int64_t nanos =
        calendar::floorModulo(later, calendar::kNanosPerDay) - calendar::floorModulo(earlier, calendar::kNanosPerDay);
    if (nanos < 0) {
        nanos += calendar::kNanosPerDay;
        --laterDay;
    }
    const calendar::CivilDate a = calendar::civilFromDays(laterDay), b = calendar::civilFromDays(earlierDay);
    int64_t months = (a.year - b.year) * 12 + (a.month - b.month);
    int64_t days = a.day - b.day;
    if (days < 0) {
        --months;
        // PostgreSQL counts the days of the earlier date's month, or of the later one's for a negative age.
        days += isNegative ? calendar::daysInMonth(a.year, a.month) : calendar::daysInMonth(b.year, b.month);
    }
    const int sign = isNegative ? -1 : 1;
    return intervalValue(checkedInterval(sign * months, sign * days, __int128{sign} * (nanos / 1'000)));
}

Value formattedTime(Row row) {
    return textValue(formatTime(row[0], textArgument(row, 1)));
}

Value formattedNumber(Row row) {
    return textValue(formatNumber(row[0], textArgument(row, 1)));
}

Value parsedTime(Row row) {
    return ofNanos(parseByFormat(textArgument(row, 0), textArgument(row, 1)));
}
Value parsedDay(Row row) {
    return Value::scalar(Type::Date, calendar::floorDivide(parseByFormat(textArgument(row, 0), textArgument(row, 1)),
                                                           calendar::kNanosPerDay));
}

Value fromEpoch(Row row) {
    const double seconds = row[0].asDouble();
    if (!(std::abs(seconds) < 9.2e9)) throw SqlError(sql_state::kDatetimeOverflow, "timestamp out of range");
    return ofNanos(std::llround(seconds * 1e6) * 1'000);
}

Value madeDate(Row row) {
    const int64_t year = wholeArgument(row, 0), month = wholeArgument(row, 1), day = wholeArgument(row, 2);
    if (year < 1 || year > 9'999 || month < 1 || month > 12 || day < 1 || day > 31 ||
        !calendar::isDate(year, static_cast<int32_t>(month), static_cast<int32_t>(day)))
        throw SqlError(sql_state::kDatetimeOverflow,
                       fmt::format("date field value out of range: {}-{:02}-{:02}", year, month, day));
    return Value::scalar(Type::Date,
                         calendar::daysFromCivil(year, static_cast<int32_t>(month), static_cast<int32_t>(day)));
}

Value madeTimestamp(Row row) {
    const Value day = madeDate(row.first(3));
    const int64_t hours = wholeArgument(row, 3), minutes = wholeArgument(row, 4);
    const double seconds = row[5].asDouble();
    if (hours < 0 || hours > 24 || minutes < 0 || minutes > 59 || !(seconds >= 0 && seconds <= 60))
        throw SqlError(sql_state::kDatetimeOverflow, "time field value out of range");
    return ofNanos(day.integer() * calendar::kNanosPerDay + (hours * 3'600 + minutes * 60) * calendar::kNanosPerSecond +
                   std::llround(seconds * 1e6) * 1'000);
}

Value madeInterval(Row row) {
    const double seconds = row[6].asDouble();
    return intervalValue(checkedInterval(
        wholeArgument(row, 0) * 12 + wholeArgument(row, 1), wholeArgument(row, 2) * 7 + wholeArgument(row, 3),
        (__int128{wholeArgument(row, 4)} * 3'600 + wholeArgument(row, 5) * 60) * kMicrosPerSecond +
            std::llround(seconds * 1e6)));
}

Value binned(Row row) {
    const Interval stride = intervalOf(row[0]);
    if (stride.months != 0)
        throw SqlError(sql_state::kFeatureNotSupported,
                       "timestamps cannot be binned into intervals containing months or years");
    const int64_t width = (stride.days * kMicrosPerDay + stride.micros) * 1'000;
    if (width <= 0) throw SqlError(sql_state::kDatetimeOverflow, "stride must be greater than zero");
    const int64_t x = instantArgument(row, 1), origin = instantArgument(row, 2);
    return ofNanos(origin + calendar::floorDivide(x - origin, width) * width);
}

constexpr RowFunction kTimes[] = {
    {.syntax = "pgTimeAdd(x, interval)",
     .compute = shifted<1>,
     .result = Type::NanoTimestamp,
     .summary = "x + interval."},
    {.syntax = "pgTimeSubtract(x, interval)",
     .compute = shifted<-1>,
     .result = Type::NanoTimestamp,
     .summary = "x - interval."},
    {.syntax = "pgClockAdd(x, interval)",
     .compute = shiftedTime<1>,
     .result = Type::NanoTime,
     .summary = "A time of day later."},
    {.syntax = "pgClockSubtract(x, interval)",
     .compute = shiftedTime<-1>,
     .result = Type::NanoTime,
     .summary = "A time of day earlier."},
    {.syntax = "pgDayAdd(x, days)", .compute = shiftedDay<1>, .result = Type::Date, .summary = "A date later."},
    {.syntax = "pgDaySubtract(x, days)", .compute = shiftedDay<-1>, .result = Type::Date, .summary = "A date earlier."},
    {.syntax = "pgDaysBetween(a, b)", .compute = daysBetween, .result = Type::Int, .summary = "a - b of dates."},
    {.syntax = "pgTimeBetween(a, b)", .compute = timeBetween, .result = Type::Int128, .summary = "a - b as interval."},
    {.syntax = "pgIntervalAdd(a, b)", .compute = intervalSum<1>, .result = Type::Int128, .summary = "a + b."},
    {.syntax = "pgIntervalSubtract(a, b)", .compute = intervalSum<-1>, .result = Type::Int128, .summary = "a - b."},
    {.syntax = "pgIntervalMultiply(a, factor)",
     .compute = intervalTimes,
     .result = Type::Int128,
     .summary = "a * factor."},
    {.syntax = "pgIntervalOrder(a)",
     .compute = intervalOrder,
     .result = Type::Double,
     .summary = "The microseconds that intervals are compared by."},
    {.syntax = "pgDateTrunc(field, x)",
     .compute = truncated,
     .result = Type::NanoTimestamp,
     .summary = "The begin of the field."},
    {.syntax = "pgDatePart(field, x)", .compute = part, .result = Type::Double, .summary = "A part of x."},
    {.syntax = "pgExtract(field, x, scale)",
     .compute = extracted,
     .result = Type::Decimal128,
     .scaleArgument = 2,
     .summary = "A part of x."},
    {.syntax = "pgAge(a, b)",
     .compute = ageBetween,
     .result = Type::Int128,
     .summary = "Years, months and days between."},
    {.syntax = "pgToCharTime(x, format)",
     .compute = formattedTime,
     .result = Type::String,
     .summary = "x by a format."},
    {.syntax = "pgToCharNumber(x, format)",
     .compute = formattedNumber,
     .result = Type::String,
     .summary = "x by a format."},
    {.syntax = "pgToTimestamp(x, format)",
     .compute = parsedTime,
     .result = Type::NanoTimestamp,
     .summary = "The time that x shows."},
    {.syntax = "pgToDate(x, format)", .compute = parsedDay, .result = Type::Date, .summary = "The date that x shows."},
    {.syntax = "pgFromEpoch(seconds)",
     .compute = fromEpoch,
     .result = Type::NanoTimestamp,
     .summary = "The time so long after 1970."},
    {.syntax = "pgMakeDate(year, month, day)", .compute = madeDate, .result = Type::Date, .summary = "A date."},
    {.syntax = "pgMakeTimestamp(year, month, day, hour, minute, second)",
     .compute = madeTimestamp,
     .result = Type::NanoTimestamp,
     .summary = "A time."},
    {.syntax = "pgMakeInterval(years, months, weeks, days, hours, minutes, seconds)",
     .compute = madeInterval,
     .result = Type::Int128,
     .summary = "An interval."},
    {.syntax = "pgDateBin(stride, x, origin)",
     .compute = binned,
     .result = Type::NanoTimestamp,
     .summary = "The begin of the stride."},
};

}  // namespace

void registerTimeFunctions(FunctionRegistry& registry) {
    registerRowFunctions<kTimes>(registry);
}

}  // namespace pelorus::postgres
