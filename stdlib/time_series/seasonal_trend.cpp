#include "stdlib/time_series/seasonal_trend.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/thread/cancellation.h"

namespace pelorus {

namespace {

using Numbers = std::vector<double>;

// Returns the local regression at a place from points [left, right] (from 1), or false when no point counts.
bool fitAt(const Numbers& y, double place, int64_t left, int64_t right, const LoessOptions& o, const Numbers* robust,
           double& fitted) {
    const auto n = static_cast<int64_t>(y.size());
    double reach = std::max(place - static_cast<double>(left), static_cast<double>(right) - place);
    if (o.window > n) reach += static_cast<double>((o.window - n) / 2);
    Numbers w(static_cast<size_t>(right - left + 1), 0.0);
    double sum = 0;
    for (int64_t j = left; j <= right; ++j) {
        const double away = std::abs(static_cast<double>(j) - place);
        double& weight = w[static_cast<size_t>(j - left)];
        if (away > 0.999 * reach) continue;
        const double r = away / reach;
        weight = away <= 0.001 * reach ? 1 : std::pow(1 - r * r * r, 3);
        if (robust != nullptr) weight *= (*robust)[static_cast<size_t>(j - 1)];
        sum += weight;
    }
    if (!(sum > 0)) return false;
    for (double& weight : w) weight /= sum;
    if (reach > 0 && o.degree > 0) {
        double mean = 0, squares = 0;
        for (int64_t j = left; j <= right; ++j) mean += w[static_cast<size_t>(j - left)] * static_cast<double>(j);
        double slope = place - mean;
        for (int64_t j = left; j <= right; ++j) {
            const double away = static_cast<double>(j) - mean;
            squares += w[static_cast<size_t>(j - left)] * away * away;
        }
        if (std::sqrt(squares) > 0.001 * static_cast<double>(n - 1)) {
            slope /= squares;
            for (int64_t j = left; j <= right; ++j)
                w[static_cast<size_t>(j - left)] *= slope * (static_cast<double>(j) - mean) + 1;
        }
    }
    fitted = 0;
    for (int64_t j = left; j <= right; ++j) fitted += w[static_cast<size_t>(j - left)] * y[static_cast<size_t>(j - 1)];
    return true;
}

// Smooths y by local regressions.
Numbers smoothed(const Numbers& y, const LoessOptions& o, const Numbers* robust) {
    const auto n = static_cast<int64_t>(y.size());
    Numbers out(y);
    if (n < 2) return out;
    const int64_t jump = std::min(o.jump, n - 1), half = (o.window + 1) / 2;
    const auto at = [&](int64_t i) {
        checkCancelled();  // a regression takes as long as its window
        int64_t left = 1, right = n;
        if (o.window < n) {
            left = std::clamp(i - half + 1, int64_t{1}, n - o.window + 1);
            right = left + o.window - 1;
        }
        double fitted = 0;
        out[static_cast<size_t>(i - 1)] =
            fitAt(y, static_cast<double>(i), left, right, o, robust, fitted) ? fitted : y[static_cast<size_t>(i - 1)];
    };
    const auto connect = [&](int64_t from, int64_t to) {
        const double first = out[static_cast<size_t>(from - 1)], last = out[static_cast<size_t>(to - 1)];
        for (int64_t j = from + 1; j < to; ++j)
            out[static_cast<size_t>(j - 1)] =
                first + (last - first) * static_cast<double>(j - from) / static_cast<double>(to - from);
    };
    int64_t last = 1;
    for (int64_t i = 1; i <= n; i += jump) {
        at(i);
        if (i > 1) connect(last, i);
        last = i;
    }
    if (last != n) {
        at(n);
        connect(last, n);
    }
    return out;
}

Numbers movingMeans(const Numbers& x, size_t width) {
    Numbers out;
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        sum += x[i];
        if (i >= width) sum -= x[i - width];
        if (i + 1 >= width) out.push_back(sum / static_cast<double>(width));
    }
    return out;
}

// Smooths the series of each place in the period, and goes on by one period at both ends.
Numbers seasonsOf(const Numbers& y, const SeasonalOptions& o, const Numbers* robust) {
    const auto period = static_cast<size_t>(o.period);
    Numbers out(y.size() + 2 * period);
    for (size_t j = 0; j < period; ++j) {
        Numbers own, weights;
        for (size_t i = j; i < y.size(); i += period) {
            own.push_back(y[i]);
            if (robust != nullptr) weights.push_back((*robust)[i]);
        }
        const Numbers* ownRobust = robust == nullptr ? nullptr : &weights;
        const auto k = static_cast<int64_t>(own.size());
        const Numbers inside = smoothed(own, o.season, ownRobust);
        double before = inside.front(), after = inside.back();
        (void)fitAt(own, 0, 1, std::min(o.season.window, k), o.season, ownRobust, before);
        (void)fitAt(own, static_cast<double>(k + 1), std::max<int64_t>(1, k - o.season.window + 1), k, o.season,
                    ownRobust, after);
        out[j] = before;
        for (size_t m = 0; m < inside.size(); ++m) out[(m + 1) * period + j] = inside[m];
        out[(inside.size() + 1) * period + j] = after;
    }
    return out;
}

void innerStep(const Numbers& y, const SeasonalOptions& o, const Numbers* robust, SeasonalTrend& s) {
    const auto period = static_cast<size_t>(o.period);
    Numbers detrended = y;
    for (size_t i = 0; i < y.size(); ++i) detrended[i] -= s.trend[i];
    const Numbers cycles = seasonsOf(detrended, o, robust);
    const Numbers low = smoothed(movingMeans(movingMeans(movingMeans(cycles, period), period), 3), o.lowPass, nullptr);
    Numbers deseasoned = y;
    for (size_t i = 0; i < y.size(); ++i) {
        s.season[i] = cycles[period + i] - low[i];
        deseasoned[i] -= s.season[i];
    }
    s.trend = smoothed(deseasoned, o.trend, robust);
}

// Returns the bisquare weights of what season and trend leave.
Numbers robustWeights(const Numbers& y, const SeasonalTrend& s) {
    Numbers rest, weights;
    for (size_t i = 0; i < y.size(); ++i) rest.push_back(std::abs(y[i] - s.season[i] - s.trend[i]));
    Numbers sorted = rest;
    std::ranges::sort(sorted);
    const size_t n = sorted.size();
    const double six = 3 * (sorted[n / 2] + sorted[n - n / 2 - 1]);
    for (const double r : rest) {
        const double share = six > 0 ? r / six : 0;
        weights.push_back(r <= 0.001 * six ? 1 : r <= 0.999 * six ? std::pow(1 - share * share, 2) : 0);
    }
    return weights;
}

}  // namespace

SeasonalTrend decompose(const std::vector<double>& y, const SeasonalOptions& o,
                        const std::function<void()>& onIteration) {
    SeasonalTrend s{Numbers(y.size(), 0.0), Numbers(y.size(), 0.0)};
    Numbers weights;
    for (int64_t outer = 0; outer <= o.outer; ++outer) {
        for (int64_t inner = 0; inner < o.inner; ++inner) {
            onIteration();
            innerStep(y, o, weights.empty() ? nullptr : &weights, s);
        }
        if (outer < o.outer) weights = robustWeights(y, s);
    }
    if (!o.isPeriodic) return s;
    const auto period = static_cast<size_t>(o.period);
    for (size_t j = 0; j < period; ++j) {
        double sum = 0, count = 0;
        for (size_t i = j; i < y.size(); i += period) {
            sum += s.season[i];
            ++count;
        }
        for (size_t i = j; i < y.size(); i += period) s.season[i] = sum / count;
    }
    return s;
}

}  // namespace pelorus
