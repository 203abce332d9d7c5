#include "stdlib/window/running_top_rows.h"

#include <catch2/catch.hpp>

#include "stdlib/statistics/moments.h"

namespace pelorus {

namespace {

std::vector<double> sums(Ties ties, bool ascending, const std::vector<double>& x, const std::vector<double>& s) {
    RunningTopRows<double, double, 1, RealSum> states(RealSum(), 2, ascending, ties);
    states.resize(1);
    const std::vector<int32_t> groups(x.size());
    const std::vector<Value> arguments{Value::of(Vector::of(Type::Double, x)), Value::of(Vector::of(Type::Double, s))};
    const Value result = states.step(arguments, groups.data(), std::ssize(x));
    std::vector<double> out;
    for (int64_t i = 0; i < result.size(); ++i) out.push_back(result.vector().asDouble(i));
    return out;
}

constexpr double kNone = null<double>;

}  // namespace

TEST_CASE("the first rows so far are added up, and of equal ones the oldest, the latest or all") {
    const std::vector<double> x{1, 2, 4, 8}, s{5, 5, 5, 1};
    REQUIRE(sums(Ties::Oldest, true, x, s) == std::vector<double>{1, 3, 3, 9});
    REQUIRE(sums(Ties::Latest, true, x, s) == std::vector<double>{1, 3, 6, 12});
    REQUIRE(sums(Ties::All, true, x, s) == std::vector<double>{1, 3, 7, 15});
    REQUIRE(sums(Ties::Oldest, false, x, s) == std::vector<double>{1, 3, 3, 3});
}

TEST_CASE("rows without a place in the order are left out, and a NULL takes a place") {
    REQUIRE(sums(Ties::Oldest, true, {1, kNone, 4}, {kNone, 3, 4}) == std::vector<double>{kNone, kNone, 4});
    REQUIRE(sums(Ties::Oldest, true, {1, kNone, 4}, {1, 2, 3}) == std::vector<double>{1, 1, 1});
}

}  // namespace pelorus
