#include <algorithm>
#include <cmath>

#include "presentation/chart/chart_points.h"
#include "presentation/chart/layout_kinds.h"
#include "presentation/chart/reduce_points.h"

namespace pelorus {

namespace {

constexpr size_t kMaxAxes = 4;

class LineLayout {
public:
    explicit LineLayout(ChartFrame& frame)
        : frame_(frame),
          chart_(frame.chart),
          isStacked_(chart_.isStacked && (chart_.kind == ChartKind::Line || chart_.kind == ChartKind::Area)),
          values_(chart_, isStacked_),
          axis_(chart_, true) {}

    void paint() {
        frame_.paintLegend(frame_.seriesNames(values_.count()));
        chooseX();
        chooseY();
        paintAxes();
        // The highest of stacked areas is painted first, and the lower ones over it.
        for (int64_t i = 0; i < values_.count(); ++i) {
            const bool isReversed = isStacked_ && chart_.kind == ChartKind::Area;
            paintSeries(isReversed ? values_.count() - 1 - i : i);
        }
    }

private:
    struct YAxis {
        AxisScale scale;
        std::vector<AxisTick> ticks;
        double width = 0;  // width of an axis to the right
    };

    void chooseX() {
        ValueRange whole = axis_.range();
        if (whole.isEmpty()) whole = {0, 1};
        const double width = whole.max - whole.min;
        x_.min = whole.min + width * frame_.options.from;
        x_.max = whole.min + width * frame_.options.to;
        if (!(x_.min < x_.max)) x_ = {whole.min - 0.5, whole.max + 0.5};
        if (!(x_.min < x_.max)) x_ = {whole.min, std::nextafter(whole.min, INFINITY)};
    }

    bool isShown(double x) const { return x >= x_.min && x <= x_.max; }

    void chooseY() {
        const bool isSeparate = chart_.hasAxisPerSeries && values_.count() > 1;
        const size_t count = isSeparate ? std::min<size_t>(static_cast<size_t>(values_.count()), kMaxAxes) : 1;
        std::vector<ValueRange> ranges(count);
        std::vector<double> positions;
        for (int64_t i = 0; i < chart_.data->rows; ++i) positions.push_back(axis_.position(i));
        for (int64_t s = 0; s < values_.count(); ++s) {
            ValueRange& range = ranges[axisOf(s, count)];
            for (size_t i = 0; i < positions.size(); ++i) {
                if (isShown(positions[i])) range.add(values_[s][i]);
            }
        }
        for (ValueRange& range : ranges) {
            if (chart_.kind == ChartKind::Area) range.add(0);
            if (range.isEmpty()) range = {0, 1};
            const int most = frame_.mostVerticalTicks();
            const AxisBounds bounds = roundedBounds(range.min, range.max, most);
            axes_.push_back({{bounds.min, bounds.max}, linearTicks(bounds.min, bounds.max, most)});
        }
    }

    static size_t axisOf(int64_t series, size_t count) { return std::min(static_cast<size_t>(series), count - 1); }

    void paintAxes() {
        frame_.reserveAxes(axes_[0].ticks, chart_.yTitle, chart_.xTitle);
        for (size_t i = 1; i < axes_.size(); ++i) axes_[i].width = frame_.reserveRight(axes_[i].ticks);
        const PlotArea& area = frame_.area;
        x_.begin = area.left;
        x_.end = area.right;
        for (YAxis& axis : axes_) {
            axis.scale.begin = area.bottom;
            axis.scale.end = area.top;
        }
        frame_.paintLeftAxis(axes_[0].ticks, axes_[0].scale, chart_.yTitle);
        double right = area.right;
        for (size_t i = 1; i < axes_.size(); ++i) {
            frame_.paintRightAxis(axes_[i].ticks, axes_[i].scale, right, frame_.style.series(static_cast<int64_t>(i)));
            right += axes_[i].width;
        }
        frame_.paintBottomAxis(axis_.ticks(x_.min, x_.max, frame_.mostHorizontalTicks()), x_, chart_.xTitle);
    }

    std::vector<Point> pointsOf(int64_t series) const {
        const AxisScale& y = axes_[axisOf(series, axes_.size())].scale;
        std::vector<Point> points;
        points.reserve(values_[series].size());
        for (int64_t i = 0; i < chart_.data->rows; ++i) {
            const double x = axis_.position(i);
            if (isShown(x)) points.push_back({x_.at(x), y.at(values_[series][static_cast<size_t>(i)])});
        }
        return points;
    }

    void paintSeries(int64_t series) {
        const std::vector<Point> points = pointsOf(series);
        const Color color = frame_.style.series(series);
        if (chart_.kind == ChartKind::Scatter) {
            constexpr double kManyDots = 2000;
            paintDots(reduceDots(points, frame_.options.width, frame_.options.height), color,
                      points.size() > kManyDots ? 1.5 : 3, series);
            return;
        }
        for (const std::vector<Point>& line : reduceLine(points)) {
            if (chart_.kind == ChartKind::Area) paintArea(line, color, axes_[axisOf(series, axes_.size())].scale);
            if (line.size() == 1) {
                paintDots(line, color, 2, series);
                continue;
            }
            DrawnShape shape;
            shape.points = line;
            shape.color = color;
            shape.width = 1.5;
            shape.text = frame_.chart.seriesName(series);
            frame_.drawing.shapes.push_back(std::move(shape));
        }
    }

    void paintDots(std::vector<Point> dots, Color color, double radius, int64_t series) {
        if (dots.empty()) return;
        DrawnShape shape;
        shape.kind = DrawnShape::Kind::Dots;
        shape.points = std::move(dots);
        shape.color = color;
        shape.width = radius;
        shape.text = frame_.chart.seriesName(series);
        frame_.drawing.shapes.push_back(std::move(shape));
    }

    void paintArea(const std::vector<Point>& line, Color color, const AxisScale& y) {
        const double base = y.at(std::clamp(0.0, y.min, y.max));
        DrawnShape shape;
        shape.kind = DrawnShape::Kind::Polygon;
        shape.points = line;
        shape.points.push_back({line.back().x, base});
        shape.points.push_back({line.front().x, base});
        // The lower areas of a stack hide the higher ones.
        color.opacity = isStacked_ ? 1 : 0.35;
        shape.color = color;
        frame_.drawing.shapes.push_back(std::move(shape));
    }

    ChartFrame& frame_;
    const Chart& chart_;
    const bool isStacked_;
    const SeriesValues values_;
    const PointAxis axis_;
    AxisScale x_;
    std::vector<YAxis> axes_;
};

}  // namespace

void layoutLines(ChartFrame& frame) {
    LineLayout(frame).paint();
}

}  // namespace pelorus
