// The chart of the language: what plot and plotHist return, clients receive, and the renderers of this folder draw.
//
// A chart value is a dictionary of form Chart with the keys chartType (INT), stacking (BOOL), title (four strings:
// chart, x axis, y axis, z axis), data (a matrix: one series per column, labels of the points as row labels), extras (a
// dictionary), and for histograms binCount, binStart and binEnd.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

// On the network: append, never renumber.
enum class ChartKind : uint8_t {
    Area = 0,
    Bar = 1,
    Column = 2,
    Histogram = 3,
    Line = 4,
    Pie = 5,
    Scatter = 6,
    Trend = 7,
    KLine = 8,
    Surface = 9,
};
inline constexpr int kChartKinds = 10;

// Returns the name of a kind as the language spells it, such as "LINE".
std::string_view chartKindName(ChartKind kind);

struct Chart {
    ChartKind kind = ChartKind::Line;
    bool isStacked = false;
    bool hasAxisPerSeries = false;  // the property multiYAxes
    std::string title, xTitle, yTitle, zTitle;
    Ref<Matrix> data;             // numeric
    std::optional<int> binCount;  // number of bins of a histogram, from 1 to kMaxBins
    std::optional<double> binStart, binEnd;

    static constexpr int kMaxBins = 10'000;

    // Returns the name of a series, or the empty string.
    std::string seriesName(int64_t series) const;
    // Returns the label of a point, or the empty string.
    std::string pointLabel(int64_t point) const;
};

Value makeChart(const Chart& chart);

// REQUIRES: a value of form Chart. Throws UserError when a key is missing or of a wrong type: a chart may come from a
// client.
Chart readChart(const Value& value);

}  // namespace pelorus
