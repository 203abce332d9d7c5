#include "server/postgres/wire/wire_times.h"

#include <catch2/catch.hpp>

#include "common/time/time_zone.h"
#include "postgres/sql_error.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

template <class Work>
std::string stateOf(Work work) {
    try {
        work();
    } catch (const SqlError& error) {
        return error.state();
    }
    return "";
}

std::string again(std::string_view text) {
    std::string out;
    appendTimestamp(out, parseTimestamp(text, false, nullptr) / 1000);
    return out;
}

}  // namespace

TEST_CASE("timestamps are read in the forms of ISO 8601 and written with a blank") {
    CHECK(again("2026-01-02 03:04:05.6") == "2026-01-02 03:04:05.6");
    CHECK(again("2026-01-02T03:04:05") == "2026-01-02 03:04:05");
    CHECK(again(" 20260102 ") == "2026-01-02 00:00:00");
    CHECK(again("2026/1/2 3:04") == "2026-01-02 03:04:00");
    CHECK(again("2026-01-02 24:00") == "2026-01-03 00:00:00");
    CHECK(again("2026-01-02 03:04:05+07") == "2026-01-02 03:04:05");
    std::string out;
    appendDate(out, -719529);
    CHECK(out == "0002-12-31 BC");
    for (const char* bad : {"", "soon", "2026-01", "2026-01-02 3", "2026-01-02 03:04:05 x/y"})
        CHECK(stateOf([&] { parseTimestamp(bad, false, nullptr); }) == "22007");
    for (const char* bad : {"2026-02-30", "2026-01-02 25:00", "9999-01-01", "2026-01-02 00:00+99"})
        CHECK(stateOf([&] { parseTimestamp(bad, true, nullptr); }) == "22008");
}

TEST_CASE("a timestamp with time zone is shown by the clocks of the session") {
    const auto berlin = TimeZone::find("Europe/Berlin");
    const int64_t nanos = parseTimestamp("2026-07-01 12:00", true, berlin.get());
    CHECK(nanos == parseTimestamp("2026-07-01 10:00Z", true, berlin.get()));
    CHECK(nanos == parseTimestamp("2026-07-01T15:30:00+05:30", true, nullptr));
    CHECK(nanos == parseTimestamp("2026-07-01 06:00 America/New_York", true, nullptr));
    std::string out;
    appendZonedTimestamp(out, nanos / 1000, berlin.get());
    out += ' ';
    appendZonedTimestamp(out, nanos / 1000, nullptr);
    out += ' ';
    appendZonedTimestamp(out, nanos / 1000, TimeZone::find("Asia/Kolkata").get());
    CHECK(out == "2026-07-01 12:00:00+02 2026-07-01 10:00:00+00 2026-07-01 15:30:00+05:30");
}
