#include "stdlib/interpolation/local_regression.h"

#include <algorithm>
#include <cmath>

#include "common/thread/cancellation.h"

namespace pelorus {

// Returns the value at x[i] of the line through the points [first, end).
static double lineAt(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& robust,
                     size_t i, size_t first, size_t end, double accuracy) {
    const double reach = std::max(x[i] - x[first], x[end - 1] - x[i]);
    double sum = 0, meanX = 0, meanY = 0, squares = 0, products = 0;
    // Distances from x[i] keep the digits that squares of times would lose.
    for (size_t k = first; k < end; ++k) {
        const double away = x[k] - x[i], share = std::abs(away) / reach;
        const double weight = std::pow(1 - share * share * share, 3) * robust[k];
        sum += weight;
        meanX += weight * away;
        meanY += weight * y[k];
        squares += weight * away * away;
        products += weight * away * y[k];
    }
    if (!(sum > 0)) return y[i];
    meanX /= sum;
    meanY /= sum;
    const double variance = squares / sum - meanX * meanX;
    if (std::sqrt(std::abs(variance)) < accuracy * std::max(1.0, reach)) return meanY;
    return meanY - (products / sum - meanX * meanY) / variance * meanX;
}

std::vector<double> smoothedLocally(const std::vector<double>& x, const std::vector<double>& y,
                                    const LocalRegressionOptions& options) {
    const size_t n = x.size();
    const size_t points = std::clamp(static_cast<size_t>(options.bandwidth * static_cast<double>(n)), size_t{2}, n);
    std::vector<double> smoothed(n), robust(n, 1.0), distances(n);
    for (int64_t iteration = 0; iteration <= options.iterations; ++iteration) {
        size_t first = 0;
        for (size_t i = 0; i < n; ++i) {
            checkCancelled();  // a point takes as long as its window
            while (first + points < n && x[first + points] - x[i] < x[i] - x[first]) ++first;
            smoothed[i] = lineAt(x, y, robust, i, first, first + points, options.accuracy);
            distances[i] = std::abs(y[i] - smoothed[i]);
        }
        if (iteration == options.iterations) break;
        std::vector<double> sorted = distances;
        std::ranges::nth_element(sorted, sorted.begin() + static_cast<ptrdiff_t>(n / 2));
        const double median = sorted[n / 2];
        if (median < options.accuracy) break;
        for (size_t i = 0; i < n; ++i) {
            const double share = distances[i] / (6 * median);
            robust[i] = share >= 1 ? 0 : std::pow(1 - share * share, 2);
        }
    }
    return smoothed;
}

}  // namespace pelorus
