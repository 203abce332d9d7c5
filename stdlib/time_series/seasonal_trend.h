// Decomposition of a series into season, trend and rest by local regressions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace pelorus {

// A smoothing by local regressions: how many points count, the degree, and how many points lie between two at which the
// regression is computed.
struct LoessOptions {
    int64_t window = 7, degree = 1, jump = 1;
};
struct SeasonalOptions {
    int64_t period = 2;
    bool isPeriodic = false;  // the season is the same in all periods
    LoessOptions season, trend, lowPass;
    int64_t inner = 2, outer = 0;
};
struct SeasonalTrend {
    std::vector<double> season, trend;
};

// Cleveland, Cleveland, McRae, Terpenning 1990, STL. REQUIRES: two periods or more. O(points · window) for each
// iteration; `onIteration` is called before each.
SeasonalTrend decompose(const std::vector<double>& y, const SeasonalOptions& options,
                        const std::function<void()>& onIteration);

}  // namespace pelorus
