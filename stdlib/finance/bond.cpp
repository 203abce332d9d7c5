#include "stdlib/finance/bond.h"

#include <algorithm>
#include <cmath>

#include "common/thread/cancellation.h"
#include "common/time/calendar.h"
#include "common/type_table.h"

namespace pelorus {

using namespace calendar;

namespace {

// Returns the date so many months before maturity; months' ends stay months' ends.
int64_t monthsBefore(int64_t maturity, int64_t months) {
    const CivilDate end = civilFromDays(maturity);
    const int64_t day = addMonths(maturity, -months);
    if (end.day != daysInMonth(end.year, end.month)) return day;
    const CivilDate there = civilFromDays(day);
    return daysFromCivil(there.year, there.month, daysInMonth(there.year, there.month));
}

bool isThirty360(DayCount convention) {
    return convention == DayCount::Thirty360US || convention == DayCount::Thirty360EU;
}

}  // namespace

double Bond::plainYears(int64_t from, int64_t to) const {
    return isInterbank ? static_cast<double>(to - from) / 365 : yearFraction(dayCount, from, to);
}

double Bond::finalPayment() const {
    const bool hasInterest = type == BondType::ZeroCoupon || (type == BondType::FixedRate && frequency == 0);
    return 100 + (hasInterest ? 100 * coupon * plainYears(start, maturity) : 0);
}

std::vector<Payment> Bond::payments() const {
    std::vector<Payment> all;
    if (!paysCoupons()) {
        all.push_back({maturity, finalPayment() - 100, 100});
        return all;
    }
    const int64_t months = 12 / frequency;
    for (int64_t k = 0;; ++k) {
        const int64_t date = monthsBefore(maturity, k * months);
        if (date <= start) break;
        all.push_back({date, 100 * coupon / frequency, k == 0 ? 100.0 : 0.0});
    }
    std::ranges::reverse(all);
    return all;
}

// Returns the share of the coupon period that has passed, and how many coupons are left.
double Bond::periodShare(int64_t settlement, int64_t& left) const {
    const int64_t months = 12 / frequency;
    const CivilDate end = civilFromDays(maturity), now = civilFromDays(settlement);
    const int64_t apart = int64_t{12} * (end.year - now.year) + end.month - now.month;
    left = std::max<int64_t>(0, apart / months - 1);
    while (monthsBefore(maturity, left * months) > settlement) ++left;
    const int64_t before = monthsBefore(maturity, left * months), next = monthsBefore(maturity, (left - 1) * months);
    if (isThirty360(dayCount)) {
        const bool isEuropean = dayCount == DayCount::Thirty360EU;
        return static_cast<double>(daysOf360(before, settlement, isEuropean)) * frequency / 360;
    }
    // Interest begins with the bond.
    const int64_t from = std::max(before, start);
    const auto days = static_cast<double>(settlement - from);
    switch (dayCount) {
        case DayCount::Actual360:
            return days * frequency / 360;
        case DayCount::Actual365:
            return days * frequency / 365;
        case DayCount::ActualActualIsda:
            return yearFraction(dayCount, from, settlement) * frequency;
        default:
            return days / static_cast<double>(next - before);
    }
}

double Bond::accruedInterest(int64_t settlement) const {
    if (settlement < start || settlement >= maturity) return null<double>;
    if (type == BondType::Discount)
        return (100 - issuePrice) * static_cast<double>(settlement - start) / static_cast<double>(maturity - start);
    if (!paysCoupons()) return 100 * coupon * plainYears(start, settlement);
    int64_t left = 0;
    return 100 * coupon / frequency * periodShare(settlement, left);
}

Bond::Flows Bond::flowsFrom(int64_t settlement) const {
    Flows flows;
    if (settlement < start || settlement >= maturity) return flows;
    flows.exists = true;
    if (!paysCoupons()) {
        flows.first = plainYears(settlement, maturity);
        flows.count = 1;
        flows.final = finalPayment();
        flows.isSimple = flows.first <= 1;
        return flows;
    }
    const double passed = periodShare(settlement, flows.count);
    flows.first = 1 - passed;
    flows.frequency = frequency;
    flows.payment = 100 * coupon / frequency;
    flows.final = 100;
    flows.isSimple = flows.count == 1;
    if (flows.isSimple && isInterbank)
        flows.first = frequency * static_cast<double>(maturity - settlement) /
                      static_cast<double>(maturity - monthsBefore(maturity, 12));
    return flows;
}

// Returns the price, and its first two derivatives by the yield.
double Bond::price(const Flows& f, double yield, double* slope, double* bend) const {
    const double rate = yield / f.frequency;
    if (f.isSimple) {
        const double t = f.first / f.frequency, base = 1 + yield * t, paid = f.payment + f.final;
        if (slope != nullptr) *slope = -paid * t / (base * base);
        if (bend != nullptr) *bend = 2 * paid * t * t / (base * base * base);
        return paid / base;
    }
    double sum = 0, first = 0, second = 0, factor = std::pow(1 + rate, -f.first);
    for (int64_t k = 0; k < f.count; ++k) {
        const double t = f.first + static_cast<double>(k), paid = f.payment + (k + 1 == f.count ? f.final : 0);
        sum += paid * factor;
        first += paid * factor * t;
        second += paid * factor * t * (t + 1);
        factor /= 1 + rate;
    }
    if (slope != nullptr) *slope = -first / (1 + rate) / f.frequency;
    if (bend != nullptr) *bend = second / ((1 + rate) * (1 + rate)) / (f.frequency * f.frequency);
    return sum;
}

double Bond::dirtyPrice(int64_t settlement, double yield) const {
    const Flows flows = flowsFrom(settlement);
    const double result = flows.exists ? price(flows, yield) : null<double>;
    return std::isfinite(result) ? result : null<double>;
}

double Bond::duration(int64_t settlement, double yield) const {
    const Flows flows = flowsFrom(settlement);
    if (!flows.exists) return null<double>;
    if (flows.isSimple) return flows.first / flows.frequency;
    double slope = 0;
    const double value = price(flows, yield, &slope);
    const double result = -slope / value * (1 + yield / flows.frequency);
    return std::isfinite(result) ? result : null<double>;
}

double Bond::modifiedDuration(int64_t settlement, double yield) const {
    const Flows flows = flowsFrom(settlement);
    if (!flows.exists) return null<double>;
    double slope = 0;
    const double value = price(flows, yield, &slope);
    const double result = -slope / value;
    return std::isfinite(result) ? result : null<double>;
}

double Bond::convexity(int64_t settlement, double yield) const {
    const Flows flows = flowsFrom(settlement);
    if (!flows.exists) return null<double>;
    double bend = 0;
    const double value = price(flows, yield, nullptr, &bend);
    const double result = bend / value;
    return std::isfinite(result) ? result : null<double>;
}

double Bond::yieldOf(int64_t settlement, double dirty, int64_t maxSteps) const {
    const Flows flows = flowsFrom(settlement);
    if (!flows.exists || !(dirty > 0)) return null<double>;
    if (flows.isSimple) return ((flows.payment + flows.final) / dirty - 1) * flows.frequency / flows.first;
    double yield = coupon > 0 ? coupon : 0.05;
    for (int64_t i = 0; i < maxSteps; ++i) {
        checkCancelled();  // a step takes as long as there are payments
        double slope = 0;
        const double miss = price(flows, yield, &slope) - dirty;
        double next = yield - miss / slope;
        // The price has a pole at -f: half the way there at most.
        next = std::max(next, (yield - flows.frequency) / 2);
        if (!std::isfinite(next)) return null<double>;
        if (std::abs(next - yield) <= 1e-14 * std::max(1.0, std::abs(next))) return next;
        yield = next;
    }
    return std::abs(price(flows, yield) - dirty) <= 1e-8 * dirty ? yield : null<double>;
}

double conversionFactor(double contract, double deliverable, double wait, double left, double frequency) {
    const double payment = deliverable / frequency, growth = 1 + contract / frequency;
    const double later =
        contract == 0 ? payment * (left - 1) : deliverable / contract * (1 - std::pow(growth, 1 - left));
    return (payment + later + std::pow(growth, 1 - left)) * std::pow(growth, -wait) - payment * (1 - wait);
}

}  // namespace pelorus
