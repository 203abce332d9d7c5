// Ranks and quantiles in the order of a window's elements, whichever structure keeps it (rolling_order.h,
// running_order.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "stdlib/arguments.h"
#include "stdlib/statistics/quantile.h"

namespace pelorus {

// The options of mrank, tmrank and cumrank.
struct RankOptions {
    bool ascending = true, ignoreNA = true, percent = false;
    std::string ties = "min";

    // Reads ascending, and ignoreNA, tiesMethod, percent from `rest` on.
    static RankOptions given(Arguments a, size_t ascending, size_t rest) {
        return {flagArgument(a, ascending, "ascending", true), flagArgument(a, rest, "ignoreNA", true),
                flagArgument(a, rest + 2, "percent", false), stringArgument(a, rest + 1, "tiesMethod", "min")};
    }
    bool givesReals() const { return percent || ties == "average"; }
};

// Returns the rank of an element, NULL among them, in an order that holds it besides `nulls` NULLs, the smallest of
// all.
template <class Order>
double rankIn(const Order& order, double element, bool isNullElement, int64_t nulls, const RankOptions& options) {
    const int64_t all = order.count() + nulls;
    const auto [lower, upper] = isNullElement ? std::pair<int64_t, int64_t>(0, 0) : order.placesOf(element);
    const int64_t equal = isNullElement ? nulls : upper - lower;
    const int64_t below = isNullElement ? 0 : lower + nulls;
    const int64_t before = options.ascending ? below : all - below - equal;
    double rank = static_cast<double>(before);
    if (options.ties == "max") rank += static_cast<double>(equal - 1);
    if (options.ties == "average") rank += static_cast<double>(equal - 1) / 2;
    return options.percent ? (rank + 1) / static_cast<double>(all) : rank;
}

// Returns the value at fraction q of an order. REQUIRES: order.count() > 0.
template <class Order>
double quantileIn(const Order& order, double q, Interpolation interpolation) {
    const double at = q * static_cast<double>(order.count() - 1);
    const auto low = static_cast<int64_t>(at);
    const double share = at - static_cast<double>(low), below = order.element(low);
    return interpolated(below, share == 0 ? below : order.element(low + 1), share, low, interpolation);
}

}  // namespace pelorus
