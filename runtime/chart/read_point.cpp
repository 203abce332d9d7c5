#include "runtime/chart/read_point.h"

#include <algorithm>
#include <cmath>

#include "runtime/chart/chart_points.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

bool hasPointsOnAxis(ChartKind kind) {
    return kind == ChartKind::Line || kind == ChartKind::Area || kind == ChartKind::Scatter || kind == ChartKind::Trend;
}

}  // namespace

std::optional<PointReading> readPoint(const Chart& chart, double share) {
    if (!hasPointsOnAxis(chart.kind) || !std::isfinite(share)) return std::nullopt;
    const PointAxis axis(chart, true);
    const ValueRange range = axis.range();
    if (range.isEmpty()) return std::nullopt;
    const double width = range.max - range.min, wanted = range.min + width * share;
    int64_t nearest = -1;
    double distance = 0;
    if (axis.isContinuous()) {
        for (int64_t i = 0; i < chart.data->rows; ++i) {
            const double away = std::abs(axis.position(i) - wanted);
            if (std::isnan(away) || (nearest >= 0 && away >= distance)) continue;
            nearest = i;
            distance = away;
        }
    } else {
        nearest = static_cast<int64_t>(std::llround(std::clamp(wanted, range.min, range.max)));
    }
    if (nearest < 0) return std::nullopt;
    PointReading reading;
    reading.share = width > 0 ? (axis.position(nearest) - range.min) / width : 0.5;
    reading.label = chart.pointLabel(nearest);
    if (reading.label.empty()) reading.label = std::to_string(nearest);
    for (int64_t s = 0; s < std::min(chart.data->columns, SeriesValues::kMaxSeries); ++s) {
        const Value value = Value::of(chart.data->column(s)).at(nearest);
        reading.values.emplace_back(chart.seriesName(s), value.isNull() ? "" : scalarText(value));
    }
    return reading;
}

}  // namespace pelorus
