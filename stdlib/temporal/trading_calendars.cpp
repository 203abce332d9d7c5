// The trading calendars that the process knows: addMarketHoliday, getMarketCalendar and related functions.
#include <fmt/format.h>

#include "common/error.h"
#include "common/time/trading_calendar.h"

#include <algorithm>

#include "common/time/calendar.h"
#include "runtime/value/cast.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxDays = 1'000'000;

std::string marketArgument(Arguments a) {
    const std::string name = stringArgument(a, 0, "marketName");
    // The name is also that of a file.
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!plain) refuseArgument(0, "marketName", "made of letters", a[0]);
    return name;
}

std::vector<int64_t> daysArgument(Arguments a, size_t i) {
    const Ref<Vector> given = vectorArgument(a, i, "holiday");
    if (given->type() != Type::Date) refuseArgument(i, "holiday", "a DATE vector", a[i]);
    std::vector<int64_t> days;
    for (int64_t k = 0; k < given->size(); ++k) {
        if (given->isNullAt(k)) refuseArgument(i, "holiday", "without NULL", a[i]);
        days.push_back(given->asLong(k));
    }
    return days;
}

// addMarketHoliday(marketName, holiday, [dateType])
Value addKernel(Context&, Arguments a) {
    const std::string name = marketArgument(a);
    const bool fourCapitals =
        name.size() == 4 && std::all_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!fourCapitals) refuseArgument(0, "marketName", "made of 4 capital letters", a[0]);
    if (findTradingCalendar(name)) {
        throw UserError(0, fmt::format("The added market '{}' already exists.", name),
                        "Change it with updateMarketHoliday.");
    }
    const std::string kind = stringArgument(a, 2, "dateType", "holidayDate");
    if (kind != "holidayDate" && kind != "tradingDate")
        refuseArgument(2, "dateType", "holidayDate or tradingDate", a[2]);
    const auto dates = kind == "tradingDate" ? TradingCalendar::Dates::TradingDays : TradingCalendar::Dates::Holidays;
    setTradingCalendar({name, dates, daysArgument(a, 1)});
    return Value();
}

// updateMarketHoliday(marketName, holiday)
Value updateKernel(Context&, Arguments a) {
    const auto calendar = tradingCalendar(marketArgument(a));
    setTradingCalendar({calendar->name(), calendar->dates(), daysArgument(a, 1)});
    return Value();
}

Value deleteKernel(Context&, Arguments a) {
    removeTradingCalendar(tradingCalendar(marketArgument(a))->name());
    return Value();
}

Value listKernel(Context&, Arguments) {
    return Value::of(Vector::ofStrings(tradingCalendarNames()));
}

Value typeKernel(Context&, Arguments a) {
    const auto dates = tradingCalendar(marketArgument(a))->dates();
    return Value::ofString(dates == TradingCalendar::Dates::TradingDays ? "tradingDate" : "holidayDate");
}

// getMarketCalendar(marketName, [startDate], [endDate])
Value calendarKernel(Context&, Arguments a) {
    const auto calendar = tradingCalendar(marketArgument(a));
    auto yearOf = [](int64_t day) { return calendar::civilFromDays(day).year; };
    const std::vector<int64_t>& days = calendar->days();
    auto bound = [&](size_t i, std::string_view name, int64_t whenOmitted) {
        if (!isGiven(a, i) || (a[i].isScalar() && a[i].isNull())) return whenOmitted;
        if (!a[i].isScalar() || a[i].type() != Type::Date) refuseArgument(i, name, "a DATE", a[i]);
        return a[i].integer();
    };
    const int64_t begin = bound(1, "startDate", days.empty() ? 0 : calendar::daysFromCivil(yearOf(days.front()), 1, 1));
    const int64_t end = bound(2, "endDate", days.empty() ? -1 : calendar::daysFromCivil(yearOf(days.back()), 12, 31));
    if (end - begin > kMaxDays) throw UserError(2, "startDate and endDate are too far apart.");
    std::vector<int32_t> open;
    for (int64_t day = begin; day <= end; ++day) {
        if (calendar->isOpen(day)) open.push_back(static_cast<int32_t>(day));
    }
    return Value::of(Vector::of(Type::Date, open));
}

}  // namespace

void registerTradingCalendars(FunctionRegistry& registry) {
    constexpr std::string_view kUnknown = "There is no trading calendar of that name.";
    registry.add(
        "addMarketHoliday(marketName, holiday, [dateType='holidayDate'])", addKernel,
        {.summary = "Adds a trading calendar: the weekdays without holiday, or the trading days themselves.",
         .parameters = "marketName: 4 capital letters\ndateType: holidayDate or tradingDate, what holiday lists",
         .errors = "There is such a calendar; holiday is no DATE vector.",
         .example = "holidays = 2024.01.01 2024.12.25; addMarketHoliday(\"DESK\", holidays)"},
        {.effect = Effect::Writes, .facet = Facet::Admin});
    registry.add("updateMarketHoliday(marketName, holiday)", updateKernel,
                 {.summary = "Replaces the dates of a trading calendar.",
                  .errors = kUnknown,
                  .example = "holidays = 2024.01.01 2024.12.25 2024.12.26; updateMarketHoliday(\"DESK\", holidays)"},
                 {.effect = Effect::Writes, .facet = Facet::Admin});
    registry.add("deleteMarketHoliday(marketName)", deleteKernel,
                 {.summary = "Removes a trading calendar.",
                  .errors = kUnknown,
                  .example = "if (\"DESK\" in listAllMarkets()) deleteMarketHoliday(\"DESK\")"},
                 {.effect = Effect::Writes, .facet = Facet::Admin});
    registry.add("listAllMarkets()", listKernel,
                 {.summary = "The names of the trading calendars.", .example = "`XNYS in listAllMarkets() -> true"});
    registry.add("getTradingCalendarType(marketName)", typeKernel,
                 {.summary = "What a trading calendar lists: holidayDate or tradingDate.",
                  .errors = kUnknown,
                  .example = "getTradingCalendarType(`XNYS) -> holidayDate"});
    registry.add(
        "getMarketCalendar(marketName, [startDate], [endDate])", calendarKernel,
        {.summary = "The trading days of a market from startDate to endDate, by default the years of its list.",
         .parameters = "marketName: the name of a trading calendar, as XNYS\n"
                       "startDate: a DATE, the first day; the begin of the first year of its list when omitted\n"
                       "endDate: a DATE, the last day, which is in; the end of the last year of its list when omitted",
         .errors = kUnknown,
         .example = "getMarketCalendar(`XNYS, 2024.07.03, 2024.07.08) -> [2024.07.03,2024.07.05,2024.07.08]"});
}

}  // namespace pelorus
