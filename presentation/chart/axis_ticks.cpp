#include "presentation/chart/axis_ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/time/calendar.h"

namespace pelorus {

namespace {

// The smallest of 1, 2, 5 times a power of ten that is at least `step`.
double roundStep(double step) {
    const double power = std::pow(10, std::floor(std::log10(step)));
    constexpr double kRounding = 1e-9;
    for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit * power >= step * (1 - kRounding)) return digit * power;
    }
    return 10 * power;
}

double linearStep(double min, double max, int most) {
    const double width = max / most - min / most;  // of large bounds, too, finite
    return width > 0 && std::isfinite(width) ? roundStep(std::max(width, 1e-300)) : 0;
}

std::string numberLabel(double value, double step) {
    const double largest = std::max(std::abs(value), step);
    constexpr double kLong = 1e7, kTiny = 1e-4;
    if (std::abs(value) < step * 1e-9) return "0";
    if (largest >= kLong) {
        // Labels of one axis share a unit, so that each needs few digits.
        return shortNumber(value);
    }
    if (step < kTiny) return fmt::format("{:.6g}", value);
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    return fmt::format("{:.{}f}", value, decimals);
}

// Distances of temporal ticks of less than a day, in nanoseconds.
constexpr int64_t kNano = 1, kMicro = 1'000, kMilli = 1'000'000, kSecond = calendar::kNanosPerSecond;
constexpr int64_t kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = calendar::kNanosPerDay;
constexpr int64_t kShortSteps[] = {
    kNano,        2 * kNano,    5 * kNano,    10 * kNano,  20 * kNano,   50 * kNano,   100 * kNano,  200 * kNano,
    500 * kNano,  kMicro,       2 * kMicro,   5 * kMicro,  10 * kMicro,  20 * kMicro,  50 * kMicro,  100 * kMicro,
    200 * kMicro, 500 * kMicro, kMilli,       2 * kMilli,  5 * kMilli,   10 * kMilli,  20 * kMilli,  50 * kMilli,
    100 * kMilli, 200 * kMilli, 500 * kMilli, kSecond,     2 * kSecond,  5 * kSecond,  10 * kSecond, 15 * kSecond,
    30 * kSecond, kMinute,      2 * kMinute,  5 * kMinute, 10 * kMinute, 15 * kMinute, 30 * kMinute, kHour,
    2 * kHour,    3 * kHour,    6 * kHour,    12 * kHour};
constexpr int64_t kDaySteps[] = {1, 2, 7, 14};
constexpr int64_t kMonthSteps[] = {1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 12000};

std::string clockLabel(int64_t nanosOfDay, int64_t stepNanos) {
    const int64_t seconds = nanosOfDay / kSecond;
    std::string label = fmt::format("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    if (stepNanos < kMinute) label += fmt::format(":{:02}", seconds % 60);
    if (stepNanos < kSecond) {
        const std::string fraction = fmt::format("{:09}", nanosOfDay % kSecond);
        const size_t digits = stepNanos >= kMilli ? 3 : stepNanos >= kMicro ? 6 : 9;
        label += "." + fraction.substr(0, digits);
    }
    return label;
}

std::string dateLabel(int64_t days) {
    const calendar::CivilDate date = calendar::civilFromDays(days);
    return fmt::format("{}.{:02}.{:02}", date.year, date.month, date.day);
}

// Ticks of days and longer, from months since year 0. `toUnits` converts days to the units of the type.
template <class ToPosition>
std::vector<AxisTick> monthTicks(int64_t firstMonth, int64_t lastMonth, int64_t step, double min, double max,
                                 const ToPosition& toPosition) {
    std::vector<AxisTick> ticks;
    for (int64_t month = calendar::floorDivide(firstMonth, step) * step; month <= lastMonth; month += step) {
        const double position = toPosition(month);
        if (position < min || position > max) continue;
        const int64_t year = calendar::floorDivide(month, 12);
        ticks.push_back({position, step % 12 == 0
                                       ? fmt::format("{}", year)
                                       : fmt::format("{}.{:02}", year, calendar::floorModulo(month, 12) + 1)});
    }
    return ticks;
}

int64_t monthStep(double months, int most) {
    for (const int64_t step : kMonthSteps) {
        if (months / static_cast<double>(step) <= most) return step;
    }
    return std::max<int64_t>(12, static_cast<int64_t>(roundStep(months / 12 / most)) * 12);
}

// Units of the type in a nanosecond or nanoseconds in a unit decide whether a step can be a tick at all.
std::vector<AxisTick> clockTicks(int64_t unitsPerDay, bool hasDate, double min, double max, int64_t stepNanos) {
    std::vector<AxisTick> ticks;
    const int64_t unitNanos = kDay / unitsPerDay;
    const int64_t step = std::max<int64_t>(1, stepNanos / unitNanos);
    const auto first = static_cast<int64_t>(std::ceil(min));
    const auto last = static_cast<int64_t>(std::floor(max));
    int64_t shownDay = INT64_MIN;
    for (int64_t at = -calendar::floorDivide(-first, step) * step; at <= last && at >= first; at += step) {
        const int64_t day = calendar::floorDivide(at, unitsPerDay);
        std::string label = clockLabel(calendar::floorModulo(at, unitsPerDay) * unitNanos, step * unitNanos);
        if (hasDate && day != shownDay) label = dateLabel(day) + " " + label;
        shownDay = day;
        ticks.push_back({static_cast<double>(at), std::move(label)});
    }
    return ticks;
}

std::vector<AxisTick> dayTicks(int64_t unitsPerDay, double min, double max, int64_t step) {
    std::vector<AxisTick> ticks;
    const double units = static_cast<double>(unitsPerDay);
    const auto first = static_cast<int64_t>(std::ceil(min / units));
    const auto last = static_cast<int64_t>(std::floor(max / units));
    // Weeks begin on Monday: 1970.01.05 is day 4.
    const int64_t origin = step % 7 == 0 ? 4 : 0;
    for (int64_t day = -calendar::floorDivide(-(first - origin), step) * step + origin; day <= last; day += step)
        ticks.push_back({static_cast<double>(day) * units, dateLabel(day)});
    return ticks;
}

}  // namespace

std::string shortNumber(double number) {
    const double size = std::abs(number);
    struct Unit {
        double size;
        const char* name;
    };
    for (const Unit unit : {Unit{1e12, "T"}, Unit{1e9, "G"}, Unit{1e6, "M"}, Unit{1e4, "k"}}) {
        if (size < unit.size || size >= 1e15) continue;
        return fmt::format("{:.6g}{}", number / (unit.size == 1e4 ? 1e3 : unit.size), unit.name);
    }
    return fmt::format("{:.4g}", number);
}

std::vector<AxisTick> linearTicks(double min, double max, int most) {
    std::vector<AxisTick> ticks;
    if (!std::isfinite(min) || !std::isfinite(max) || min > max || most < 1) return ticks;
    const double step = linearStep(min, max, most);
    if (step <= 0) return {{min, fmt::format("{:.6g}", min)}};
    constexpr double kRounding = 1e-9;
    const double first = std::ceil(min / step - kRounding);
    for (int i = 0; i <= most + 1; ++i) {
        const double position = (first + i) * step;
        if (position > max + step * kRounding) break;
        ticks.push_back({position, numberLabel(position, step)});
    }
    return ticks;
}

AxisBounds roundedBounds(double min, double max, int most) {
    if (!std::isfinite(min) || !std::isfinite(max) || min > max) return {};
    if (min == max) {
        const double half = min == 0 ? 1 : std::abs(min) / 10;
        return {min - half, max + half};
    }
    const double step = linearStep(min, max, most);
    if (step <= 0) return {min, max};
    constexpr double kRounding = 1e-9;
    return {std::floor(min / step + kRounding) * step, std::ceil(max / step - kRounding) * step};
}

std::vector<AxisTick> temporalTicks(Type type, double min, double max, int most) {
    // Beyond what a calendar covers, ticks would overflow.
    constexpr double kMax = 9e18;
    if (!std::isfinite(min) || !std::isfinite(max) || min > max || most < 1 || min < -kMax || max > kMax) return {};
    const calendar::TemporalKind kind = calendar::temporalKind(type);
    if (kind == calendar::TemporalKind::Month) {
        constexpr double kMaxMonths = 1e10;
        if (min < -kMaxMonths || max > kMaxMonths) return {};
        const int64_t step = monthStep(max - min, most);
        return monthTicks(static_cast<int64_t>(min), static_cast<int64_t>(max), step, min, max,
                          [](int64_t month) { return static_cast<double>(month); });
    }
    const int64_t unitsPerDay = calendar::unitsPerDay(type);
    if (kind == calendar::TemporalKind::None || unitsPerDay <= 0) return linearTicks(min, max, most);
    const double nanosPerUnit = static_cast<double>(kDay) / static_cast<double>(unitsPerDay);
    const double nanos = (max - min) * nanosPerUnit;
    for (const int64_t step : kShortSteps) {
        if (static_cast<double>(step) < nanosPerUnit || nanos / static_cast<double>(step) > most) continue;
        return clockTicks(unitsPerDay, kind == calendar::TemporalKind::Instant, min, max, step);
    }
    const double days = (max - min) / static_cast<double>(unitsPerDay);
    for (const int64_t step : kDaySteps) {
        if (days / static_cast<double>(step) <= most) return dayTicks(unitsPerDay, min, max, step);
    }
    constexpr double kDaysPerMonth = 30.4;
    constexpr double kMaxDays = 1e9;
    const double largest = std::max(std::abs(min), std::abs(max));
    if (largest / static_cast<double>(unitsPerDay) > kMaxDays) return {};
    const auto monthOf = [&](double position) {
        const double day = position / static_cast<double>(unitsPerDay);
        const calendar::CivilDate date = calendar::civilFromDays(static_cast<int64_t>(std::floor(day)));
        return int64_t{12} * date.year + date.month - 1;
    };
    return monthTicks(monthOf(min), monthOf(max), monthStep(days / kDaysPerMonth, most), min, max, [&](int64_t month) {
        const int64_t day = calendar::daysFromCivil(calendar::floorDivide(month, 12),
                                                    static_cast<int32_t>(calendar::floorModulo(month, 12)) + 1, 1);
        return static_cast<double>(day) * static_cast<double>(unitsPerDay);
    });
}

}  // namespace pelorus
