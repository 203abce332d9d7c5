#include "presentation/chart/axis_ticks.h"

#include <catch2/catch.hpp>
#include <limits>

#include "common/time/calendar.h"

using namespace pelorus;

namespace {

std::vector<std::string> labels(const std::vector<AxisTick>& ticks) {
    std::vector<std::string> result;
    for (const AxisTick& tick : ticks) result.push_back(tick.label);
    return result;
}

using Labels = std::vector<std::string>;

constexpr double kDay = calendar::daysFromCivil(2024, 1, 1);

}  // namespace

TEST_CASE("ticks of numbers are round and have as many decimals as they need") {
    CHECK(labels(linearTicks(0, 10, 5)) == Labels{"0", "2", "4", "6", "8", "10"});
    CHECK(labels(linearTicks(-0.1, 0.1, 4)) == Labels{"-0.10", "-0.05", "0", "0.05", "0.10"});
    CHECK(labels(linearTicks(0, 3e7, 3)) == Labels{"0", "10M", "20M", "30M"});
    CHECK(labels(linearTicks(99.97, 100.03, 3)) == Labels{"99.98", "100.00", "100.02"});
}

TEST_CASE("any bounds have few ticks, and none that are not numbers") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(linearTicks(0, infinity, 5).empty());
    CHECK(linearTicks(1, 0, 5).empty());
    CHECK(linearTicks(3, 3, 5).size() == 1);
    CHECK(linearTicks(-1e308, 1e308, 5).size() <= 7);
    CHECK(linearTicks(1, std::nextafter(1.0, 2.0), 5).size() <= 7);
    CHECK(linearTicks(0, 5e-324, 5).size() <= 7);
    for (const Type type : {Type::Date, Type::Month, Type::Time, Type::Minute, Type::Second, Type::DateTime,
                            Type::Timestamp, Type::NanoTime, Type::NanoTimestamp, Type::DateHour}) {
        for (const double max : {0.0, 1.0, 10.0, 1e3, 1e5, 2.1e9}) CHECK(temporalTicks(type, 0, max, 8).size() <= 10);
        CHECK(temporalTicks(type, -9e18, 9e18, 8).size() <= 10);
    }
}

TEST_CASE("ticks of dates are days, Mondays, months or years") {
    CHECK(labels(temporalTicks(Type::Date, kDay, kDay + 4, 5)) ==
          Labels{"2024.01.01", "2024.01.02", "2024.01.03", "2024.01.04", "2024.01.05"});
    CHECK(labels(temporalTicks(Type::Date, kDay, kDay + 28, 5)) ==
          Labels{"2024.01.01", "2024.01.08", "2024.01.15", "2024.01.22", "2024.01.29"});
    CHECK(labels(temporalTicks(Type::Date, kDay, kDay + 180, 7)) ==
          Labels{"2024.01", "2024.02", "2024.03", "2024.04", "2024.05", "2024.06"});
    CHECK(labels(temporalTicks(Type::Date, kDay, kDay + 3 * 365, 4)) == Labels{"2024", "2025", "2026"});
}

TEST_CASE("ticks of times name the day where it changes") {
    const double hour = 3600;
    const double begin = kDay * 24 * hour + 22 * hour;
    CHECK(labels(temporalTicks(Type::DateTime, begin, begin + 4 * hour, 5)) ==
          Labels{"2024.01.01 22:00", "23:00", "2024.01.02 00:00", "01:00", "02:00"});
    CHECK(labels(temporalTicks(Type::Minute, 570, 600, 3)) == Labels{"09:30", "09:40", "09:50", "10:00"});
    CHECK(labels(temporalTicks(Type::Time, 34200000, 34200400, 4)) ==
          Labels{"09:30:00.000", "09:30:00.100", "09:30:00.200", "09:30:00.300", "09:30:00.400"});
}

TEST_CASE("bounds are widened to ticks, and those of equal values to both sides") {
    CHECK(roundedBounds(0.3, 9.2, 5).min == 0);
    CHECK(roundedBounds(0.3, 9.2, 5).max == 10);
    CHECK(roundedBounds(5, 5, 5).min == 4.5);
    CHECK(roundedBounds(0, 0, 5).max == 1);
}
