#include "presentation/chart/chart_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/value/print.h"

namespace pelorus {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double numberAt(const Vector& v, int64_t i) {
    if (v.isNullAt(i)) return kNothing;
    // Sums and differences of larger ones would not be finite.
    constexpr double kLargest = 1e300;
    const double x = v.asDouble(i);
    return std::abs(x) < kLargest ? x : kNothing;
}

}  // namespace

void ValueRange::add(double x) {
    if (std::isnan(x)) return;
    const bool wasEmpty = isEmpty();
    min = wasEmpty ? x : std::min(min, x);
    max = wasEmpty ? x : std::max(max, x);
}

void ValueRange::add(const ValueRange& other) {
    if (other.isEmpty()) return;
    add(other.min);
    add(other.max);
}

PointAxis::PointAxis(const Chart& chart, bool mayBeContinuous) : chart_(chart), count_(chart.data->rows) {
    const Value& labels = chart.data->rowLabels;
    if (!mayBeContinuous || labels.isVoid()) return;
    const Category category = categoryOf(labels.type());
    isContinuous_ = labels.isTypedVector() && labels.size() == count_ &&
                    (isNumeric(labels.type()) || isDecimal(labels.type()) || category == Category::Temporal);
}

double PointAxis::position(int64_t point) const {
    return isContinuous_ ? numberAt(chart_.data->rowLabels.vector(), point) : static_cast<double>(point);
}

ValueRange PointAxis::range() const {
    ValueRange range;
    if (!isContinuous_) {
        if (count_ > 0) range = {0, static_cast<double>(count_ - 1)};
        return range;
    }
    for (int64_t i = 0; i < count_; ++i) range.add(position(i));
    return range;
}

std::vector<AxisTick> PointAxis::ticks(double min, double max, int most) const {
    const Value& labels = chart_.data->rowLabels;
    if (isContinuous_ && categoryOf(labels.type()) == Category::Temporal)
        return temporalTicks(labels.type(), min, max, most);
    if (isContinuous_) return linearTicks(min, max, most);
    std::vector<AxisTick> ticks;
    if (labels.isVoid()) {
        ticks = linearTicks(min, max, most);
        std::erase_if(ticks, [](const AxisTick& tick) { return tick.position != std::floor(tick.position); });
        return ticks;
    }
    // Every k-th point, so that each label has room.
    const auto first = static_cast<int64_t>(std::max(0.0, std::ceil(min)));
    const int64_t end = std::min(count_, static_cast<int64_t>(std::floor(max)) + 1);
    const int64_t step = std::max<int64_t>(1, (end - first + most - 1) / std::max(most, 1));
    for (int64_t i = first; i < end; i += step) ticks.push_back({static_cast<double>(i), chart_.pointLabel(i)});
    return ticks;
}

std::vector<double> seriesValues(const Chart& chart, int64_t series) {
    const Matrix& data = *chart.data;
    std::vector<double> values(static_cast<size_t>(data.rows));
    const Ref<Vector> column = data.column(series);
    for (int64_t i = 0; i < data.rows; ++i) values[static_cast<size_t>(i)] = numberAt(*column, i);
    return values;
}

SeriesValues::SeriesValues(const Chart& chart, bool isStacked) {
    const int64_t count = std::min(chart.data->columns, kMaxSeries);
    for (int64_t s = 0; s < count; ++s) {
        std::vector<double> values = seriesValues(chart, s);
        if (isStacked) {
            for (size_t i = 0; i < values.size(); ++i) {
                if (std::isnan(values[i])) values[i] = 0;
                if (s > 0) values[i] += values_.back()[i];
            }
        }
        values_.push_back(std::move(values));
    }
}

ValueRange SeriesValues::range(int64_t series) const {
    ValueRange range;
    for (const double x : (*this)[series]) range.add(x);
    return range;
}

ValueRange SeriesValues::range() const {
    ValueRange all;
    for (int64_t s = 0; s < count(); ++s) all.add(range(s));
    return all;
}

double Histogram::edge(size_t bin) const {
    return begin + (end - begin) * static_cast<double>(bin) / static_cast<double>(binCount());
}

Histogram countBins(const Chart& chart) {
    const SeriesValues values(chart, false);
    ValueRange range = values.range();
    if (range.isEmpty()) range = {0, 1};
    Histogram histogram;
    histogram.begin = chart.binStart.value_or(range.min);
    histogram.end = chart.binEnd.value_or(range.max);
    if (!(histogram.begin < histogram.end)) {
        histogram.begin -= 0.5;
        histogram.end = histogram.begin + 1;
    }
    const auto rows = static_cast<double>(std::max<int64_t>(chart.data->rows, 1));
    const int bins = chart.binCount.value_or(static_cast<int>(std::ceil(std::log2(rows))) + 1);
    const double width = (histogram.end - histogram.begin) / bins;
    for (int64_t s = 0; s < values.count(); ++s) {
        std::vector<double> counts(static_cast<size_t>(bins));
        for (const double x : values[s]) {
            if (!(x >= histogram.begin && x <= histogram.end)) continue;
            const auto bin = static_cast<int64_t>((x - histogram.begin) / width);
            ++counts[static_cast<size_t>(std::clamp<int64_t>(bin, 0, bins - 1))];
        }
        histogram.counts.push_back(std::move(counts));
    }
    return histogram;
}

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
        reading.values.emplace_back(chart.seriesName(s), value.isNull() ? "" : toString(value));
    }
    return reading;
}

}  // namespace pelorus
