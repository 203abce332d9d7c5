#include "common/time/trading_calendar.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/time/calendar.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

int64_t day(int32_t year, int32_t month, int32_t dayOfMonth) {
    return calendar::daysFromCivil(year, month, dayOfMonth);
}

}  // namespace

TEST_CASE("business days are those from Monday to Friday, in both directions") {
    const auto calendar = businessDayCalendar();
    CHECK(calendar->isOpen(day(2024, 1, 5)));
    CHECK(!calendar->isOpen(day(2024, 1, 6)));
    CHECK(calendar->add(day(2024, 1, 5), 1) == day(2024, 1, 8));
    CHECK(calendar->add(day(2024, 1, 6), 1) == day(2024, 1, 8));
    CHECK(calendar->add(day(2024, 1, 6), -1) == day(2024, 1, 5));
    CHECK(calendar->add(day(2024, 1, 8), -1) == day(2024, 1, 5));
    CHECK(calendar->add(day(2024, 1, 6), 0) == day(2024, 1, 6));
    // Also before 1970: each number is that of one day.
    for (int64_t number = -30; number < 30; ++number) {
        REQUIRE(calendar->numberOf(calendar->dayOf(number)) == number);
        REQUIRE(calendar->isOpen(calendar->dayOf(number)));
    }
}

TEST_CASE("holidays are passed over, however they are listed") {
    const TradingCalendar calendar("TEST", TradingCalendar::Dates::Holidays,
                                   {day(2024, 1, 9), day(2024, 1, 8), day(2024, 1, 10)});
    CHECK(std::is_sorted(calendar.days().begin(), calendar.days().end()));
    CHECK(calendar.add(day(2024, 1, 5), 1) == day(2024, 1, 11));
    CHECK(calendar.add(day(2024, 1, 9), 1) == day(2024, 1, 11));
    CHECK(calendar.add(day(2024, 1, 11), -1) == day(2024, 1, 5));
    CHECK(!calendar.isOpen(day(2024, 1, 9)));
}

TEST_CASE("outside of a list of trading days there are none") {
    const TradingCalendar calendar("LIST", TradingCalendar::Dates::TradingDays, {day(2024, 1, 6), day(2024, 1, 9)});
    CHECK(calendar.isOpen(day(2024, 1, 6)));
    CHECK(!calendar.isOpen(day(2024, 1, 8)));
    CHECK(calendar.add(day(2024, 1, 6), 1) == day(2024, 1, 9));
    CHECK_THROWS_WITH(calendar.add(day(2024, 1, 9), 1), "The returned date does not exist in trading calendar [LIST].");
    CHECK_THROWS_AS(calendar.add(day(2024, 1, 6), -1), UserError);
}

TEST_CASE("the exchange of New York keeps its holidays and its special closures") {
    const auto calendar = tradingCalendar("XNYS");
    CHECK(!calendar->isOpen(day(2024, 3, 29)));  // Good Friday
    CHECK(!calendar->isOpen(day(2022, 6, 20)));  // June 19 is a Sunday
    CHECK(calendar->isOpen(day(2021, 6, 18)));   // not yet
    CHECK(!calendar->isOpen(day(2001, 9, 12)));
    CHECK(calendar->isOpen(day(2021, 12, 31)));  // January 1 is a Saturday
    CHECK(findTradingCalendar("NONE") == nullptr);
    CHECK_THROWS_WITH(tradingCalendar("NONE"), "There is no trading calendar NONE.");
}

TEST_CASE("calendars of a folder are read, and those that are set are written to it until they are removed") {
    const TemporaryFolder folder;
    std::ofstream(folder / "TCAA.csv") << "holiday\n2024.01.08\n\nno date\n";
    std::ofstream(folder / "TCBB.csv") << "tradingDate\n2024.01.06\n";
    setTradingCalendarFolder(folder.path());
    CHECK(!tradingCalendar("TCAA")->isOpen(day(2024, 1, 8)));
    CHECK(tradingCalendar("TCBB")->isOpen(day(2024, 1, 6)));
    setTradingCalendar(TradingCalendar("TCCC", TradingCalendar::Dates::TradingDays, {day(2024, 1, 7)}));
    std::ifstream written(folder / "TCCC.csv");
    const std::string text(std::istreambuf_iterator<char>(written), {});
    CHECK(text == "tradingDate\n2024.01.07\n");
    const auto names = tradingCalendarNames();
    CHECK(std::count(names.begin(), names.end(), "TCCC") == 1);
    for (const char* name : {"TCAA", "TCBB", "TCCC"}) removeTradingCalendar(name);
    CHECK(findTradingCalendar("TCCC") == nullptr);
    CHECK(std::filesystem::is_empty(folder.path()));
    setTradingCalendarFolder("");
    for (const char* name : {"XNYS", "B   ", "\xff\xfe\xfd\xfc"})
        CHECK(unpackCalendarName(packCalendarName(name)) == name);
}
