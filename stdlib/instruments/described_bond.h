// Bonds as instruments describe them.
#pragma once

#include "stdlib/finance/bond.h"
#include "stdlib/instruments/description.h"

namespace pelorus {

// A bond with its face value.
struct DescribedBond {
    Bond bond;
    double nominal;
};

// Reads a DiscountBond, ZeroCouponBond or FixedRateBond at an argument. Throws UserError for others.
DescribedBond describedBond(const Value& instrument, size_t argument);

}  // namespace pelorus
