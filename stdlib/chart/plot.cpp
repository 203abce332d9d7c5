// plot, plotHist, saveChart: charts of values, and pictures of charts.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "presentation/chart/chart.h"
#include "presentation/chart/layout_chart.h"
#include "presentation/chart/render_cairo.h"
#include "presentation/chart/render_svg.h"
#include "runtime/function/file_access.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

bool isPlottable(Type type) {
    return isNumeric(type) || isDecimal(type);
}

// The series of a chart, gathered from a value.
struct SeriesColumns {
    std::vector<Ref<Vector>> columns;
    std::vector<std::string> names;

    void add(const Value& series, std::string name, size_t argument) {
        if (!series.isTypedVector() || !isPlottable(series.type())) {
            throw UserError(
                static_cast<int>(argument),
                fmt::format("data must be numeric, but {} is {}.",
                            name.empty() ? fmt::format("series {}", columns.size() + 1) : name, typeString(series)),
                "Give vectors of numbers; times and names of points are labels.");
        }
        if (!columns.empty() && series.size() != columns[0]->size()) {
            throw UserError(
                static_cast<int>(argument),
                fmt::format("All series must have as many points as the first, {}, but {} has {}.", columns[0]->size(),
                            name.empty() ? fmt::format("series {}", columns.size() + 1) : name, series.size()));
        }
        columns.emplace_back(&series.vector());
        names.push_back(std::move(name));
    }

    // One column is shared with the value; several are copied, as DOUBLE where their types differ.
    Ref<Matrix> matrix() const {
        const int64_t rows = columns[0]->size();
        const Type first = columns[0]->type();
        const bool isOneType =
            !isDecimal(first) &&
            std::all_of(columns.begin(), columns.end(), [&](const auto& column) { return column->type() == first; });
        const Type type = isOneType ? first : Type::Double;
        Ref<Vector> cells = columns.size() == 1 && isOneType ? columns[0] : Vector::make(type, 0, rows * count());
        if (columns.size() > 1 || !isOneType) {
            for (const Ref<Vector>& column : columns)
                cells->append(isOneType ? *column : *cast(*column, type), 0, rows);
        }
        auto matrix = makeRef<Matrix>(std::move(cells), rows, count());
        if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return !name.empty(); }))
            matrix->columnLabels = Value::of(Vector::ofStrings(names));
        return matrix;
    }

    int64_t count() const { return static_cast<int64_t>(columns.size()); }
};

Ref<Matrix> matrixToPlot(const Value& data, const Value& spelled) {
    const Matrix& given = data.matrix();
    const Type type = given.cells->type();
    if (!isPlottable(type)) throw UserError(0, fmt::format("data must be numeric, but it is {}.", typeString(data)));
    const Ref<Vector> cells = isDecimal(type) ? cast(*given.cells, Type::Double) : given.cells;
    auto matrix = makeRef<Matrix>(cells, given.rows, given.columns);
    matrix->rowLabels = given.rowLabels;
    std::vector<std::string> names;
    if (given.columnLabels.isVoid()) {
        const bool areOfCode = spelled.isTypedVector() && spelled.size() == given.columns && spelled.size() > 1;
        if (areOfCode) matrix->columnLabels = spelled;
        return matrix;
    }
    // Clients expect names.
    for (int64_t i = 0; i < given.columns; ++i) names.push_back(toString(given.columnLabels.at(i)));
    matrix->columnLabels = Value::of(Vector::ofStrings(names));
    return matrix;
}

// `names` are those that the code of `data` has.
Ref<Matrix> seriesFrom(const Value& data, const Value& names) {
    if (data.isMatrix()) return matrixToPlot(data, names);
    const auto nameAt = [&](int64_t i) {
        return names.isTypedVector() && isLiteral(names.type()) && i < names.size()
                   ? std::string(names.vector().string(i))
                   : std::string();
    };
    SeriesColumns series;
    if (data.isTable()) {
        const Ref<MemoryTable> table = tableToRead(data);
        if (!table)
            throw UserError(0, "A partitioned table cannot be plotted as a whole.", "Plot the result of a query.");
        for (int c = 0; c < table->columnCount(); ++c)
            series.add(table->column(c), table->columns()[static_cast<size_t>(c)].name, 0);
    } else if (data.isTuple()) {
        for (int64_t i = 0; i < data.size(); ++i) series.add(data.at(i), nameAt(i), 0);
    } else {
        const std::string_view own = data.isTypedVector() ? data.vector().name() : std::string_view();
        series.add(data, own.empty() ? nameAt(0) : std::string(own), 0);
    }
    if (series.columns.empty()) throw UserError(0, "data has no series to plot.");
    return series.matrix();
}

void takeTitles(const Value& title, size_t argument, Chart& chart) {
    if (isOmitted(title)) return;
    if (!isLiteral(title.type()) || !(title.isScalar() || title.isVector()))
        refuseArgument(argument, "title", "a string, or up to four: of the chart and the x, y and z axis", title);
    std::string* const targets[] = {&chart.title, &chart.xTitle, &chart.yTitle, &chart.zTitle};
    if (title.size() > static_cast<int64_t>(std::size(targets)))
        throw UserError(static_cast<int>(argument),
                        fmt::format("title must be at most four strings, but there are {}.", title.size()));
    for (int64_t i = 0; i < title.size(); ++i) targets[i]->assign(title.at(i).string());
}

bool multiYAxesFrom(Arguments arguments, size_t i) {
    const Value& extras = arguments[i];
    if (isOmitted(extras)) return false;
    if (!extras.isDictionary() || !isLiteral(extras.dictionary().keyType()))
        refuseArgument(i, "extras", "a dictionary with strings as keys, such as {multiYAxes: true}", extras);
    for (int64_t k = 0; k < extras.dictionary().size(); ++k) {
        const Value key = extras.dictionary().keyAt(k);
        if (key.string() == "multiYAxes") continue;
        throw UserError(static_cast<int>(i), fmt::format("extras has no property {}.", key.string()),
                        "Its property is multiYAxes: true gives each series a y axis.");
    }
    const Value flag = extras.dictionary().get(Value::ofString("multiYAxes"));
    if (!flag.isVoid() && !flag.isNumber()) refuseArgument(i, "multiYAxes", "true or false", flag);
    return !flag.isVoid() && isTrue(flag);
}

void takeLabels(const Value& labels, Chart& chart) {
    if (isOmitted(labels)) return;
    if (chart.kind == ChartKind::Surface)
        throw UserError(1, "A SURFACE takes no labels: those of the matrix label its axes.",
                        "Name rows and columns of data by rename!.");
    if (!labels.isTypedVector()) refuseArgument(1, "labels", "a vector", labels);
    if (labels.size() != chart.data->rows) {
        throw UserError(1, fmt::format("labels must be as many as the points, {}, but they are {}.", chart.data->rows,
                                       labels.size()));
    }
    auto labelled = makeRef<Matrix>(chart.data->cells, chart.data->rows, chart.data->columns);
    labelled->columnLabels = chart.data->columnLabels;
    labelled->rowLabels = labels;
    chart.data = std::move(labelled);
}

// plot(data, labels, title, chartType, stacking, extras, seriesNames)
Value plotKernel(Context&, Arguments arguments) {
    Chart chart;
    const int64_t kind = integerArgument(arguments, 3, "chartType", static_cast<int64_t>(ChartKind::Line));
    if (kind < 0 || kind >= kChartKinds)
        throw UserError(3, fmt::format("chartType must be a kind of chart, but it is {}.", kind),
                        "Kinds are LINE, PIE, COLUMN, BAR, AREA, SCATTER, SURFACE, HISTOGRAM, TREND, KLINE.");
    chart.kind = static_cast<ChartKind>(kind);
    if (chart.kind == ChartKind::Surface && !arguments[0].isMatrix())
        refuseArgument(0, "data", "a numeric matrix for a SURFACE", arguments[0]);
    chart.data = seriesFrom(arguments[0], arguments[6]);
    takeLabels(arguments[1], chart);
    takeTitles(arguments[2], 2, chart);
    chart.isStacked = flagArgument(arguments, 4, "stacking", false);
    chart.hasAxisPerSeries = multiYAxesFrom(arguments, 5);
    return makeChart(chart);
}

// plotHist(data, binNum, range, title, seriesNames)
Value plotHistKernel(Context&, Arguments arguments) {
    Chart chart;
    chart.kind = ChartKind::Histogram;
    chart.data = seriesFrom(arguments[0], arguments[4]);
    if (isGiven(arguments, 1)) {
        const int64_t bins = integerArgument(arguments, 1, "binNum");
        if (bins < 1 || bins > Chart::kMaxBins)
            throw UserError(1, fmt::format("binNum must be from 1 to 10,000, but it is {}.", bins));
        chart.binCount = static_cast<int>(bins);
    }
    if (isGiven(arguments, 2)) {
        const Value& range = arguments[2];
        if (!range.isPair() || !isPlottable(range.type())) refuseArgument(2, "range", "a pair of numbers", range);
        const double begin = range.vector().asDouble(0), end = range.vector().asDouble(1);
        if (range.vector().isNullAt(0) || range.vector().isNullAt(1) || !(begin < end))
            throw UserError(2, "range must begin below its end.", "Give a pair as -2:2.");
        chart.binStart = begin;
        chart.binEnd = end;
    }
    takeTitles(arguments[3], 3, chart);
    return makeChart(chart);
}

double sizeArgument(Arguments arguments, size_t i, const char* name, double whenOmitted) {
    const double size = realArgument(arguments, i, name, whenOmitted);
    if (!(size >= ChartOptions::kMinSize && size <= ChartOptions::kMaxSize))
        throw UserError(static_cast<int>(i), fmt::format("{} must be from {} to {} pixels, but it is {}.", name,
                                                         ChartOptions::kMinSize, ChartOptions::kMaxSize, size));
    return size;
}

// saveChart(chart, filename, width, height)
Value saveChartKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isChart()) refuseArgument(0, "chart", "a chart, as plot returns", arguments[0]);
    const std::string path = stringArgument(arguments, 1, "filename");
    ChartOptions options;
    options.width = sizeArgument(arguments, 2, "width", options.width);
    options.height = sizeArgument(arguments, 3, "height", options.height);
    const auto endsIn = [&](std::string_view ending) {
        return path.size() > ending.size() &&
               std::equal(ending.rbegin(), ending.rend(), path.rbegin(),
                          [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
    };
    const bool isSvg = endsIn(".svg"), isPng = endsIn(".png"), isPdf = endsIn(".pdf");
    if (!isSvg && !isPng && !isPdf)
        throw UserError(1, fmt::format("filename must end in .svg, .png or .pdf, but it is {}.", path));
    const Drawing drawing = layoutChart(readChart(arguments[0]), options);
    constexpr double kSharp = 2;  // pixels of a PNG per unit: sharp on screens of today
    const std::string bytes =
        isSvg ? renderSvg(drawing) : renderPicture(drawing, isPng ? PictureFormat::Png : PictureFormat::Pdf, kSharp);
    UserFiles& files = userFiles(context);
    files.create(files.resolve(path))->append(bytes);
    return {};
}

}  // namespace

void registerCharts(FunctionRegistry& registry) {
    const char* data = "data: a vector is one series; elements of a tuple, columns of a matrix or table are several";
    registry.add(
        "plot(data, [labels], [title], [chartType=LINE], [stacking=false], [extras], [seriesNames])", plotKernel,
        {.summary = "A chart of data. A console draws it, editors and clients show it, saveChart writes it to a file.",
         .parameters =
             std::string(data) +
             "\nlabels: of the points, as many as a series has; numbers and times place them on the x axis. "
             "Those of a matrix are its row labels\ntitle: of the chart, or up to four: chart, x axis, y "
             "axis, z axis\nchartType: LINE, PIE, COLUMN, BAR, AREA, SCATTER, SURFACE (of a matrix, as a heat "
             "map), HISTOGRAM, TREND or KLINE (of four series: open, high, low, close)\nstacking: whether "
             "each series begins where the one before ends\nextras: {multiYAxes: true} gives each series a y "
             "axis\nseriesNames: added by the compiler: how the series are spelt, as x in plot(v as x)",
         .nulls = "A NULL interrupts a line, and is no bar or point; in a stack it counts as 0.",
         .errors =
             "A series is not numeric, series differ in length, labels are not as many as points, or a SURFACE is "
             "no matrix.",
         .complexity = "O(1) for a matrix or one vector, else O(points)",
         .example = "form(plot(1 3 2 as price)) -> 7\ntypestr(plot(1 3 2)) -> CHART"},
        {.effect = Effect::Pure, .role = Role::SeriesNames});
    registry.add("plotHist(data, [binNum], [range], [title], [seriesNames])", plotHistKernel,
                 {.summary = "A chart that counts the values of data in bins of equal width.",
                  .parameters = std::string(data) +
                                "\nbinNum: how many bins, from 1 to 10,000; by Sturges' formula when omitted\nrange: a "
                                "pair with the begin and the end of the bins; values outside are left out. By default "
                                "all values\ntitle: of the chart, or up to three: chart, x axis, y axis\nseriesNames: "
                                "added by the compiler: how the series are spelt",
                  .nulls = "Not counted.",
                  .errors = "data is not numeric, or range is not a rising pair.",
                  .complexity = "O(1) for a matrix or one vector, else O(values)",
                  .example = "form(plotHist(1 2 2 3, 3)) -> 7"},
                 {.effect = Effect::Pure, .role = Role::SeriesNames});
}

void registerChartFiles(FunctionRegistry& registry) {
    registry.add(
        "saveChart(chart, filename, [width=800], [height=450])", saveChartKernel,
        {.summary = "Writes a chart as a picture. The end of the file's name decides the format: .svg, .png or "
                    ".pdf. A file of that name is replaced.",
         .parameters = "width, height: from 120 to 10,000; a PNG has two pixels for each",
         .errors = "The file cannot be written, its name ends otherwise, or PNG or PDF is wanted and the "
                   "library cairo is not installed.",
         .complexity = "O(points)",
         .example = "saveChart(plot(101.5 102.25 101.75 as price), \"/data/price.svg\")"});
}

}  // namespace pelorus
