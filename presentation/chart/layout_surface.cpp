#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "presentation/chart/chart_points.h"
#include "presentation/chart/layout_kinds.h"

namespace pelorus {

namespace {

constexpr double kLegendWidth = 14, kGap = 8;
constexpr int64_t kMaxCells = 200;  // along each side

std::vector<AxisTick> labelTicks(int64_t count, int most, const std::function<std::string(int64_t)>& label) {
    std::vector<AxisTick> ticks;
    const int64_t step = std::max<int64_t>(1, (count + most - 1) / most);
    for (int64_t i = 0; i < count; i += step) {
        std::string text = label(i);
        ticks.push_back({static_cast<double>(i), text.empty() ? std::to_string(i) : std::move(text)});
    }
    return ticks;
}

// Means of the cells of a matrix that share a place of the picture; NaN where there is none.
class HeatGrid {
public:
    explicit HeatGrid(const Chart& chart) : chart_(chart), rows_(chart.data->rows), columns_(chart.data->columns) {
        across = std::min(rows_, kMaxCells);
        along = std::min(columns_, kMaxCells);
        std::vector<double> sums(static_cast<size_t>(across * along));
        std::vector<int64_t> counts(sums.size());
        for (int64_t c = 0; c < columns_; ++c) {
            const std::vector<double> values = seriesValues(chart_, c);
            for (int64_t r = 0; r < rows_; ++r) {
                const double x = values[static_cast<size_t>(r)];
                if (std::isnan(x)) continue;
                const auto cell = static_cast<size_t>((c * along / columns_) * across + r * across / rows_);
                sums[cell] += x;
                ++counts[cell];
            }
        }
        means.resize(sums.size(), std::nan(""));
        for (size_t i = 0; i < sums.size(); ++i) {
            if (counts[i] > 0) means[i] = sums[i] / static_cast<double>(counts[i]);
            range.add(means[i]);
        }
    }

    int64_t across = 0, along = 0;
    std::vector<double> means;
    ValueRange range;

private:
    const Chart& chart_;
    int64_t rows_, columns_;
};

}  // namespace

void layoutSurface(ChartFrame& frame) {
    const Chart& chart = frame.chart;
    HeatGrid grid(chart);
    if (grid.range.isEmpty()) grid.range = {0, 1};
    const auto& range = grid.range;
    const double width = range.max > range.min ? range.max - range.min : 1;
    const std::vector<AxisTick> left =
        labelTicks(chart.data->columns, frame.mostVerticalTicks() + 4, [&](int64_t i) { return chart.seriesName(i); });
    const std::vector<AxisTick> bottom =
        labelTicks(chart.data->rows, frame.mostHorizontalTicks(), [&](int64_t i) { return chart.pointLabel(i); });
    const std::vector<AxisTick> heat = linearTicks(range.min, range.max, frame.mostVerticalTicks());
    frame.reserveAxes(left, chart.yTitle, chart.xTitle);
    frame.reserveRight(heat);
    frame.area.right -= kLegendWidth + kGap;
    const PlotArea& area = frame.area;
    const AxisScale x{-0.5, static_cast<double>(chart.data->rows) - 0.5, area.left, area.right};
    const AxisScale y{-0.5, static_cast<double>(chart.data->columns) - 0.5, area.bottom, area.top};
    const double cellWidth = area.width() / static_cast<double>(grid.across);
    const double cellHeight = area.height() / static_cast<double>(grid.along);
    constexpr double kOverlap = 0.3;  // no seams between cells
    for (int64_t a = 0; a < grid.along; ++a) {
        for (int64_t r = 0; r < grid.across; ++r) {
            const double value = grid.means[static_cast<size_t>(a * grid.across + r)];
            if (std::isnan(value)) continue;
            const Point corner{area.left + cellWidth * static_cast<double>(r),
                               area.bottom - cellHeight * static_cast<double>(a + 1)};
            frame.drawing.rectangle(corner, {corner.x + cellWidth + kOverlap, corner.y + cellHeight + kOverlap},
                                    frame.style.heat((value - range.min) / width));
        }
    }
    frame.paintLeftAxis(left, y, chart.yTitle, false);
    frame.paintBottomAxis(bottom, x, chart.xTitle);
    // The legend of the colors, with the title of the z axis.
    const double legend = area.right + kGap;
    constexpr int kSteps = 64;
    const AxisScale z{range.min, range.min + width, area.bottom, area.top};
    for (int i = 0; i < kSteps; ++i) {
        const double share = static_cast<double>(i) / kSteps;
        frame.drawing.rectangle({legend, z.at(range.min + width * share)},
                                {legend + kLegendWidth, z.at(range.min + width * (share + 1.0 / kSteps)) - kOverlap},
                                frame.style.heat(share));
    }
    frame.paintRightAxis(heat, z, legend + kLegendWidth, frame.style.foreground());
    if (!chart.zTitle.empty())
        frame.drawing.text({legend + kLegendWidth, area.top - kGap}, chart.zTitle, frame.style.foreground(),
                           ChartStyle::kFontSize, TextAnchor::Middle);
}

}  // namespace pelorus
