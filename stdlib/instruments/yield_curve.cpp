#include "stdlib/instruments/yield_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "common/error.h"
#include "stdlib/finance/nelson_siegel.h"

namespace pelorus {

constexpr std::array<std::pair<std::string_view, int>, 13> kFrequencies = {{{"NoFrequency", -1},
                                                                            {"Once", 0},
                                                                            {"Annual", 1},
                                                                            {"Semiannual", 2},
                                                                            {"EveryFourthMonth", 3},
                                                                            {"Quarterly", 4},
                                                                            {"BiMonthly", 6},
                                                                            {"Monthly", 12},
                                                                            {"EveryFourthWeek", 13},
                                                                            {"BiWeekly", 26},
                                                                            {"Weekly", 52},
                                                                            {"Daily", 365},
                                                                            {"Other", 999}}};

// Returns compoundings a year; 1 where a curve names none.
static double frequencyOf(const Description& d) {
    if (!d.has("frequency")) return 1;
    double count = 0;
    if (d.get("frequency").isString()) {
        const std::string name = d.text("frequency");
        const auto* known = std::ranges::find(kFrequencies, name, &std::pair<std::string_view, int>::first);
        if (known == kFrequencies.end()) d.refuse("frequency", "a frequency, as Annual or 2");
        count = known->second;
    } else {
        count = d.number("frequency");
        const auto isKnown = [&](const auto& pair) { return pair.second == count; };
        if (std::ranges::none_of(kFrequencies, isKnown)) d.refuse("frequency", "a frequency, as Annual or 2");
    }
    return count >= 1 && count <= 365 ? count : 1;
}

YieldCurve::YieldCurve(const Value& description, size_t argument) {
    const Description d(description, argument, "The curve");
    if (d.text("mktDataType", "") != "Curve" || d.text("curveType", "") != "IrYieldCurve")
        d.refuse("curveType", "IrYieldCurve, beside mktDataType Curve");
    referenceDate_ = d.date("referenceDate");
    firstDay_ = d.has("settlement") ? d.date("settlement") : referenceDate_;
    const auto dayCount = dayCountOf(d.text("dayCountConvention"));
    if (!dayCount) d.refuse("dayCountConvention", "a day count, as ActualActualISDA or Actual365");
    dayCount_ = *dayCount;
    const std::string compounding = d.text("compounding");
    if (compounding == "Compounded") {
        compounding_ = Compounding::Compounded;
    } else if (compounding == "Simple") {
        compounding_ = Compounding::Simple;
    } else if (compounding != "Continuous") {
        d.refuse("compounding", "Continuous, Compounded or Simple");
    }
    frequency_ = frequencyOf(d);
    const std::string model = d.text("curveModel", "Bootstrap");
    if (model == "NS" || model == "NSS") {
        readFormula(d, model == "NSS");
    } else {
        if (model != "Bootstrap" && !model.empty()) d.refuse("curveModel", "Bootstrap, NS or NSS");
        readPoints(d);
    }
}

void YieldCurve::readFormula(const Description& d, bool hasSecondHump) {
    const Description parameters(d.get("curveParams"), 0, "curveParams of the curve");
    if (hasSecondHump)
        for (const std::string_view name : {"beta0", "beta1", "beta2", "beta3", "lambda0", "lambda1"})
            formula_.push_back(parameters.number(name));
    else
        for (const std::string_view name : {"beta0", "beta1", "beta2", "lambda"})
            formula_.push_back(parameters.number(name));
}

void YieldCurve::readPoints(const Description& d) {
    const std::string method = d.text("interpMethod"), beyond = d.text("extrapMethod");
    if (method != "Linear" && method != "CubicSpline" && method != "CubicHermiteSpline")
        d.refuse("interpMethod", "Linear, CubicSpline or CubicHermiteSpline");
    if (beyond != "Flat" && beyond != "Linear") d.refuse("extrapMethod", "Flat or Linear");
    goesOnLinearly_ = beyond == "Linear";
    values_ = d.numbers("values");
    for (const int64_t date : d.dates("dates")) years_.push_back(yearsTo(date));
    if (years_.empty() || years_.size() != values_.size()) d.refuse("values", "as long as dates, one point or more");
    if (std::ranges::adjacent_find(years_, std::greater_equal<>()) != years_.end())
        d.refuse("dates", "ascending, without equal dates");
    isLinear_ = method == "Linear" || years_.size() < 3;
    if (!isLinear_)
        curve_ = method == "CubicSpline" ? cubicSpline(years_, values_, SplineEnd::Natural, SplineEnd::Natural)
                                         : monotoneSpline(years_, values_);
}

double YieldCurve::yearsTo(int64_t date) const {
    return yearFraction(dayCount_, firstDay_, date);
}

double YieldCurve::unshiftedRate(double years) const {
    if (!formula_.empty()) return nelsonSiegelYield(formula_, std::max(years, 0.0));
    const size_t n = years_.size();
    const bool isBeyond = years <= years_.front() || years >= years_.back();
    if (n == 1 || (isBeyond && !goesOnLinearly_)) return years <= years_.front() ? values_.front() : values_.back();
    if (!isLinear_ && !isBeyond) return curve_.at(years);
    const auto above = static_cast<size_t>(std::ranges::upper_bound(years_, years) - years_.begin());
    const size_t right = std::clamp<size_t>(above, 1, n - 1), left = right - 1;
    const double share = (years - years_[left]) / (years_[right] - years_[left]);
    return values_[left] + share * (values_[right] - values_[left]);
}

double YieldCurve::rate(double years) const {
    return unshiftedRate(years) + (shift_ ? shift_(years) : 0);
}

double YieldCurve::discount(double years, double shift) const {
    if (years <= 0) return 1;
    const double r = rate(years) + shift;
    switch (compounding_) {
        case Compounding::Compounded:
            return std::pow(1 + r / frequency_, -frequency_ * years);
        case Compounding::Simple:
            return 1 / (1 + r * years);
        default:
            return std::exp(-r * years);
    }
}

YieldCurve YieldCurve::shifted(std::function<double(double)> shift) const {
    YieldCurve result = *this;
    result.shift_ = std::move(shift);
    return result;
}

}  // namespace pelorus
