// The frame of a chart: background, titles, legend, axes with ticks, and the area that remains for the series.
#pragma once

#include <string>
#include <vector>

#include "presentation/chart/axis_ticks.h"
#include "presentation/chart/chart_style.h"
#include "presentation/chart/layout_chart.h"

namespace pelorus {

// A scale that maps values of an axis to positions of the drawing. `min` is placed at `begin`, `max` at `end`.
struct AxisScale {
    double min = 0, max = 1, begin = 0, end = 1;
    double at(double value) const { return begin + (value - min) / (max - min) * (end - begin); }
};

struct PlotArea {
    double left = 0, top = 0, right = 0, bottom = 0;
    double width() const { return right - left; }
    double height() const { return bottom - top; }
};

class ChartFrame {
public:
    // Paints background, title and legend. Borrows all three.
    ChartFrame(const Chart& chart, const ChartOptions& options, Drawing& drawing);

    const Chart& chart;
    const ChartOptions& options;
    const ChartStyle style;
    Drawing& drawing;
    PlotArea area;  // shrinks as axes are painted

    // Paints names next to squares in the colors of the series, in rows above the plot; those without room are left
    // out.
    void paintLegend(const std::vector<std::string>& names);
    // Reserves room for the axes of these ticks: call before any of them is painted.
    void reserveAxes(const std::vector<AxisTick>& left, const std::string& leftTitle, const std::string& bottomTitle);
    // Reserves room to the right for the axis of a further series; returns its position.
    double reserveRight(const std::vector<AxisTick>& ticks);

    void paintLeftAxis(const std::vector<AxisTick>& ticks, const AxisScale& scale, const std::string& title,
                       bool hasGrid = true);
    void paintRightAxis(const std::vector<AxisTick>& ticks, const AxisScale& scale, double position, Color color);
    void paintBottomAxis(const std::vector<AxisTick>& ticks, const AxisScale& scale, const std::string& title,
                         bool hasGrid = false);

    // How many ticks have room.
    int mostVerticalTicks() const;
    int mostHorizontalTicks() const;
    // The name of each series, or "series 1" where several have none; empty for a single one without a name.
    std::vector<std::string> seriesNames(int64_t count) const;
};

}  // namespace pelorus
