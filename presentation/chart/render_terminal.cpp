#include "presentation/chart/render_terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "presentation/chart/braille_canvas.h"
#include "presentation/chart/chart_frame.h"
#include "presentation/chart/chart_points.h"
#include "presentation/chart/reduce_points.h"
#include "presentation/view/text_width.h"

namespace pelorus {

namespace {

std::string padded(const std::string& text, size_t width, bool isRight) {
    const std::string cut = textWidth(text) <= width ? text : text.substr(0, prefixOfWidth(text, width - 1)) + "…";
    const std::string blanks(width - std::min(width, textWidth(cut)), ' ');
    return isRight ? blanks + cut : cut + blanks;
}

class TerminalChart {
public:
    TerminalChart(const Chart& chart, const TerminalChartOptions& options)
        : chart_(chart),
          width_(std::max(options.width, 20)),
          height_(std::max(options.height, 6)),
          hasColors_(options.hasColors) {}

    std::string render() {
        if (!chart_.title.empty()) centered(printableString(chart_.title), true);
        if (chart_.data->rows == 0 || chart_.data->columns == 0) {
            out_ += "(no points)\n";
            return std::move(out_);
        }
        switch (chart_.kind) {
            case ChartKind::Bar:
            case ChartKind::Column:
                bars();
                break;
            case ChartKind::Histogram:
                histogram();
                break;
            case ChartKind::Pie:
                pie();
                break;
            case ChartKind::Surface:
                surface();
                break;
            case ChartKind::Area:
            case ChartKind::Line:
            case ChartKind::Scatter:
            case ChartKind::Trend:
            case ChartKind::KLine:
                curves();
                break;
        }
        return std::move(out_);
    }

private:
    std::string paint(const std::string& text, int color) const {
        return hasColors_ ? BrailleCanvas::seriesColor(color) + text + "\033[0m" : text;
    }

    void centered(const std::string& text, bool isBold) {
        const std::string line = padded(text, std::min(textWidth(text), static_cast<size_t>(width_)), false);
        out_.append((static_cast<size_t>(width_) - textWidth(line)) / 2, ' ');
        out_ += isBold && hasColors_ ? "\033[1m" + line + "\033[0m\n" : line + "\n";
    }

    void legend(int64_t count) {
        std::string line;
        size_t width = 0;
        for (int64_t s = 0; s < count; ++s) {
            std::string name = printableString(chart_.seriesName(s));
            if (name.empty() && count == 1) return;
            if (name.empty()) name = "series " + std::to_string(s + 1);
            width += textWidth(name) + 4;
            if (width > static_cast<size_t>(width_)) break;
            line += paint("■ ", static_cast<int>(s)) + name + "  ";
        }
        while (line.ends_with(' ')) line.pop_back();
        if (!line.empty()) out_ += line + '\n';
    }

    void curves() {
        const SeriesValues values(
            chart_, chart_.isStacked && (chart_.kind == ChartKind::Line || chart_.kind == ChartKind::Area));
        const PointAxis axis(chart_, true);
        legend(values.count());
        ValueRange range = values.range();
        if (chart_.kind == ChartKind::Area) range.add(0);
        if (range.isEmpty()) range = {0, 1};
        const int rows = std::max(3, height_ - 4);
        const AxisBounds y = roundedBounds(range.min, range.max, std::max(2, rows / 3));
        const std::vector<AxisTick> ticks = linearTicks(y.min, y.max, std::max(2, rows / 3));
        size_t labels = 0;
        for (const AxisTick& tick : ticks) labels = std::max(labels, textWidth(tick.label));
        const int columns = std::max(8, width_ - static_cast<int>(labels) - 3);
        BrailleCanvas canvas(columns, rows);
        ValueRange x = axis.range();
        if (x.isEmpty() || x.min == x.max) x = {x.min - 0.5, x.min + 0.5};
        const AxisScale across{x.min, x.max, 0, static_cast<double>(canvas.dotsAcross() - 1)};
        const AxisScale down{y.min, y.max, static_cast<double>(canvas.dotsDown() - 1), 0};
        for (int64_t s = 0; s < values.count(); ++s) curve(canvas, values[s], axis, across, down, static_cast<int>(s));
        std::vector<std::string> names(static_cast<size_t>(rows));
        for (const AxisTick& tick : ticks) {
            const auto row = static_cast<size_t>(std::clamp(std::lround(down.at(tick.position)) / 4, 0L, rows - 1L));
            names[row] = tick.label;
        }
        for (int row = 0; row < rows; ++row) {
            const std::string& name = names[static_cast<size_t>(row)];
            out_ += padded(name, labels, true) + (name.empty() ? " │" : " ┤") + canvas.row(row, hasColors_) + '\n';
        }
        bottomAxis(axis.ticks(x.min, x.max, std::max(2, columns / 18)), {x.min, x.max, 0, columns - 1.0}, labels,
                   columns);
    }

    void curve(BrailleCanvas& canvas, const std::vector<double>& values, const PointAxis& axis, const AxisScale& across,
               const AxisScale& down, int color) const {
        std::vector<Point> points;
        points.reserve(values.size());
        for (size_t i = 0; i < values.size(); ++i)
            points.push_back({across.at(axis.position(static_cast<int64_t>(i))), down.at(values[i])});
        const auto dot = [](double x) { return static_cast<int>(std::lround(x)); };
        if (chart_.kind == ChartKind::Scatter) {
            for (const Point& p : reduceDots(points, canvas.dotsAcross(), canvas.dotsDown()))
                canvas.dot(dot(p.x), dot(p.y), color);
            return;
        }
        for (const std::vector<Point>& line : reduceLine(points)) {
            canvas.dot(dot(line[0].x), dot(line[0].y), color);
            for (size_t i = 1; i < line.size(); ++i)
                canvas.line(dot(line[i - 1].x), dot(line[i - 1].y), dot(line[i].x), dot(line[i].y), color);
        }
    }

    void bottomAxis(const std::vector<AxisTick>& ticks, const AxisScale& scale, size_t labels, int columns) {
        std::string line, names;
        const std::string indent(labels + 1, ' ');
        std::vector<bool> hasTick(static_cast<size_t>(columns));
        size_t used = 0;
        for (const AxisTick& tick : ticks) {
            const auto at = static_cast<size_t>(std::clamp(std::lround(scale.at(tick.position)), 0L, columns - 1L));
            hasTick[at] = true;
            const std::string label = printableString(tick.label);
            const size_t width = textWidth(label);
            const size_t begin = at + 1 >= width / 2 ? at + 1 - width / 2 : 0;
            if ((used > 0 && begin < used + 1) || begin + width > static_cast<size_t>(columns) + 1) continue;
            names += std::string(begin - used, ' ') + label;
            used = begin + width;
        }
        for (const bool tick : hasTick) line += tick ? "┬" : "─";
        out_ += indent + "└" + line + '\n' + indent + names + '\n';
        if (!chart_.xTitle.empty()) centered(printableString(chart_.xTitle), false);
    }

    // Blocks of an eighth of a column.
    static std::string block(double columns) {
        static constexpr std::array<const char*, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
        std::string text;
        const auto eighths = static_cast<int>(std::lround(columns * 8));
        for (int i = 0; i < eighths / 8; ++i) text += "█";
        return text + kParts[static_cast<size_t>(eighths % 8)];
    }

    struct BarLine {
        std::string label;
        double value = 0;
        int color = 0;
        std::string shown = {};  // after the bar; the value when empty
    };

    // Bars to the right of a common origin; negative ones end there.
    void barLines(const std::vector<BarLine>& lines) {
        size_t labels = 0, numbers = 0;
        ValueRange range{0, 0};
        std::vector<std::string> shown;
        for (const BarLine& line : lines) {
            labels = std::max(labels, textWidth(line.label));
            shown.push_back(line.shown.empty() && !std::isnan(line.value) ? shortNumber(line.value) : line.shown);
            numbers = std::max(numbers, textWidth(shown.back()));
            range.add(line.value);
        }
        labels = std::min(labels, static_cast<size_t>(width_) / 3);
        const double room = std::max(4.0, width_ - static_cast<double>(labels + numbers) - 4);
        const double unit = range.max > range.min ? room / (range.max - range.min) : 0;
        const double origin = std::floor(-range.min * unit);
        for (size_t i = 0; i < lines.size(); ++i) {
            const BarLine& line = lines[i];
            std::string bar;
            const double length = std::isnan(line.value) ? 0 : line.value * unit;
            if (length < 0) {
                const auto whole = static_cast<size_t>(std::clamp(std::lround(-length), 0L, static_cast<long>(origin)));
                bar = std::string(static_cast<size_t>(origin) - whole, ' ') +
                      paint(block(static_cast<double>(whole)), line.color);
            } else {
                bar = std::string(static_cast<size_t>(origin), ' ') + paint(block(length), line.color);
            }
            out_ += padded(line.label, labels, true) + " ┤" + bar + ' ' + shown[i] + '\n';
        }
    }

    void bars() {
        const int64_t series = std::min(chart_.data->columns, SeriesValues::kMaxSeries);
        legend(series);
        std::vector<BarLine> lines;
        const auto most = std::max<int64_t>(3, 2 * int64_t{height_} / series);
        const int64_t shown = std::min(chart_.data->rows, most);
        std::vector<std::vector<double>> values;
        for (int64_t s = 0; s < series; ++s) values.push_back(seriesValues(chart_, s));
        for (int64_t i = 0; i < shown; ++i) {
            std::string label = printableString(chart_.pointLabel(i));
            if (label.empty()) label = std::to_string(i);
            for (int64_t s = 0; s < series; ++s) {
                lines.push_back(
                    {s == 0 ? label : "", values[static_cast<size_t>(s)][static_cast<size_t>(i)], static_cast<int>(s)});
            }
        }
        barLines(lines);
        if (shown < chart_.data->rows) out_ += fmt::format("… {} of {} points\n", shown, chart_.data->rows);
    }

    void histogram() {
        Chart fitted = chart_;
        if (!fitted.binCount) fitted.binCount = std::max(3, height_ - 2);
        const Histogram histogram = countBins(fitted);
        legend(static_cast<int64_t>(histogram.counts.size()));
        std::vector<BarLine> lines;
        for (size_t bin = 0; bin < histogram.binCount(); ++bin) {
            for (size_t s = 0; s < histogram.counts.size(); ++s) {
                lines.push_back(
                    {s == 0 ? fmt::format("{:.4g} … {:.4g}", histogram.edge(bin), histogram.edge(bin + 1)) : "",
                     histogram.counts[s][bin], static_cast<int>(s)});
            }
        }
        barLines(lines);
    }

    void pie() {
        const std::vector<double> values = seriesValues(chart_, 0);
        double total = 0;
        for (const double x : values) total += x > 0 ? x : 0;
        std::vector<BarLine> lines;
        const size_t most = static_cast<size_t>(height_) * 2;
        for (size_t i = 0; i < values.size() && lines.size() < most; ++i) {
            if (!(values[i] > 0)) continue;
            std::string label = printableString(chart_.pointLabel(static_cast<int64_t>(i)));
            lines.push_back({label.empty() ? std::to_string(i) : label, values[i], static_cast<int>(i),
                             fmt::format("{:.1f} %", values[i] / total * 100)});
        }
        barLines(lines);
    }

    // Means of the cells that share a character, from light to dark.
    void surface() {
        const Matrix& data = *chart_.data;
        const int64_t columns = std::min<int64_t>(data.rows, width_ - 2),
                      rows = std::min<int64_t>(data.columns, height_);
        std::vector<double> sums(static_cast<size_t>(columns * rows)), counts(sums.size());
        for (int64_t c = 0; c < data.columns; ++c) {
            const std::vector<double> values = seriesValues(chart_, c);
            for (int64_t r = 0; r < data.rows; ++r) {
                const auto cell = static_cast<size_t>(c * rows / data.columns * columns + r * columns / data.rows);
                const double x = values[static_cast<size_t>(r)];
                if (!std::isnan(x)) sums[cell] += x, ++counts[cell];
            }
        }
        ValueRange range;
        for (size_t i = 0; i < sums.size(); ++i) {
            sums[i] = counts[i] > 0 ? sums[i] / counts[i] : std::nan("");
            range.add(sums[i]);
        }
        static constexpr std::array<const char*, 5> kShades = {" ", "░", "▒", "▓", "█"};
        const double width = range.max > range.min ? range.max - range.min : 1;
        for (int64_t row = rows - 1; row >= 0; --row) {
            for (int64_t c = 0; c < columns; ++c) {
                const double x = sums[static_cast<size_t>(row * columns + c)];
                const double share = std::isnan(x) ? 0 : (x - range.min) / width;
                out_ += kShades[std::min(static_cast<size_t>(share * kShades.size()), kShades.size() - 1)];
            }
            out_ += '\n';
        }
        if (!range.isEmpty())
            out_ += fmt::format("from {} (light) to {} (dark)\n", shortNumber(range.min), shortNumber(range.max));
    }

    const Chart& chart_;
    const int width_, height_;
    const bool hasColors_;
    std::string out_;
};

}  // namespace

std::string renderTerminal(const Chart& chart, const TerminalChartOptions& options) {
    return TerminalChart(chart, options).render();
}

}  // namespace pelorus
