// Bonds.
#include "stdlib/finance/bond.h"

#include <catch2/catch.hpp>
#include "common/thread/cancellation.h"
#include "common/time/calendar.h"
#include "common/type_table.h"

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {
const int64_t kStart = calendar::daysFromCivil(2020, 3, 31), kEnd = calendar::daysFromCivil(2030, 3, 31);
const Bond kBond{kStart, kEnd, 100, 0.06, 2, DayCount::ActualActualIsma, BondType::FixedRate};
}  // namespace

TEST_CASE("a bond that yields its coupon is worth 100 on a coupon date") {
    CHECK(kBond.dirtyPrice(kStart, 0.06) == Approx(100));
    CHECK(kBond.accruedInterest(kStart) == 0);
    CHECK(kBond.payments().size() == 20);
    CHECK(kBond.payments().back().notional == 100);
    CHECK(kBond.payments()[0].date == calendar::daysFromCivil(2020, 9, 30));
}

TEST_CASE("price, yield, duration and convexity belong together") {
    const int64_t now = calendar::daysFromCivil(2023, 6, 15);
    const double price = kBond.dirtyPrice(now, 0.05), step = 1e-4;
    CHECK(kBond.yieldOf(now, price, 100) == Approx(0.05));
    const double up = kBond.dirtyPrice(now, 0.05 + step), down = kBond.dirtyPrice(now, 0.05 - step);
    CHECK(kBond.duration(now, 0.05) == Approx((down - up) / (2 * step) / price * 1.025).epsilon(1e-5));
    CHECK(kBond.convexity(now, 0.05) == Approx((up - 2 * price + down) / (step * step) / price).epsilon(1e-4));
    CHECK(isNull(kBond.dirtyPrice(kEnd, 0.05)));
}

TEST_CASE("interest is simple in the last period") {
    const int64_t now = calendar::daysFromCivil(2030, 1, 15);
    const double price = kBond.dirtyPrice(now, 0.04);
    CHECK(kBond.yieldOf(now, price, 1) == Approx(0.04));
}

TEST_CASE("the search for a yield ends when its request is cancelled") {
    const CancellationFlag flag{true};
    const CancellationScope scope(&flag);
    CHECK_THROWS_WITH(kBond.yieldOf(kStart, 90, 100), "The task was cancelled.");
}
