// Reaches of functions that look back in time: tmrank(T, X, ascending, window) depends on the rows since T - window.
#pragma once

#include <cstdint>
#include <limits>

namespace pelorus {

// Positions of the arguments that tell the window of a call.
struct TimeReach {
    int times = 0;   // the times of rows
    int window = 0;  // an integer in their unit, or a duration
};

// Returns what Declaration::reach returns for such functions: a negative number, which is no number of rows.
constexpr int64_t reachInTime(TimeReach reach) {
    return std::numeric_limits<int64_t>::min() + reach.times * 256 + reach.window;
}

constexpr bool isReachInTime(int64_t reach) {
    return reach < std::numeric_limits<int64_t>::min() + int64_t{256} * 256;
}

// REQUIRES: isReachInTime(reach).
constexpr TimeReach timeReachOf(int64_t reach) {
    const int64_t positions = reach - std::numeric_limits<int64_t>::min();
    return {static_cast<int>(positions / 256), static_cast<int>(positions % 256)};
}

}  // namespace pelorus
