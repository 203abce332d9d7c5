// The first or last day of the period that holds a date: weekBegin, monthEnd, businessQuarterEnd and related functions.
//
// Each function is defined by a numbering of periods: which one holds a day, and which day marks a period. Steps of `n`
// periods, counted from the one that holds `offset`, are then the same for all.
#include <algorithm>

#include "common/time/trading_calendar.h"
#include "runtime/function/function.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/temporal/map_temporal.h"
#include "stdlib/temporal/periods.h"

namespace pelorus {

namespace {

using calendar::civilFromDays;
using calendar::floorDivide;
using calendar::floorModulo;

using Side = Periods::Side;

// Months since year 0.
int64_t monthOf(int64_t day) {
    const calendar::CivilDate date = civilFromDays(day);
    return int64_t{date.year} * 12 + date.month - 1;
}
int64_t firstDayOfMonth(int64_t month) {
    return calendar::daysFromCivil(floorDivide(month, 12), static_cast<int32_t>(floorModulo(month, 12)) + 1, 1);
}

int64_t weekdayOnOrAfter(int64_t day) {
    const int32_t weekday = calendar::weekdayFromDays(day);
    return weekday < 5 ? day : day + 7 - weekday;
}
int64_t weekdayOnOrBefore(int64_t day) {
    return day - std::max(calendar::weekdayFromDays(day) - 4, 0);
}

// Periods of so many months, of which one begins with `startingMonth` (1 … 12).
Periods months(int64_t length, int64_t startingMonth, Side side) {
    const int64_t shift = (startingMonth - 1) % length;
    return {[=](int64_t day) { return floorDivide(monthOf(day) - shift, length); },
            [=](int64_t number) {
                const int64_t first = number * length + shift;
                return side == Side::Begin ? firstDayOfMonth(first) : firstDayOfMonth(first + length) - 1;
            },
            side};
}

// Moves the marks of periods inwards to a day from Monday to Friday.
Periods business(Periods periods, Side side) {
    auto dayOf = periods.dayOf;
    periods.dayOf = [=](int64_t number) {
        return side == Side::Begin ? weekdayOnOrAfter(dayOf(number)) : weekdayOnOrBefore(dayOf(number));
    };
    return periods;
}

// Each period lasts from its day to the day before the next one's.
Periods fromOwnDay(Periods periods) {
    auto numberOf = periods.numberOf;
    auto dayOf = periods.dayOf;
    periods.numberOf = [=](int64_t day) {
        const int64_t number = numberOf(day);
        return dayOf(number) > day ? number - 1 : number;
    };
    return periods;
}

// Weeks that begin, or end, with a day of the week (Monday is 0).
Periods weeks(int64_t weekday, Side side) {
    constexpr int64_t kMonday = -3;  // 1969.12.29
    const int64_t anchor = kMonday + weekday;
    return {
        [=](int64_t day) { return side == Side::Begin ? floorDivide(day - anchor, 7) : -floorDivide(anchor - day, 7); },
        [=](int64_t number) { return anchor + number * 7; }};
}

// Two periods a month, cut before `dayOfMonth`.
Periods halfMonths(int64_t dayOfMonth, Side side) {
    return {[=](int64_t day) { return monthOf(day) * 2 + (civilFromDays(day).day >= dayOfMonth ? 1 : 0); },
            [=](int64_t number) {
                const int64_t first = firstDayOfMonth(floorDivide(number, 2));
                if (floorModulo(number, 2) == 1) return first + dayOfMonth - 1;
                return side == Side::Begin ? first : first - 1;
            }};
}

// Returns the periods that begin at the `week`-th (from 0) such weekday of each month; -1 denotes the last one.
Periods weekdayOfMonths(int64_t week, int64_t weekday) {
    auto dayOf = [=](int64_t month) {
        if (week < 0) {
            const int64_t last = firstDayOfMonth(month + 1) - 1;
            return last - floorModulo(calendar::weekdayFromDays(last) - weekday, 7);
        }
        const int64_t first = firstDayOfMonth(month);
        return first + floorModulo(weekday - calendar::weekdayFromDays(first), 7) + week * 7;
    };
    return fromOwnDay({monthOf, dayOf});
}

// Years of 52 or 53 weeks: they begin with the last such weekday of a month, or with the one nearest to its last day.
int64_t fiscalYearBegin(int64_t year, int64_t weekday, int64_t month, bool nearest) {
    const int64_t last = firstDayOfMonth(year * 12 + month) - 1;
    const int64_t back = floorModulo(calendar::weekdayFromDays(last) - weekday, 7);
    return nearest && back > 3 ? last - back + 7 : last - back;
}

Periods fiscalYears(int64_t weekday, int64_t month, bool nearest) {
    auto dayOf = [=](int64_t year) { return fiscalYearBegin(year, weekday, month, nearest); };
    return {[=](int64_t day) {
                int64_t year = civilFromDays(day).year + 1;
                while (dayOf(year) > day) --year;
                return year;
            },
            dayOf};
}

// Quarters of 13 weeks; in years of 53 weeks one of them, counted from 1, has 14.
Periods fiscalQuarters(int64_t weekday, int64_t month, int64_t longQuarter, bool nearest) {
    auto dayOf = [=](int64_t number) {
        const int64_t year = floorDivide(number, 4), quarter = floorModulo(number, 4);
        const int64_t begin = fiscalYearBegin(year, weekday, month, nearest);
        const bool isLong = fiscalYearBegin(year + 1, weekday, month, nearest) - begin > 52 * 7;
        return begin + quarter * 13 * 7 + (isLong && quarter >= longQuarter ? 7 : 0);
    };
    return {[=](int64_t day) {
                int64_t number = (civilFromDays(day).year + 1) * 4 + 3;
                while (dayOf(number) > day) --number;
                return number;
            },
            dayOf};
}

Periods businessDays() {
    constexpr int64_t kMonday = -3;
    return {[](int64_t day) {
                return floorDivide(day - kMonday, 7) * 5 + std::min<int64_t>(calendar::weekdayFromDays(day), 4);
            },
            [](int64_t number) { return kMonday + floorDivide(number, 5) * 7 + floorModulo(number, 5); }};
}

// The smallest day of X; false when it has none.
bool smallestDay(const Value& x, int64_t& day) {
    if (!isTemporal(x.type())) return false;
    if (x.isScalar()) {
        if (!x.isNull()) day = partOf(x.integer(), x.type(), Needs::Date);
        return !x.isNull();
    }
    if (!x.isTypedVector()) return false;
    std::vector<int64_t> days(static_cast<size_t>(x.size()));
    readParts(x.vector(), Needs::Date, 0, x.size(), days.data());
    std::erase_if(days, [](int64_t d) { return isNull(d); });
    if (!days.empty()) day = *std::min_element(days.begin(), days.end());
    return !days.empty();
}

// Returns the marking day of each element's period. `offset` and `n` are the arguments from position `at` on.
Value periodsOf(Arguments a, const Periods& periods, Side side, size_t at) {
    const int64_t n = integerArgument(a, at + 1, "n", 1);
    if (n < 1) refuseArgument(at + 1, "n", "at least 1", a[at + 1]);
    int64_t from = 0;
    if (n > 1) {
        int64_t day = 0;
        const Value& given = isGiven(a, at) ? a[at] : a[0];
        if (isGiven(a, at) && !isTemporal(given.type())) refuseArgument(at, "offset", "a date", given);
        if (smallestDay(given, day)) from = periods.numberOf(day);
    }
    return mapTemporal(a[0], Needs::Date, Type::Date, [&](int64_t day) {
        int64_t number = periods.numberOf(day) - from;
        number = side == Side::Begin ? floorDivide(number, n) : -floorDivide(-number, n);
        return periods.dayOf(number * n + from);
    });
}

int64_t argumentBetween(Arguments a, size_t i, std::string_view name, int64_t whenOmitted, int64_t least,
                        int64_t most) {
    const int64_t x = integerArgument(a, i, name, whenOmitted);
    if (x < least || x > most) refuseArgument(i, name, fmt::format("between {} and {}", least, most), a[i]);
    return x;
}

template <Side kSide, bool kBusiness>
Value monthKernel(Context&, Arguments a) {
    Periods periods = months(1, 1, kSide);
    if (kBusiness) periods = business(periods, kSide);
    return periodsOf(a, periods, kSide, 1);
}

// Quarters, half years and years: the second argument is the month that they begin or end with.
template <int kMonths, Side kSide, bool kBusiness>
Value longPeriodKernel(Context&, Arguments a) {
    const bool begin = kSide == Side::Begin;
    const int64_t month = argumentBetween(a, 1, begin ? "startingMonth" : "endingMonth", begin ? 1 : 12, 1, 12);
    Periods periods = months(kMonths, begin ? month : month % 12 + 1, kSide);
    if (kBusiness) periods = business(periods, kSide);
    if (kBusiness && kMonths == 12 && begin) periods = fromOwnDay(periods);
    return periodsOf(a, periods, kSide, 2);
}

template <Side kSide>
Value weekKernel(Context&, Arguments a) {
    const int64_t weekday = argumentBetween(a, 1, "weekday", kSide == Side::Begin ? 0 : 6, 0, 6);
    return periodsOf(a, weeks(weekday, kSide), kSide, 2);
}

template <Side kSide>
Value halfMonthKernel(Context&, Arguments a) {
    return periodsOf(a, halfMonths(argumentBetween(a, 1, "dayOfMonth", 15, 2, 27), kSide), kSide, 2);
}

Value weekOfMonthKernel(Context&, Arguments a) {
    const int64_t week = argumentBetween(a, 1, "week", 0, 0, 3), weekday = argumentBetween(a, 2, "weekday", 0, 0, 6);
    return periodsOf(a, weekdayOfMonths(week, weekday), Side::Begin, 3);
}
Value lastWeekOfMonthKernel(Context&, Arguments a) {
    return periodsOf(a, weekdayOfMonths(-1, argumentBetween(a, 1, "weekday", 0, 0, 6)), Side::Begin, 2);
}
Value fiscalYearKernel(Context&, Arguments a) {
    const int64_t weekday = argumentBetween(a, 1, "weekday", 0, 0, 6);
    const int64_t month = argumentBetween(a, 2, "startingMonth", 1, 1, 12);
    return periodsOf(a, fiscalYears(weekday, month, flagArgument(a, 3, "nearest", true)), Side::Begin, 4);
}
Value fiscalQuarterKernel(Context&, Arguments a) {
    const int64_t weekday = argumentBetween(a, 1, "weekday", 0, 0, 6);
    const int64_t month = argumentBetween(a, 2, "startingMonth", 1, 1, 12);
    const int64_t longQuarter = argumentBetween(a, 3, "qtrWithExtraWeek", 1, 1, 4);
    return periodsOf(a, fiscalQuarters(weekday, month, longQuarter, flagArgument(a, 4, "nearest", true)), Side::Begin,
                     5);
}
Value businessDayKernel(Context&, Arguments a) {
    return periodsOf(a, businessDays(), Side::Begin, 1);
}

}  // namespace

bool periodsByRule(std::string_view rule, Periods& periods) {
    // The end of a period is its mark where the rule names an end; `semiMonthEnd` marks what has passed.
    struct Rule {
        std::string_view name;
        Periods (*make)();
        Side mark;
    };
    static constexpr Rule kRules[] = {
        {"B", [] { return businessDays(); }, Side::Begin},
        {"W", [] { return weeks(6, Side::End); }, Side::End},
        {"WOM", [] { return weekdayOfMonths(0, 0); }, Side::Begin},
        {"LWOM", [] { return weekdayOfMonths(-1, 0); }, Side::Begin},
        {"M", [] { return months(1, 1, Side::End); }, Side::End},
        {"MS", [] { return months(1, 1, Side::Begin); }, Side::Begin},
        {"BM", [] { return business(months(1, 1, Side::End), Side::End); }, Side::End},
        {"BMS", [] { return business(months(1, 1, Side::Begin), Side::Begin); }, Side::Begin},
        {"SM", [] { return halfMonths(15, Side::End); }, Side::Begin},
        {"SMS", [] { return halfMonths(15, Side::Begin); }, Side::Begin},
        {"Q", [] { return months(3, 1, Side::End); }, Side::End},
        {"QS", [] { return months(3, 1, Side::Begin); }, Side::Begin},
        {"BQ", [] { return business(months(3, 1, Side::End), Side::End); }, Side::End},
        {"BQS", [] { return business(months(3, 1, Side::Begin), Side::Begin); }, Side::Begin},
        {"REQ", [] { return fiscalQuarters(0, 1, 1, true); }, Side::Begin},
        {"A", [] { return months(12, 1, Side::End); }, Side::End},
        {"AS", [] { return months(12, 1, Side::Begin); }, Side::Begin},
        {"BA", [] { return business(months(12, 1, Side::End), Side::End); }, Side::End},
        {"BAS", [] { return fromOwnDay(business(months(12, 1, Side::Begin), Side::Begin)); }, Side::Begin},
        {"RE", [] { return fiscalYears(0, 1, true); }, Side::Begin},
        {"SA", [] { return months(6, 1, Side::End); }, Side::End},
        {"SAS", [] { return months(6, 1, Side::Begin); }, Side::Begin}};
    for (const Rule& known : kRules) {
        if (known.name != rule) continue;
        periods = known.make();
        periods.side = known.mark;
        return true;
    }
    auto market = findTradingCalendar(rule);
    if (!market) return false;
    periods = {[market](int64_t day) { return market->numberOf(day); },
               [market](int64_t number) { return market->dayOf(number); }, Side::Begin};
    return true;
}

void registerPeriods(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = "offset, n: only every n-th period counts, from the one that holds offset (the "
                                    "smallest X when left out)",
                      .nulls = "NULL for NULL.",
                      .errors = "X holds no date, or an argument is out of its range.",
                      .example = example},
                     {.takes = {kAnything, kTogether, kTogether, kTogether, kTogether, kTogether},
                      .gives = is(Type::Date),
                      .kind = FunctionKind::Elementwise});
    };
    add("weekBegin(X, [weekday=0], [offset], [n=1])", weekKernel<Side::Begin>,
        "The last day on or before X that is this day of the week (Monday is 0), as DATE.",
        "weekBegin(2024.03.15) -> 2024.03.11");
    add("weekEnd(X, [weekday=6], [offset], [n=1])", weekKernel<Side::End>,
        "The first day on or after X that is this day of the week (Monday is 0), as DATE.",
        "weekEnd(2024.03.15) -> 2024.03.17");
    registry.alias("week", "weekEnd");
    add("monthBegin(X, [offset], [n=1])", monthKernel<Side::Begin, false>, "The first day of the month of X, as DATE.",
        "monthBegin(2024.03.15) -> 2024.03.01");
    registry.alias("monthStart", "monthBegin");
    add("monthEnd(X, [offset], [n=1])", monthKernel<Side::End, false>, "The last day of the month of X, as DATE.",
        "monthEnd(2024.02.10) -> 2024.02.29");
    add("quarterBegin(X, [startingMonth=1], [offset], [n=1])", longPeriodKernel<3, Side::Begin, false>,
        "The first day of the quarter of X, as DATE.", "quarterBegin(2024.05.10) -> 2024.04.01");
    add("quarterEnd(X, [endingMonth=12], [offset], [n=1])", longPeriodKernel<3, Side::End, false>,
        "The last day of the quarter of X, as DATE.", "quarterEnd(2024.05.10) -> 2024.06.30");
    add("semiannualBegin(X, [startingMonth=1], [offset], [n=1])", longPeriodKernel<6, Side::Begin, false>,
        "The first day of the half year of X, as DATE.", "semiannualBegin(2024.09.10) -> 2024.07.01");
    add("semiannualEnd(X, [endingMonth=12], [offset], [n=1])", longPeriodKernel<6, Side::End, false>,
        "The last day of the half year of X, as DATE.", "semiannualEnd(2024.09.10) -> 2024.12.31");
    add("yearBegin(X, [startingMonth=1], [offset], [n=1])", longPeriodKernel<12, Side::Begin, false>,
        "The first day of the year of X, as DATE.", "yearBegin(2024.05.10) -> 2024.01.01");
    add("yearEnd(X, [endingMonth=12], [offset], [n=1])", longPeriodKernel<12, Side::End, false>,
        "The last day of the year of X, as DATE.", "yearEnd(2024.05.10, 3) -> 2025.03.31");
    add("businessMonthBegin(X, [offset], [n=1])", monthKernel<Side::Begin, true>,
        "The first day from Monday to Friday of the month of X, as DATE.",
        "businessMonthBegin(2024.06.12) -> 2024.06.03");
    add("businessMonthEnd(X, [offset], [n=1])", monthKernel<Side::End, true>,
        "The last day from Monday to Friday of the month of X, as DATE.", "businessMonthEnd(2024.06.12) -> 2024.06.28");
    add("businessQuarterBegin(X, [startingMonth=1], [offset], [n=1])", longPeriodKernel<3, Side::Begin, true>,
        "The first day from Monday to Friday of the quarter of X, as DATE.",
        "businessQuarterBegin(2023.05.10) -> 2023.04.03");
    add("businessQuarterEnd(X, [endingMonth=12], [offset], [n=1])", longPeriodKernel<3, Side::End, true>,
        "The last day from Monday to Friday of the quarter of X, as DATE.",
        "businessQuarterEnd(2024.05.10) -> 2024.06.28");
    add("businessYearBegin(X, [startingMonth=1], [offset], [n=1])", longPeriodKernel<12, Side::Begin, true>,
        "The last day on or before X that is the first one from Monday to Friday of a year, as DATE.",
        "businessYearBegin(2023.05.10) -> 2023.01.02");
    add("businessYearEnd(X, [endingMonth=12], [offset], [n=1])", longPeriodKernel<12, Side::End, true>,
        "The last day from Monday to Friday of the year of X, as DATE.", "businessYearEnd(2023.05.10) -> 2023.12.29");
    add("semiMonthBegin(X, [dayOfMonth=15], [offset], [n=1])", halfMonthKernel<Side::Begin>,
        "The first or the dayOfMonth-th day of the month, the last of them on or before X, as DATE.",
        "semiMonthBegin(2024.03.20) -> 2024.03.15");
    add("semiMonthEnd(X, [dayOfMonth=15], [offset], [n=1])", halfMonthKernel<Side::End>,
        "The last day of the month before, or from dayOfMonth on that day of the month of X, as DATE.",
        "semiMonthEnd(2024.03.12) -> 2024.02.29");
    add("weekOfMonth(X, [week=0], [weekday=0], [offset], [n=1])", weekOfMonthKernel,
        "The last day on or before X that is the week-th (from 0) such weekday (Monday is 0) of its month, as DATE.",
        "weekOfMonth(2024.03.20, 1, 0) -> 2024.03.11");
    add("lastWeekOfMonth(X, [weekday=0], [offset], [n=1])", lastWeekOfMonthKernel,
        "The last day on or before X that is the last such weekday (Monday is 0) of its month, as DATE.",
        "lastWeekOfMonth(2024.03.20) -> 2024.02.26");
    add("fy5253(X, [weekday=0], [startingMonth=1], [nearest=true], [offset], [n=1])", fiscalYearKernel,
        "The first day of the fiscal year of X, which has 52 or 53 weeks: the weekday nearest to the last day of the "
        "starting month, or its last one, as DATE.",
        "fy5253(2024.06.12) -> 2024.01.29");
    add("fy5253Quarter(X, [weekday=0], [startingMonth=1], [qtrWithExtraWeek=1], [nearest=true], [offset], [n=1])",
        fiscalQuarterKernel,
        "The first day of the fiscal quarter of X, 13 weeks long, or 14 in the quarter with the extra week, as DATE.",
        "fy5253Quarter(2024.06.12) -> 2024.05.06");
    add("businessDay(X, [offset], [n=1])", businessDayKernel, "X, or the Friday before a weekend, as DATE.",
        "businessDay(2024.03.16) -> 2024.03.15");
}

}  // namespace pelorus
