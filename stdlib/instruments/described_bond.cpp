#include "stdlib/instruments/described_bond.h"

#include <optional>

#include "common/error.h"
#include "stdlib/finance/bond_arguments.h"

namespace pelorus {

static int frequencyOf(const Description& d) {
    if (!d.has("frequency")) return 0;
    const std::optional<int> count =
        d.get("frequency").isString() ? paymentsAYear(d.text("frequency")) : paymentsAYear(d.number("frequency"));
    if (!count) d.refuse("frequency", "Once, Annual, Semiannual, Quarterly or Monthly");
    return *count;
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
    bond.frequency = bond.type == BondType::FixedRate ? frequencyOf(d) : 0;
    const auto dayCount = dayCountOf(d.text("dayCountConvention"));
    if (!dayCount) d.refuse("dayCountConvention", "a day count, as ActualActualISDA or Actual365");
    bond.dayCount = *dayCount;
    result.nominal = d.number("nominal", 100);
    return result;
}

}  // namespace pelorus
