#include "presentation/chart/chart_frame.h"

#include <algorithm>

namespace pelorus {

namespace {

constexpr double kMargin = 12, kGap = 6, kTick = 4, kLineHeight = 18, kLegendSquare = 10;
constexpr double kFont = ChartStyle::kFontSize;

double widestLabel(const std::vector<AxisTick>& ticks, double most) {
    double width = 0;
    for (const AxisTick& tick : ticks) width = std::max(width, estimatedTextWidth(tick.label, kFont));
    return std::min(width, most);
}

}  // namespace

ChartFrame::ChartFrame(const Chart& chart, const ChartOptions& options, Drawing& drawing)
    : chart(chart), options(options), style{options.isDark}, drawing(drawing) {
    drawing.width = options.width;
    drawing.height = options.height;
    area = {kMargin, kMargin, options.width - kMargin, options.height - kMargin};
    drawing.rectangle({0, 0}, {options.width, options.height}, style.background());
    if (chart.title.empty()) return;
    drawing
        .text({options.width / 2, area.top + ChartStyle::kTitleSize},
              fittedString(chart.title, ChartStyle::kTitleSize, area.width()), style.foreground(),
              ChartStyle::kTitleSize, TextAnchor::Middle)
        .isBold = true;
    area.top += ChartStyle::kTitleSize + kMargin;
}

std::vector<std::string> ChartFrame::seriesNames(int64_t count) const {
    std::vector<std::string> names;
    for (int64_t s = 0; s < count; ++s) {
        names.push_back(chart.seriesName(s));
        if (names.back().empty() && count > 1) names.back() = "series " + std::to_string(s + 1);
    }
    if (count == 1 && names[0].empty()) names.clear();
    return names;
}

void ChartFrame::paintLegend(const std::vector<std::string>& names) {
    if (names.empty()) return;
    constexpr int kMaxRows = 2;
    constexpr double kWidest = 200;
    double x = area.left;
    int row = 1;
    for (size_t i = 0; i < names.size(); ++i) {
        const std::string name = fittedString(names[i], kFont, kWidest);
        const double width = kLegendSquare + kGap + estimatedTextWidth(name, kFont) + 2 * kGap;
        if (x > area.left && x + width > area.right) {
            if (++row > kMaxRows) break;
            x = area.left;
            area.top += kLineHeight;
        }
        drawing.rectangle({x, area.top + 1}, {x + kLegendSquare, area.top + 1 + kLegendSquare},
                          style.series(static_cast<int64_t>(i)));
        drawing.text({x + kLegendSquare + kGap, area.top + kLegendSquare + 1}, name, style.foreground(), kFont);
        x += width;
    }
    area.top += kLineHeight + kGap;
}

void ChartFrame::reserveAxes(const std::vector<AxisTick>& left, const std::string& leftTitle,
                             const std::string& bottomTitle) {
    area.left += widestLabel(left, area.width() / 3) + kTick + kGap;
    if (!leftTitle.empty()) area.left += kLineHeight;
    area.bottom -= kLineHeight + kTick;
    if (!bottomTitle.empty()) area.bottom -= kLineHeight;
    area.top += kGap;
    // Half of the last label is beyond its tick.
    area.right -= 2 * kMargin;
}

double ChartFrame::reserveRight(const std::vector<AxisTick>& ticks) {
    const double width = widestLabel(ticks, area.width() / 4) + kTick + 2 * kGap;
    area.right -= width;
    return width;
}

void ChartFrame::paintLeftAxis(const std::vector<AxisTick>& ticks, const AxisScale& scale, const std::string& title,
                               bool hasGrid) {
    for (const AxisTick& tick : ticks) {
        const double y = scale.at(tick.position);
        if (hasGrid) drawing.line({area.left, y}, {area.right, y}, style.grid());
        drawing.line({area.left - kTick, y}, {area.left, y}, style.foreground());
        const double room = area.left - kTick - kGap - (title.empty() ? 0 : kLineHeight);
        drawing.text({area.left - kTick - kGap / 2, y + kFont / 3}, fittedString(tick.label, kFont, room),
                     style.foreground(), kFont, TextAnchor::End);
    }
    drawing.line({area.left, area.top}, {area.left, area.bottom}, style.foreground());
    if (title.empty()) return;
    drawing
        .text({kMargin + kFont, (area.top + area.bottom) / 2}, fittedString(title, kFont, area.height()),
              style.foreground(), kFont, TextAnchor::Middle)
        .isVertical = true;
}

void ChartFrame::paintRightAxis(const std::vector<AxisTick>& ticks, const AxisScale& scale, double position,
                                Color color) {
    for (const AxisTick& tick : ticks) {
        const double y = scale.at(tick.position);
        drawing.line({position, y}, {position + kTick, y}, color);
        drawing.text({position + kTick + kGap / 2, y + kFont / 3}, tick.label, color, kFont);
    }
    drawing.line({position, area.top}, {position, area.bottom}, color);
}

void ChartFrame::paintBottomAxis(const std::vector<AxisTick>& ticks, const AxisScale& scale, const std::string& title,
                                 bool hasGrid) {
    const double room =
        ticks.size() > 1 ? std::abs(scale.at(ticks[1].position) - scale.at(ticks[0].position)) - kGap : area.width();
    double free = 0;  // place at which the next label may begin
    for (const AxisTick& tick : ticks) {
        const double x = scale.at(tick.position);
        if (hasGrid) drawing.line({x, area.top}, {x, area.bottom}, style.grid());
        drawing.line({x, area.bottom}, {x, area.bottom + kTick}, style.foreground());
        constexpr double kLeastRoom = 40;
        const std::string label = fittedString(tick.label, kFont, std::max(room, kLeastRoom));
        const double half = estimatedTextWidth(label, kFont) / 2;
        // Labels at the ends move inwards.
        const double center = std::clamp(x, half, std::max(half, options.width - half));
        if (center - half < free) continue;
        free = center + half + kGap;
        drawing.text({center, area.bottom + kTick + kFont + 1}, label, style.foreground(), kFont, TextAnchor::Middle);
    }
    drawing.line({area.left, area.bottom}, {area.right, area.bottom}, style.foreground());
    if (title.empty()) return;
    drawing.text({(area.left + area.right) / 2, area.bottom + kTick + kLineHeight + kFont},
                 fittedString(title, kFont, area.width()), style.foreground(), kFont, TextAnchor::Middle);
}

int ChartFrame::mostVerticalTicks() const {
    constexpr double kRoom = 45;
    return std::clamp(static_cast<int>(area.height() / kRoom), 2, 12);
}

int ChartFrame::mostHorizontalTicks() const {
    constexpr double kRoom = 100;
    return std::clamp(static_cast<int>(area.width() / kRoom), 2, 20);
}

}  // namespace pelorus
