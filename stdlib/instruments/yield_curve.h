// Curves of interest rates over time, as market data describes them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stdlib/finance/day_count.h"
#include "stdlib/instruments/description.h"
#include "stdlib/interpolation/piecewise_cubic.h"

namespace pelorus {

// Zero rates by years from the reference date, or from the settlement where there is one.
class YieldCurve {
public:
    // Reads a description (IrYieldCurve) at an argument. Throws UserError for what is none.
    YieldCurve(const Value& description, size_t argument);

    int64_t referenceDate() const { return referenceDate_; }
    // Returns the years from the curve's first day to a date, by its day count; below 0 before it.
    double yearsTo(int64_t date) const;
    // Returns the zero rate at a time in years.
    double rate(double years) const;
    // Returns what a unit at a time in years is worth now, 1 before it. `shift` is added to the rate.
    double discount(double years, double shift = 0) const;
    double discountTo(int64_t date) const { return discount(yearsTo(date)); }
    // Returns a copy whose rates are higher by shift(years).
    YieldCurve shifted(std::function<double(double)> shift) const;
    // Returns the years of the points; empty for a curve by formula.
    const std::vector<double>& years() const { return years_; }

private:
    enum class Compounding : uint8_t { Continuous, Compounded, Simple };

    void readPoints(const Description& description);
    void readFormula(const Description& description, bool hasSecondHump);
    double unshiftedRate(double years) const;

    int64_t referenceDate_ = 0, firstDay_ = 0;
    DayCount dayCount_ = DayCount::Actual365;
    Compounding compounding_ = Compounding::Continuous;
    double frequency_ = 1;
    bool isLinear_ = true, goesOnLinearly_ = false;
    std::vector<double> years_, values_;
    std::vector<double> formula_;  // of Nelson and Siegel, or Svensson
    PiecewiseCubic curve_;
    std::function<double(double)> shift_;
};

}  // namespace pelorus
