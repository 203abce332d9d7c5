#include "stdlib/instruments/described_bond.h"

#include <algorithm>

#include "common/error.h"

namespace pelorus {

static int paymentsAYear(const Description& d) {
    if (!d.has("frequency")) return 0;
    constexpr std::pair<std::string_view, int> kNames[] = {
        {"Once", 0}, {"Annual", 1}, {"Semiannual", 2}, {"Quarterly", 4}, {"Monthly", 12}};
    const bool isName = d.get("frequency").isString();
    const std::string name = isName ? d.text("frequency") : "";
    const double count = isName ? -1 : d.number("frequency");
    for (const auto& [known, own] : kNames) {
        if (isName ? known == name : own == count) return own;
    }
    d.refuse("frequency", "Once, Annual, Semiannual, Quarterly or Monthly");
}

DescribedBond describedBond(const Value& instrument, size_t argument) {
    const Description d(instrument, argument, "The bond");
    const std::string type = d.text("bondType", "");
    DescribedBond result{};
    Bond& bond = result.bond;
    if (type == "DiscountBond") {
        bond.type = BondType::Discount;
    } else if (type == "ZeroCouponBond") {
        bond.type = BondType::ZeroCoupon;
    } else if (type == "FixedRateBond") {
        bond.type = BondType::FixedRate;
    } else {
        d.refuse("bondType", "DiscountBond, ZeroCouponBond or FixedRateBond");
    }
    bond.start = d.date("start");
    bond.maturity = d.date("maturity");
    constexpr int64_t kLongestDays = 366 * 1000;
    if (bond.start >= bond.maturity || bond.maturity - bond.start > kLongestDays)
        d.refuse("maturity", "after start, within 1000 years");
    bond.issuePrice = bond.type == BondType::Discount ? d.number("issuePrice") : d.number("issuePrice", 100);
    bond.coupon = bond.type == BondType::Discount ? 0 : d.number("coupon");
    bond.frequency = bond.type == BondType::FixedRate ? paymentsAYear(d) : 0;
    const auto dayCount = dayCountOf(d.text("dayCountConvention"));
    if (!dayCount) d.refuse("dayCountConvention", "a day count, as ActualActualISDA or Actual365");
    bond.dayCount = *dayCount;
    result.nominal = d.number("nominal", 100);
    return result;
}

}  // namespace pelorus
