// Smoothing of points by robust local regressions.
#pragma once

#include <cstdint>
#include <vector>

namespace pelorus {

struct LocalRegressionOptions {
    double bandwidth = 0.3;   // the share of the points that each regression takes, from 2 of them to all
    int64_t iterations = 4;   // of giving less weight to points that lie far off
    double accuracy = 1e-12;  // a median of the distances below it ends the iterations
};

// Returns the local line's value at each point: lines by weighted least squares, weights falling with the cube of the
// distance (Cleveland 1979). x ascends. O(points² · bandwidth) for each iteration; asks for cancellation.
std::vector<double> smoothedLocally(const std::vector<double>& x, const std::vector<double>& y,
                                    const LocalRegressionOptions& options);

}  // namespace pelorus
