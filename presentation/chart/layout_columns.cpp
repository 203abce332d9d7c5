#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "presentation/chart/chart_points.h"
#include "presentation/chart/layout_kinds.h"

namespace pelorus {

namespace {

std::string tipOf(const std::string& name, const std::string& label, double value) {
    std::string tip = name;
    if (!label.empty()) tip += (tip.empty() ? "" : ", ") + label;
    return fmt::format("{}{}{:.10g}", tip, tip.empty() ? "" : ": ", value);
}

// Columns upwards, or bars to the right: the same with the axes exchanged.
class ColumnLayout {
public:
    ColumnLayout(ChartFrame& frame, bool isHorizontal)
        : frame_(frame),
          chart_(frame.chart),
          isHorizontal_(isHorizontal),
          isStacked_(chart_.isStacked),
          values_(chart_, isStacked_),
          axis_(chart_, false) {}

    void paint() {
        frame_.paintLegend(frame_.seriesNames(values_.count()));
        ValueRange range = values_.range();
        range.add(0);
        const int most = isHorizontal_ ? frame_.mostHorizontalTicks() : frame_.mostVerticalTicks();
        const AxisBounds bounds = roundedBounds(range.min, range.max, most);
        value_ = {bounds.min, bounds.max};
        name_ = {-0.5, static_cast<double>(chart_.data->rows) - 0.5};
        const std::vector<AxisTick> values = linearTicks(bounds.min, bounds.max, most);
        const std::vector<AxisTick> names =
            axis_.ticks(name_.min, name_.max, isHorizontal_ ? mostNames() : frame_.mostHorizontalTicks());
        frame_.reserveAxes(isHorizontal_ ? names : values, chart_.yTitle, chart_.xTitle);
        const PlotArea& area = frame_.area;
        if (isHorizontal_) {
            value_.begin = area.left, value_.end = area.right;
            name_.begin = area.top, name_.end = area.bottom;  // the first one on top
            frame_.paintBottomAxis(values, value_, chart_.xTitle, true);
            frame_.paintLeftAxis(names, name_, chart_.yTitle, false);
        } else {
            value_.begin = area.bottom, value_.end = area.top;
            name_.begin = area.left, name_.end = area.right;
            frame_.paintLeftAxis(values, value_, chart_.yTitle);
            frame_.paintBottomAxis(names, name_, chart_.xTitle);
        }
        const double room = std::abs(name_.end - name_.begin) / static_cast<double>(chart_.data->rows);
        for (int64_t s = values_.count() - 1; s >= 0; --s) room >= 1 ? paintColumns(s, room) : paintEnvelope(s);
    }

private:
    int mostNames() const {
        constexpr double kRoom = 20;
        return std::max(2, static_cast<int>(frame_.area.height() / kRoom));
    }

    void rectangle(double nameBegin, double nameEnd, double valueBegin, double valueEnd, int64_t series,
                   std::string tip) {
        const Point a = isHorizontal_ ? Point{valueBegin, nameBegin} : Point{nameBegin, valueBegin};
        const Point b = isHorizontal_ ? Point{valueEnd, nameEnd} : Point{nameEnd, valueEnd};
        frame_.drawing.rectangle(a, b, frame_.style.series(series), std::move(tip));
    }

    void paintColumns(int64_t series, double room) {
        constexpr double kShare = 0.8;  // fraction of the space of a point that its columns take
        const double count = isStacked_ ? 1 : static_cast<double>(values_.count());
        const double width = std::max(room * kShare / count, 0.5);
        const std::vector<double>& values = values_[series];
        const std::string name = chart_.seriesName(series);
        const double origin = value_.at(std::clamp(0.0, value_.min, value_.max));
        for (size_t i = 0; i < values.size(); ++i) {
            if (std::isnan(values[i])) continue;
            const double center = name_.at(static_cast<double>(i));
            const double begin =
                isStacked_ ? center - width / 2 : center - room * kShare / 2 + width * static_cast<double>(series);
            const double own = isStacked_ && series > 0 ? values[i] - values_[series - 1][i] : values[i];
            rectangle(begin, begin + width, origin, value_.at(values[i]), series,
                      tipOf(name, chart_.pointLabel(static_cast<int64_t>(i)), own));
        }
    }

    // More columns than pixels: each pixel shows the range of the values in it.
    void paintEnvelope(int64_t series) {
        const std::vector<double>& values = values_[series];
        const auto pixels = static_cast<size_t>(std::abs(name_.end - name_.begin)) + 1;
        std::vector<ValueRange> ranges(pixels);
        const double begin = std::min(name_.begin, name_.end);
        for (size_t i = 0; i < values.size(); ++i) {
            const double place = name_.at(static_cast<double>(i)) - begin;
            ranges[std::min(static_cast<size_t>(std::max(place, 0.0)), pixels - 1)].add(values[i]);
        }
        for (size_t i = 0; i < pixels; ++i) {
            if (ranges[i].isEmpty()) continue;
            ranges[i].add(0);
            const double at = begin + static_cast<double>(i);
            rectangle(at, at + 1, value_.at(ranges[i].min), value_.at(ranges[i].max), series, "");
        }
    }

    ChartFrame& frame_;
    const Chart& chart_;
    const bool isHorizontal_, isStacked_;
    const SeriesValues values_;
    const PointAxis axis_;
    AxisScale value_, name_;
};

}  // namespace

void layoutColumns(ChartFrame& frame) {
    ColumnLayout(frame, false).paint();
}

void layoutBars(ChartFrame& frame) {
    ColumnLayout(frame, true).paint();
}

void layoutHistogram(ChartFrame& frame) {
    const Histogram histogram = countBins(frame.chart);
    const auto series = static_cast<int64_t>(histogram.counts.size());
    frame.paintLegend(frame.seriesNames(series));
    ValueRange range{0, 1};
    for (const std::vector<double>& counts : histogram.counts) {
        for (const double count : counts) range.add(count);
    }
    const int most = frame.mostVerticalTicks();
    const AxisBounds bounds = roundedBounds(range.min, range.max, most);
    const std::vector<AxisTick> ticks = linearTicks(bounds.min, bounds.max, most);
    frame.reserveAxes(ticks, frame.chart.yTitle, frame.chart.xTitle);
    const PlotArea& area = frame.area;
    const AxisScale y{bounds.min, bounds.max, area.bottom, area.top};
    const AxisScale x{histogram.begin, histogram.end, area.left, area.right};
    frame.paintLeftAxis(ticks, y, frame.chart.yTitle);
    for (int64_t s = 0; s < series; ++s) {
        Color color = frame.style.series(s);
        if (series > 1) color.opacity = 0.5;
        const std::vector<double>& counts = histogram.counts[static_cast<size_t>(s)];
        for (size_t bin = 0; bin < counts.size(); ++bin) {
            if (counts[bin] == 0) continue;
            const double left = x.at(histogram.edge(bin)), right = x.at(histogram.edge(bin + 1));
            const double gap = right - left > 4 ? 0.5 : 0;
            frame.drawing.rectangle(
                {left + gap, y.at(0)}, {right - gap, y.at(counts[bin])}, color,
                fmt::format("{:.6g} to {:.6g}: {:.0f}", histogram.edge(bin), histogram.edge(bin + 1), counts[bin]));
        }
    }
    frame.paintBottomAxis(linearTicks(histogram.begin, histogram.end, frame.mostHorizontalTicks()), x,
                          frame.chart.xTitle);
}

}  // namespace pelorus
