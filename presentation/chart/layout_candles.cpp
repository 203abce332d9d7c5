#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "presentation/chart/chart_points.h"
#include "presentation/chart/layout_kinds.h"

namespace pelorus {

namespace {

// One candle, of one point or of several that share a pixel column.
struct Candle {
    double open = 0, high = 0, low = 0, close = 0;

    void add(const Candle& next) {
        high = std::max(high, next.high);
        low = std::min(low, next.low);
        close = next.close;
    }
    bool isWhole() const { return !std::isnan(open) && !std::isnan(high) && !std::isnan(low) && !std::isnan(close); }
};

void paintCandle(ChartFrame& frame, const Candle& candle, double x, double width, const AxisScale& y,
                 const std::string& label) {
    const Color color = candle.close >= candle.open ? frame.style.rising() : frame.style.falling();
    frame.drawing.line({x, y.at(candle.high)}, {x, y.at(candle.low)}, color);
    const double top = y.at(std::max(candle.open, candle.close)), bottom = y.at(std::min(candle.open, candle.close));
    frame.drawing.rectangle({x - width / 2, top}, {x + width / 2, std::max(bottom, top + 1)}, color,
                            fmt::format("{}{}open {:.10g}, high {:.10g}, low {:.10g}, close {:.10g}", label,
                                        label.empty() ? "" : ": ", candle.open, candle.high, candle.low, candle.close));
}

}  // namespace

void layoutCandles(ChartFrame& frame) {
    const Chart& chart = frame.chart;
    const SeriesValues values(chart, false);
    const PointAxis axis(chart, false);
    const double count = static_cast<double>(chart.data->rows);
    AxisScale x{count * frame.options.from - 0.5, count * frame.options.to - 0.5};
    const auto first = static_cast<int64_t>(std::max(0.0, std::ceil(x.min)));
    const int64_t end = std::min(chart.data->rows, static_cast<int64_t>(std::floor(x.max)) + 1);
    const auto candleAt = [&](int64_t i) {
        const auto k = static_cast<size_t>(i);
        return Candle{values[0][k], values[1][k], values[2][k], values[3][k]};
    };
    ValueRange range;
    for (int64_t i = first; i < end; ++i) {
        if (const Candle candle = candleAt(i); candle.isWhole()) {
            for (const double price : {candle.open, candle.high, candle.low, candle.close}) range.add(price);
        }
    }
    if (range.isEmpty()) range = {0, 1};
    const int most = frame.mostVerticalTicks();
    const AxisBounds bounds = roundedBounds(range.min, range.max, most);
    const std::vector<AxisTick> ticks = linearTicks(bounds.min, bounds.max, most);
    frame.reserveAxes(ticks, chart.yTitle, chart.xTitle);
    x.begin = frame.area.left;
    x.end = frame.area.right;
    const AxisScale y{bounds.min, bounds.max, frame.area.bottom, frame.area.top};
    frame.paintLeftAxis(ticks, y, chart.yTitle);
    // Candles narrower than three pixels are united.
    constexpr double kNarrowest = 3;
    const double room = frame.area.width() / std::max<double>(1, static_cast<double>(end - first));
    const auto together = static_cast<int64_t>(std::max(1.0, std::ceil(kNarrowest / room)));
    for (int64_t i = first; i < end; i += together) {
        Candle candle;
        bool isEmpty = true;
        for (int64_t k = i; k < std::min(end, i + together); ++k) {
            const Candle next = candleAt(k);
            if (!next.isWhole()) continue;
            isEmpty ? candle = next : (candle.add(next), candle);
            isEmpty = false;
        }
        if (isEmpty) continue;
        const double center = x.at(static_cast<double>(i) + static_cast<double>(together - 1) / 2);
        paintCandle(frame, candle, center, std::max(1.0, room * static_cast<double>(together) * 0.7), y,
                    chart.pointLabel(i));
    }
    frame.paintBottomAxis(axis.ticks(x.min, x.max, frame.mostHorizontalTicks()), x, chart.xTitle);
}

}  // namespace pelorus
