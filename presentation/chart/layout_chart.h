// Layout of a chart as a drawing: axes, ticks, legend and series.
#pragma once

#include <optional>

#include "presentation/chart/chart.h"
#include "presentation/chart/drawing.h"

namespace pelorus {

struct ChartOptions {
    double width = 800, height = 450;  // size of the drawing; from kMinSize to kMaxSize
    bool isDark = false;
    // The part of the x axis that is shown, as shares of its range: 0 is its begin, 1 its end. Of charts with points on
    // an x axis only.
    double from = 0, to = 1;

    static constexpr double kMinSize = 120, kMaxSize = 10'000;
};

// Returns the drawing. O(points); its size is bounded by the width, not by the number of points. Throws UserError when
// the options are out of bounds.
Drawing layoutChart(const Chart& chart, const ChartOptions& options);

}  // namespace pelorus
