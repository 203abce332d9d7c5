// Bonds with a face value of 100: payments, accrued interest, prices, yields and their sensitivities.
#pragma once

#include <cstdint>
#include <vector>

#include "stdlib/finance/day_count.h"

namespace pelorus {

enum class BondType : uint8_t {
    FixedRate,   // pays the coupon at even intervals
    Discount,    // pays the face value only
    ZeroCoupon,  // pays the face value and all interest at the end
};

struct Payment {
    int64_t date;  // days since 1970
    double coupon, notional;
};

// REQUIRES: start < maturity; frequency is 0 or divides 12.
struct Bond {
    int64_t start, maturity;
    double issuePrice, coupon;
    int frequency;  // payments a year; 0: once, at maturity
    DayCount dayCount;
    BondType type;
    // By the rules of China's interbank market: years of bonds without coupons have 365 days, and the time left in the
    // last period is its days by those of the year that ends with the bond.
    bool isInterbank = false;

    std::vector<Payment> payments() const;
    // The functions below take a settlement date from start to before maturity, and give NULL for others.
    double accruedInterest(int64_t settlement) const;
    // Returns the dirty price at a yield. Compounded once a coupon; in the last coupon period, and within a year of the
    // maturity of a bond without coupons, interest is simple.
    double dirtyPrice(int64_t settlement, double yield) const;
    // Returns the share of the price by which it falls for each unit of yield.
    double modifiedDuration(int64_t settlement, double yield) const;
    // Macaulay's duration in years, and the second derivative of the price by the yield, as a share of the price.
    double duration(int64_t settlement, double yield) const;
    double convexity(int64_t settlement, double yield) const;
    // Returns the yield at which the dirty price is this; NULL when none is found in so many steps.
    // Each asks for cancellation.
    double yieldOf(int64_t settlement, double dirtyPrice, int64_t maxSteps) const;

private:
    // What is paid from the settlement on, as the times of a discount factor (1 + y / f)^-t.
    struct Flows {
        double first = 0;  // t of the first payment, in periods
        int64_t count = 0;
        double payment = 0, final = 0;  // each, and beside the last
        double frequency = 1;
        bool isSimple = false;
        bool exists = false;
    };
    Flows flowsFrom(int64_t settlement) const;
    bool paysCoupons() const { return type == BondType::FixedRate && frequency > 0; }
    double periodShare(int64_t settlement, int64_t& left) const;
    double finalPayment() const;
    // Returns the years between two dates of a bond without coupons.
    double plainYears(int64_t from, int64_t to) const;
    double price(const Flows& flows, double yield, double* slope = nullptr, double* bend = nullptr) const;
};

// Returns the price of a bond of the coupon `deliverable` at which it yields `contract`: the conversion factor of
// treasury futures of China's exchange. `wait` is the time to its next payment in periods, `left` the payments that are
// left, `frequency` those of a year.
double conversionFactor(double contract, double deliverable, double wait, double left, double frequency);

}  // namespace pelorus
