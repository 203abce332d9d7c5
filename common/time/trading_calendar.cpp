#include "common/time/trading_calendar.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/mutex.h"
#include "common/time/calendar.h"
#include "common/time/market_holidays.h"

namespace pelorus {

namespace {

using calendar::daysFromCivil;
using calendar::floorDivide;
using calendar::floorModulo;
using calendar::weekdayFromDays;

constexpr int64_t kMonday = -3;  // 1969.12.29

// Returns the number of days from Monday to Friday up to and with this day.
int64_t weekdayNumber(int64_t day) {
    return floorDivide(day - kMonday, 7) * 5 + std::min<int64_t>(weekdayFromDays(day), 4);
}
int64_t weekdayOfNumber(int64_t number) {
    return kMonday + floorDivide(number, 5) * 7 + floorModulo(number, 5);
}

// Returns the n-th (from 1) such weekday (Monday is 0) of a month.
int64_t nthWeekday(int32_t year, int32_t month, int32_t weekday, int32_t n) {
    const int64_t first = daysFromCivil(year, month, 1);
    return first + floorModulo(weekday - weekdayFromDays(first), 7) + (n - 1) * 7;
}
// A Saturday's holiday is kept on Friday, a Sunday's on Monday.
int64_t observed(int64_t day) {
    const int32_t weekday = weekdayFromDays(day);
    return weekday == 5 ? day - 1 : weekday == 6 ? day + 1 : day;
}
// Easter Sunday: the anonymous Gregorian algorithm (Meeus, Jones, Butcher).
int64_t easter(int32_t y) {
    const int32_t a = y % 19, b = y / 100, c = y % 100, d = b / 4, e = b % 4, f = (b + 8) / 25, g = (b - f + 1) / 3;
    const int32_t h = (19 * a + b - d - g + 15) % 30, i = c / 4, k = c % 4, l = (32 + 2 * e + 2 * i - h - k) % 7;
    const int32_t m = (a + 11 * h + 22 * l) / 451, month = (h + l - 7 * m + 114) / 31;
    return daysFromCivil(y, month, (h + l - 7 * m + 114) % 31 + 1);
}

// Full-day closures of the New York Stock Exchange under the rules in force since 1990, and its special closures.
std::vector<int64_t> newYorkHolidays() {
    std::vector<int64_t> days;
    for (int32_t y = 1990; y <= 2050; ++y) {
        const int64_t newYear = daysFromCivil(y, 1, 1);
        if (weekdayFromDays(newYear) != 5) days.push_back(observed(newYear));  // never moved into the old year
        if (y >= 1998) days.push_back(nthWeekday(y, 1, 0, 3));                 // Martin Luther King Jr. Day
        days.push_back(nthWeekday(y, 2, 0, 3));                                // Washington's Birthday
        days.push_back(easter(y) - 2);
        const int64_t lastOfMay = daysFromCivil(y, 5, 31);
        days.push_back(lastOfMay - weekdayFromDays(lastOfMay));  // Memorial Day
        if (y >= 2022) days.push_back(observed(daysFromCivil(y, 6, 19)));
        days.push_back(observed(daysFromCivil(y, 7, 4)));
        days.push_back(nthWeekday(y, 9, 0, 1));
        days.push_back(nthWeekday(y, 11, 3, 4));
        days.push_back(observed(daysFromCivil(y, 12, 25)));
    }
    constexpr int32_t kSpecial[][3] = {{1994, 4, 27},  {2001, 9, 11}, {2001, 9, 12}, {2001, 9, 13},
                                       {2001, 9, 14},  {2004, 6, 11}, {2007, 1, 2},  {2012, 10, 29},
                                       {2012, 10, 30}, {2018, 12, 5}, {2025, 1, 9}};
    for (const auto& d : kSpecial) days.push_back(daysFromCivil(d[0], d[1], d[2]));
    return days;
}

std::vector<std::string_view> words(std::string_view line) {
    std::vector<std::string_view> all;
    while (!line.empty()) {
        const size_t end = std::min(line.find(' '), line.size());
        all.push_back(line.substr(0, end));
        line.remove_prefix(std::min(line.size(), end + 1));
    }
    return all;
}

int32_t numberIn(std::string_view digits) {
    int32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    CHECK(error == std::errc() && end == digits.data() + digits.size()) << "the list of holidays is made of numbers";
    return number;
}

using CalendarMap = std::map<std::string, std::shared_ptr<const TradingCalendar>, std::less<>>;

// Reads the calendars that come with the program.
CalendarMap listedCalendars() {
    CalendarMap calendars;
    std::string name;
    auto dates = TradingCalendar::Dates::Holidays;
    std::vector<int64_t> days;
    const auto finish = [&] {
        if (!name.empty()) calendars[name] = std::make_shared<TradingCalendar>(name, dates, std::move(days));
        days.clear();
    };
    for (std::string_view left = kMarketHolidays; !left.empty();) {
        const size_t end = std::min(left.find('\n'), left.size());
        const std::vector<std::string_view> line = words(left.substr(0, end));
        left.remove_prefix(std::min(left.size(), end + 1));
        if (line.empty()) continue;
        if (line[0][0] >= '0' && line[0][0] <= '9') {
            for (size_t i = 1; i < line.size(); ++i) {
                const int32_t monthAndDay = numberIn(line[i]);
                days.push_back(daysFromCivil(numberIn(line[0]), monthAndDay / 100, monthAndDay % 100));
            }
            continue;
        }
        finish();
        name = line[0];
        dates = line[1] == "tradingDays" ? TradingCalendar::Dates::TradingDays : TradingCalendar::Dates::Holidays;
        if (line[1] != "as") continue;
        const TradingCalendar& other = *calendars.at(std::string(line[2]));
        const int64_t first = daysFromCivil(numberIn(line[4]), 1, 1);
        dates = other.dates();
        for (const int64_t day : other.days()) {
            if (day >= first) days.push_back(day);
        }
    }
    finish();
    return calendars;
}

struct Calendars {
    Mutex mutex;
    CalendarMap byName GUARDED_BY(mutex);
    std::string folder GUARDED_BY(mutex);

    Calendars() : byName(listedCalendars()) {
        byName["XNYS"] = std::make_shared<TradingCalendar>("XNYS", TradingCalendar::Dates::Holidays, newYorkHolidays());
    }
};

Calendars& calendars() {
    static Calendars all;
    return all;
}

std::filesystem::path fileOf(const std::string& folder, const std::string& name) {
    return std::filesystem::path(folder) / (name + ".csv");
}

void save(const std::string& folder, const TradingCalendar& calendar) {
    const std::filesystem::path path = fileOf(folder, calendar.name());
    std::string string = calendar.dates() == TradingCalendar::Dates::Holidays ? "holiday\n" : "tradingDate\n";
    for (int64_t day : calendar.days()) {
        calendar::append(string, Type::Date, day);
        string += '\n';
    }
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << string;
    if (!out.flush()) throw SystemError(fmt::format("The trading calendar {} can't be written.", path.string()));
}

// Lines that are no date are skipped: headings and blank lines.
TradingCalendar load(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::vector<int64_t> days;
    auto dates = TradingCalendar::Dates::Holidays;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("trading")) dates = TradingCalendar::Dates::TradingDays;
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == ',')) line.pop_back();
        int64_t day = 0;
        if (calendar::parse(line, Type::Date, day)) days.push_back(day);
    }
    return {path.stem().string(), dates, std::move(days)};
}

}  // namespace

TradingCalendar::TradingCalendar(std::string name, Dates dates, std::vector<int64_t> days)
    : name_(std::move(name)), dates_(dates), days_(std::move(days)) {
    // Weekends are closed anyway.
    if (dates == Dates::Holidays) std::erase_if(days_, [](int64_t day) { return weekdayFromDays(day) > 4; });
    std::sort(days_.begin(), days_.end());
    days_.erase(std::unique(days_.begin(), days_.end()), days_.end());
}

int64_t TradingCalendar::numberOf(int64_t day) const {
    const int64_t listed = std::upper_bound(days_.begin(), days_.end(), day) - days_.begin();
    return dates_ == Dates::TradingDays ? listed : weekdayNumber(day) - listed;
}

int64_t TradingCalendar::dayOf(int64_t number) const {
    if (dates_ == Dates::TradingDays) {
        if (number < 1 || number > static_cast<int64_t>(days_.size())) {
            throw UserError(fmt::format("The returned date does not exist in trading calendar [{}].", name_));
        }
        return days_[static_cast<size_t>(number - 1)];
    }
    // Holidays before the day move it: each round finds at least as many as the one before.
    int64_t day = weekdayOfNumber(number);
    for (int64_t skipped = -1, before;
         (before = std::upper_bound(days_.begin(), days_.end(), day) - days_.begin()) != skipped;) {
        skipped = before;
        day = weekdayOfNumber(number + skipped);
    }
    return day;
}

int64_t TradingCalendar::add(int64_t day, int64_t n) const {
    if (n == 0) return day;
    // The last trading day on or before `day` counts as 0, forwards; backwards, a closed day comes after it.
    return dayOf(numberOf(day) + n + (n < 0 && !isOpen(day) ? 1 : 0));
}

std::shared_ptr<const TradingCalendar> businessDayCalendar() {
    static const auto calendar =
        std::make_shared<const TradingCalendar>("B", TradingCalendar::Dates::Holidays, std::vector<int64_t>());
    return calendar;
}

std::shared_ptr<const TradingCalendar> findTradingCalendar(std::string_view name) {
    const MutexLock lock(calendars().mutex);
    auto found = calendars().byName.find(name);
    return found == calendars().byName.end() ? nullptr : found->second;
}

std::shared_ptr<const TradingCalendar> tradingCalendar(std::string_view name) {
    std::shared_ptr<const TradingCalendar> found = findTradingCalendar(name);
    if (!found) {
        throw UserError(fmt::format("There is no trading calendar {}.", name),
                        "Add one with addMarketHoliday, or as a file of the setting marketHolidayDir.");
    }
    return found;
}

void setTradingCalendar(TradingCalendar calendar) {
    const MutexLock lock(calendars().mutex);
    if (!calendars().folder.empty()) save(calendars().folder, calendar);
    const std::string name = calendar.name();
    calendars().byName[name] = std::make_shared<const TradingCalendar>(std::move(calendar));
}

void removeTradingCalendar(const std::string& name) {
    const MutexLock lock(calendars().mutex);
    calendars().byName.erase(name);
    std::error_code error;
    if (!calendars().folder.empty()) std::filesystem::remove(fileOf(calendars().folder, name), error);
}

std::vector<std::string> tradingCalendarNames() {
    const MutexLock lock(calendars().mutex);
    std::vector<std::string> names;
    for (const auto& [name, calendar] : calendars().byName) names.push_back(name);
    return names;
}

void setTradingCalendarFolder(const std::string& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".csv") files.push_back(entry.path());
    }
    const MutexLock lock(calendars().mutex);
    calendars().folder = folder;
    for (const auto& path : files) {
        auto calendar = std::make_shared<const TradingCalendar>(load(path));
        calendars().byName[calendar->name()] = calendar;
    }
}

int32_t packCalendarName(std::string_view name) {
    uint32_t packed = 0;
    for (char c : name) packed = packed << 8 | static_cast<unsigned char>(c);
    return static_cast<int32_t>(packed);
}

std::string unpackCalendarName(int32_t unit) {
    std::string name;
    for (int shift = 24; shift >= 0; shift -= 8)
        name.push_back(static_cast<char>(static_cast<uint32_t>(unit) >> shift & 0xff));
    return name;
}

}  // namespace pelorus
