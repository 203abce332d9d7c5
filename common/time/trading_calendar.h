// TradingCalendar holds the days on which a market is open; the functions find calendars by the market's name.
//
// A calendar is either the days from Monday to Friday without a list of holidays, or a list of trading days. Days are
// counted from 1970.01.01. The process keeps one list of calendars; a folder may contain more as `NAME.csv`, one column
// of dates whose heading starts with `trading` for trading days. XNYS is computed by the rules of the New York Stock
// Exchange; market_holidays.h lists some fifty others, which have no holidays before and after the listed years.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// One calendar. Immutable.
class TradingCalendar {
public:
    enum class Dates : uint8_t { Holidays, TradingDays };

    // `days` may be in any order.
    TradingCalendar(std::string name, Dates dates, std::vector<int64_t> days);

    const std::string& name() const { return name_; }
    Dates dates() const { return dates_; }
    // Returns the listed holidays or trading days, sorted.
    const std::vector<int64_t>& days() const { return days_; }

    // Returns the number of trading days up to and with this day, from an origin specific to the calendar.
    int64_t numberOf(int64_t day) const;
    // Returns the trading day with this number. Throws UserError outside a list of trading days.
    int64_t dayOf(int64_t number) const;
    bool isOpen(int64_t day) const { return numberOf(day) != numberOf(day - 1); }
    // Returns the n-th trading day after `day`, before it when n is negative; `day` itself for 0.
    int64_t add(int64_t day, int64_t n) const;

private:
    std::string name_;
    Dates dates_;
    std::vector<int64_t> days_;
};

// Returns the calendar of the days from Monday to Friday.
std::shared_ptr<const TradingCalendar> businessDayCalendar();
// Returns a calendar. Throws UserError when there is none of that name.
std::shared_ptr<const TradingCalendar> tradingCalendar(std::string_view name);
// Returns a calendar, and nullptr when there is none of that name.
std::shared_ptr<const TradingCalendar> findTradingCalendar(std::string_view name);
// Adds or replaces a calendar, also in the folder if there is one. Throws SystemError when the file cannot be written.
void setTradingCalendar(TradingCalendar calendar);
void removeTradingCalendar(const std::string& name);
std::vector<std::string> tradingCalendarNames();
// Sets the folder of the calendars, which is read at once. There are no calendars when it is never called.
void setTradingCalendarFolder(const std::string& folder);

// Convert four letters to the unit of a DURATION, and back.
int32_t packCalendarName(std::string_view name);
std::string unpackCalendarName(int32_t unit);

}  // namespace pelorus
