#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "presentation/chart/chart_points.h"
#include "presentation/chart/layout_kinds.h"

namespace pelorus {

namespace {

struct Slice {
    std::string name;
    double value = 0;
};

// The positive values in their order; those after the largest 19 become one slice.
std::vector<Slice> slicesOf(const Chart& chart) {
    constexpr size_t kMaxSlices = 20;
    const std::vector<double> values = seriesValues(chart, 0);
    std::vector<size_t> order;
    for (size_t i = 0; i < values.size(); ++i) {
        if (values[i] > 0) order.push_back(i);
    }
    const bool hasOthers = order.size() > kMaxSlices;
    double others = 0;
    if (hasOthers) {
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] > values[b]; });
        for (size_t i = kMaxSlices - 1; i < order.size(); ++i) others += values[order[i]];
        order.resize(kMaxSlices - 1);
        std::sort(order.begin(), order.end());
    }
    std::vector<Slice> slices;
    for (const size_t i : order) {
        std::string name = chart.pointLabel(static_cast<int64_t>(i));
        slices.push_back({name.empty() ? std::to_string(i) : std::move(name), values[i]});
    }
    if (hasOthers) slices.push_back({"others", others});
    return slices;
}

}  // namespace

void layoutPie(ChartFrame& frame) {
    const std::vector<Slice> slices = slicesOf(frame.chart);
    double total = 0;
    for (const Slice& slice : slices) total += slice.value;
    const PlotArea& area = frame.area;
    constexpr double kRow = 18, kSquare = 10, kLegendShare = 0.4;
    const double legend = area.width() * kLegendShare;
    const double radius = std::min(area.width() - legend, area.height()) / 2;
    const Point center{area.left + (area.width() - legend) / 2, area.top + area.height() / 2};
    double angle = -std::numbers::pi / 2;
    double y = std::max(area.top, center.y - kRow * static_cast<double>(slices.size()) / 2);
    for (size_t i = 0; i < slices.size(); ++i) {
        const double share = slices[i].value / total;
        const double end = angle + share * 2 * std::numbers::pi;
        constexpr double kArc = 0.02;  // radians from point to point
        DrawnShape shape;
        shape.kind = DrawnShape::Kind::Polygon;
        shape.color = frame.style.series(static_cast<int64_t>(i));
        // A second round of the same colors is lighter.
        if (i >= 10) shape.color.opacity = 0.6;
        shape.text = fmt::format("{}: {:.10g} ({:.1f} %)", slices[i].name, slices[i].value, share * 100);
        shape.points.push_back(center);
        const int steps = std::max(1, static_cast<int>((end - angle) / kArc));
        for (int k = 0; k <= steps; ++k) {
            const double at = angle + (end - angle) * k / steps;
            shape.points.push_back({center.x + radius * std::cos(at), center.y + radius * std::sin(at)});
        }
        angle = end;
        const Color color = shape.color;
        frame.drawing.shapes.push_back(std::move(shape));
        if (y + kRow > area.bottom + 1) continue;
        const double left = area.right - legend + kRow;
        frame.drawing.rectangle({left, y}, {left + kSquare, y + kSquare}, color);
        const std::string percent = fmt::format(" {:.1f} %", share * 100);
        const double room = legend - 2 * kRow - kSquare - estimatedTextWidth(percent, ChartStyle::kFontSize);
        frame.drawing.text({left + kRow, y + kSquare},
                           fittedString(slices[i].name, ChartStyle::kFontSize, std::max(room, 20.0)) + percent,
                           frame.style.foreground(), ChartStyle::kFontSize);
        y += kRow;
    }
}

}  // namespace pelorus
