#include "stdlib/finance/day_count.h"

#include <array>
#include <cmath>
#include <utility>

#include "common/time/calendar.h"

namespace pelorus {

using namespace calendar;

std::optional<DayCount> dayCountOf(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, DayCount>, 6> kNames = {
        {{"Thirty360US", DayCount::Thirty360US},
         {"ActualActualISMA", DayCount::ActualActualIsma},
         {"Actual360", DayCount::Actual360},
         {"Actual365", DayCount::Actual365},
         {"Thirty360EU", DayCount::Thirty360EU},
         {"ActualActualISDA", DayCount::ActualActualIsda}}};
    for (const auto& [known, convention] : kNames) {
        if (known == name) return convention;
    }
    return std::nullopt;
}

int64_t daysOf360(int64_t from, int64_t to, bool isEuropean) {
    const CivilDate a = civilFromDays(from), b = civilFromDays(to);
    const auto isEndOfFebruary = [](const CivilDate& d) { return d.month == 2 && d.day == daysInMonth(d.year, 2); };
    int32_t first = a.day, last = b.day;
    if (isEuropean) {
        first = std::min(first, 30);
        last = std::min(last, 30);
    } else {
        if (isEndOfFebruary(a) && isEndOfFebruary(b)) last = 30;
        if (isEndOfFebruary(a)) first = 30;
        if (last == 31 && first >= 30) last = 30;
        if (first == 31) first = 30;
    }
    return int64_t{360} * (b.year - a.year) + int64_t{30} * (b.month - a.month) + (last - first);
}

namespace {

double isdaFraction(int64_t from, int64_t to) {
    const int32_t first = civilFromDays(from).year, last = civilFromDays(to).year;
    const auto share = [](int32_t year, int64_t days) {
        return static_cast<double>(days) / (isLeapYear(year) ? 366 : 365);
    };
    if (first == last) return share(first, to - from);
    return share(first, daysFromCivil(first + 1, 1, 1) - from) + (last - first - 1) +
           share(last, to - daysFromCivil(last, 1, 1));
}

// The reference period stands for the nearest whole number of months.
double ismaFraction(int64_t from, int64_t to, std::pair<int64_t, int64_t> reference) {
    const auto days = static_cast<double>(reference.second - reference.first);
    double months = std::round(12 * days / 365);
    if (months < 1) return static_cast<double>(to - from) / 365;
    return months / 12 * static_cast<double>(to - from) / days;
}

}  // namespace

double yearFraction(DayCount convention, int64_t from, int64_t to,
                    std::optional<std::pair<int64_t, int64_t>> reference) {
    if (from == to) return 0;
    if (from > to) return -yearFraction(convention, to, from, reference);
    const auto days = static_cast<double>(to - from);
    switch (convention) {
        case DayCount::Thirty360US:
            return static_cast<double>(daysOf360(from, to, false)) / 360;
        case DayCount::Thirty360EU:
            return static_cast<double>(daysOf360(from, to, true)) / 360;
        case DayCount::Actual360:
            return days / 360;
        case DayCount::Actual365:
            return days / 365;
        case DayCount::ActualActualIsda:
            return isdaFraction(from, to);
        case DayCount::ActualActualIsma:
            return ismaFraction(from, to, reference.value_or(std::pair(from, to)));
    }
    return days / 365;
}

}  // namespace pelorus
