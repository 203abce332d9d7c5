// Bonds as instruments describe them.
#include "stdlib/instruments/described_bond.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/instruments/descriptions.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("each kind of bond is read with its payments") {
    const DescribedBond fixed = describedBond(bondOf(), 0);
    CHECK(fixed.bond.frequency == 1);
    CHECK(fixed.nominal == 100);
    CHECK(fixed.bond.payments().size() == 4);
    CHECK(describedBond(bondOf({{"frequency", Value::ofInt(2)}}), 0).bond.payments().size() == 8);
    CHECK(describedBond(bondOf({{"bondType", text("ZeroCouponBond")}}), 0).bond.type == BondType::ZeroCoupon);
    CHECK(describedBond(bondOf({{"bondType", text("DiscountBond")}, {"issuePrice", Value::ofDouble(98)}}), 0)
              .bond.issuePrice == 98);
    CHECK_THROWS_AS(describedBond(bondOf({{"bondType", text("DiscountBond")}}), 0), UserError);
    CHECK_THROWS_AS(describedBond(bondOf({{"frequency", text("Weekly")}}), 0), UserError);
    CHECK_THROWS_AS(describedBond(bondOf({{"maturity", day(1000000)}}), 0), UserError);
}
