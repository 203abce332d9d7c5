// Day counts.
#include "stdlib/finance/day_count.h"

#include <catch2/catch.hpp>
#include "common/time/calendar.h"

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("conventions count a year's parts as their rules say") {
    const auto day = [](int year, int month, int d) { return calendar::daysFromCivil(year, month, d); };
    CHECK(daysOf360(day(2024, 1, 31), day(2024, 3, 31), false) == 60);
    CHECK(daysOf360(day(2024, 1, 30), day(2024, 2, 29), true) == 29);
    CHECK(yearFraction(DayCount::Actual360, day(2024, 1, 1), day(2024, 3, 31)) == 0.25);
    CHECK(yearFraction(DayCount::ActualActualIsda, day(2023, 7, 1), day(2024, 7, 1)) ==
          Approx(184.0 / 365 + 182.0 / 366));
    CHECK(yearFraction(DayCount::ActualActualIsma, day(2025, 1, 1), day(2025, 7, 1)) == 0.5);
    CHECK(yearFraction(DayCount::Actual365, day(2024, 1, 2), day(2024, 1, 1)) == Approx(-1.0 / 365));
    CHECK_FALSE(dayCountOf("Actual361"));
}
