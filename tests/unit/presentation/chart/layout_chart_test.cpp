#include "presentation/chart/layout_chart.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "common/error.h"
#include "presentation/chart/chart.h"
#include "presentation/chart/render_cairo.h"
#include "presentation/chart/render_svg.h"
#include "presentation/chart/render_terminal.h"
#include "presentation/view/text_width.h"
#include "runtime/value/dictionary.h"

using namespace pelorus;

namespace {

Chart chartOf(ChartKind kind, int64_t points, int64_t series = 1) {
    Chart chart;
    chart.kind = kind;
    std::vector<double> cells;
    for (int64_t i = 0; i < points * series; ++i) cells.push_back(static_cast<double>((i * 37) % 101) - 20);
    chart.data = makeRef<Matrix>(Vector::of(Type::Double, cells), points, series);
    return chart;
}

constexpr ChartKind kAllKinds[] = {ChartKind::Area,  ChartKind::Bar,    ChartKind::Column,  ChartKind::Histogram,
                                   ChartKind::Line,  ChartKind::Pie,    ChartKind::Scatter, ChartKind::Trend,
                                   ChartKind::KLine, ChartKind::Surface};

size_t countOf(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

void requireInside(const Drawing& drawing) {
    for (const DrawnShape& shape : drawing.shapes) {
        for (const Point& p : shape.points) {
            REQUIRE(std::isfinite(p.x));
            REQUIRE(std::isfinite(p.y));
            if (shape.kind == DrawnShape::Kind::Text) continue;
            REQUIRE(p.x >= -1);
            REQUIRE(p.x <= drawing.width + 1);
            REQUIRE(p.y >= -1);
            REQUIRE(p.y <= drawing.height + 1);
        }
    }
}

}  // namespace

TEST_CASE("every kind of chart of any size stays inside of its picture") {
    for (const ChartKind kind : kAllKinds) {
        for (const int64_t points : {0, 1, 2, 10, 1000, 100'000}) {
            for (const int64_t series : {1, 4}) {
                for (const bool isStacked : {false, true}) {
                    Chart chart = chartOf(kind, points, series);
                    chart.isStacked = isStacked;
                    INFO(chartKindName(kind) << " " << points << " " << series);
                    const Drawing drawing = layoutChart(chart, {});
                    requireInside(drawing);
                    CHECK(renderSvg(drawing).size() < 4'000'000);
                }
            }
        }
    }
}

TEST_CASE("values without a number leave a chart whole") {
    for (const ChartKind kind : kAllKinds) {
        Chart chart = chartOf(kind, 6, 4);
        for (int64_t i = 0; i < 24; ++i) {
            const double odd[] = {null<double>, std::nan(""), INFINITY, -INFINITY, 1e308, -1e308};
            chart.data->cells->mutableData<double>()[i] = odd[i % 6];
        }
        INFO(chartKindName(kind));
        requireInside(layoutChart(chart, {}));
        renderTerminal(chart, {});
    }
}

TEST_CASE("the picture of a line") {
    Chart chart;
    chart.title = "a & b";
    chart.data = makeRef<Matrix>(Vector::of<int32_t>(Type::Int, {1, 3, 2}), 3, 1);
    chart.data->rowLabels = Value::of(Vector::of<int32_t>(Type::Date, {19723, 19724, 19725}));
    chart.data->columnLabels = Value::of(Vector::ofStrings({"<price>"}));
    ChartOptions options;
    options.width = 300;
    options.height = 200;
    const std::string svg = renderSvg(layoutChart(chart, options));
    CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"300\" height=\"200\""));
    CHECK(svg.find("a &amp; b") != std::string::npos);
    CHECK(svg.find("&lt;price&gt;") != std::string::npos);
    CHECK(svg.find("2024.01.01") != std::string::npos);
    // The three points: begin and end of the axis, and the highest value on the upper bound.
    CHECK(svg.find("points=\"29.2,166 146.6,69 264,117.5\"") != std::string::npos);
    CHECK(countOf(svg, "<polyline") >= 6);
}

TEST_CASE("a part of the x axis can be shown") {
    const Chart chart = chartOf(ChartKind::Line, 1000);
    ChartOptions options;
    options.from = 0.5;
    options.to = 0.6;
    const std::string svg = renderSvg(layoutChart(chart, options));
    CHECK(svg.find(">540<") != std::string::npos);
    CHECK(svg.find(">400<") == std::string::npos);
    options.from = 0.7;
    CHECK_THROWS_AS(layoutChart(chart, options), UserError);
    options = {};
    options.width = 1e9;
    CHECK_THROWS_AS(layoutChart(chart, options), UserError);
}

TEST_CASE("a chart is a dictionary, and a client's is checked before it is drawn") {
    Chart chart = chartOf(ChartKind::Histogram, 10);
    chart.title = "t";
    chart.binCount = 5;
    chart.binStart = -2;
    chart.binEnd = 2;
    const Value value = makeChart(chart);
    CHECK(value.form() == Form::Chart);
    const Chart read = readChart(value);
    CHECK(read.kind == ChartKind::Histogram);
    CHECK(read.title == "t");
    CHECK(read.binCount == 5);
    CHECK(read.binEnd == 2);
    const auto with = [&](const char* key, const Value& entry) {
        Value changed = value;
        changed.makeUnique();
        changed.dictionary().set(Value::ofString(key), entry);
        return changed;
    };
    CHECK_THROWS_AS(readChart(with("chartType", Value::ofInt(77))), UserError);
    CHECK_THROWS_AS(readChart(with("chartType", Value::ofString("LINE"))), UserError);
    CHECK_THROWS_AS(readChart(with("data", Value::ofInt(1))), UserError);
    CHECK_THROWS_AS(readChart(with("title", Value::ofInt(1))), UserError);
    CHECK_THROWS_AS(readChart(with("binCount", Value::ofInt(2'000'000'000))), UserError);
    CHECK_THROWS_AS(readChart(Value::ofChart(makeRef<Dictionary>(Type::String, Type::Any, true))), UserError);
}

TEST_CASE("a terminal shows a curve within its width") {
    Chart chart = chartOf(ChartKind::Line, 100, 2);
    chart.title = "two curves";
    for (const int width : {1, 20, 60, 200}) {
        const std::string text = renderTerminal(chart, {width, 12, false});
        CHECK(text.find("two curves") != std::string::npos);
        for (size_t begin = 0; begin < text.size();) {
            const size_t end = text.find('\n', begin);
            REQUIRE(end != std::string::npos);
            CHECK(textWidth(text.substr(begin, end - begin)) <= static_cast<size_t>(std::max(width, 20)));
            begin = end + 1;
        }
    }
}

TEST_CASE("PNG and PDF have the bytes of their formats") {
    const Drawing drawing = layoutChart(chartOf(ChartKind::Column, 5), {});
    CHECK(renderPicture(drawing, PictureFormat::Png, 2).starts_with("\x89PNG"));
    CHECK(renderPicture(drawing, PictureFormat::Pdf).starts_with("%PDF"));
}
