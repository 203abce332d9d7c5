// The points of a chart as numbers: where they are on the x axis, and the values of its series.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "presentation/chart/axis_ticks.h"
#include "presentation/chart/chart.h"

namespace pelorus {

// The min and max of numbers that are not NULL; empty when min > max.
struct ValueRange {
    double min = 1, max = 0;
    bool isEmpty() const { return min > max; }
    void add(double x);
    void add(const ValueRange& other);
};

// The x axis. Labels that are numbers or times place the points; strings, and numbers of bars, name them, and the
// points are at 0, 1, 2 …
class PointAxis {
public:
    // Borrows the chart's labels.
    PointAxis(const Chart& chart, bool mayBeContinuous);

    bool isContinuous() const { return isContinuous_; }
    // Returns NaN for a NULL label.
    double position(int64_t point) const;
    ValueRange range() const;
    std::vector<AxisTick> ticks(double min, double max, int most) const;

private:
    const Chart& chart_;
    bool isContinuous_ = false;
    int64_t count_;
};

// Returns the values of a series, NULL as NaN. O(points).
std::vector<double> seriesValues(const Chart& chart, int64_t series);

// The values of all series as they are drawn: added up from series to series in a stacked chart, where NULL counts as
// 0.
class SeriesValues {
public:
    // Keeps at most kMaxSeries series.
    SeriesValues(const Chart& chart, bool isStacked);

    static constexpr int64_t kMaxSeries = 64;

    int64_t count() const { return static_cast<int64_t>(values_.size()); }
    const std::vector<double>& operator[](int64_t series) const { return values_[static_cast<size_t>(series)]; }
    ValueRange range(int64_t series) const;
    ValueRange range() const;

private:
    std::vector<std::vector<double>> values_;
};

// The counts of the values of each series in bins of equal width.
struct Histogram {
    double begin = 0, end = 1;
    std::vector<std::vector<double>> counts;  // [series][bin]

    size_t binCount() const { return counts.empty() ? 0 : counts[0].size(); }
    double edge(size_t bin) const;
};
// Bins are those of the chart: by default as many as Sturges' formula says, over the range of the values. A value at
// the end of the range belongs to the last bin; values outside are left out.
Histogram countBins(const Chart& chart);

// The values of a chart at a place of its x axis, for a pointer that moves over it.
struct PointReading {
    double share = 0;   // place of the point on the axis: 0 is the begin, 1 the end
    std::string label;  // label of the point on the x axis
    std::vector<std::pair<std::string, std::string>> values;  // name and value of each series, those that are NULL too
};

// Returns the point nearest to a share of the whole x axis; nothing for kinds without points on an x axis, and without
// points. O(points).
std::optional<PointReading> readPoint(const Chart& chart, double share);

}  // namespace pelorus
