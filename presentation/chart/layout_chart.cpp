#include "presentation/chart/layout_chart.h"

#include <fmt/format.h>

#include "common/error.h"
#include "presentation/chart/layout_kinds.h"

namespace pelorus {

namespace {

void requireSize(double size, const char* name) {
    if (size >= ChartOptions::kMinSize && size <= ChartOptions::kMaxSize) return;
    throw UserError(fmt::format("The {} of a chart must be from {} to {}, but it is {}.", name, ChartOptions::kMinSize,
                                ChartOptions::kMaxSize, size));
}

}  // namespace

Drawing layoutChart(const Chart& chart, const ChartOptions& options) {
    requireSize(options.width, "width");
    requireSize(options.height, "height");
    if (!(options.from >= 0 && options.from < options.to && options.to <= 1))
        throw UserError(fmt::format("The shown part of a chart must be within 0 and 1, but it is {} to {}.",
                                    options.from, options.to));
    Drawing drawing;
    ChartFrame frame(chart, options, drawing);
    if (chart.data->rows == 0 || chart.data->columns == 0) {
        drawing.text({options.width / 2, options.height / 2}, "no points", frame.style.foreground(),
                     ChartStyle::kFontSize, TextAnchor::Middle);
        return drawing;
    }
    constexpr int64_t kCandleSeries = 4;
    switch (chart.kind) {
        case ChartKind::Bar:
            layoutBars(frame);
            break;
        case ChartKind::Column:
            layoutColumns(frame);
            break;
        case ChartKind::Histogram:
            layoutHistogram(frame);
            break;
        case ChartKind::Pie:
            layoutPie(frame);
            break;
        case ChartKind::Surface:
            layoutSurface(frame);
            break;
        case ChartKind::KLine:
            chart.data->columns >= kCandleSeries ? layoutCandles(frame) : layoutLines(frame);
            break;
        case ChartKind::Area:
        case ChartKind::Line:
        case ChartKind::Scatter:
        case ChartKind::Trend:
            layoutLines(frame);
            break;
    }
    return drawing;
}

}  // namespace pelorus
