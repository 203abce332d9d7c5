#include "presentation/chart/chart.h"

#include <fmt/format.h>

#include <array>

#include "common/error.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

constexpr std::array<std::string_view, kChartKinds> kKindNames = {"AREA", "BAR",     "COLUMN", "HISTOGRAM", "LINE",
                                                                  "PIE",  "SCATTER", "TREND",  "KLINE",     "SURFACE"};

Value entry(const Dictionary& entries, const char* key) {
    return entries.get(Value::ofString(key));
}

[[noreturn]] void refuse(const char* key, const char* expected) {
    throw UserError(fmt::format("The chart's {} must be {}.", key, expected), "Make charts by plot or plotHist.");
}

std::optional<double> number(const Dictionary& entries, const char* key) {
    const Value v = entry(entries, key);
    if (v.isVoid()) return std::nullopt;
    if (!v.isNumber() || v.isNull()) refuse(key, "a number");
    return v.asDouble();
}

bool flag(const Value& v, const char* key) {
    if (v.isVoid()) return false;
    if (!v.isNumber()) refuse(key, "true or false");
    return !v.isNull() && v.asDouble() != 0;
}

void readTitles(const Value& titles, Chart& chart) {
    std::string* const targets[] = {&chart.title, &chart.xTitle, &chart.yTitle, &chart.zTitle};
    if (titles.isVoid()) return;
    if (!isLiteral(titles.type()) || !(titles.isScalar() || titles.isVector())) refuse("title", "a string or strings");
    for (int64_t i = 0; i < std::min<int64_t>(titles.size(), std::size(targets)); ++i)
        *targets[i] = titles.at(i).string();
}

std::string labelString(const Value& labels, int64_t i) {
    if (labels.isVoid() || i >= labels.size()) return "";
    const Value label = labels.at(i);
    return label.isScalar() ? toString(label) : display(label);
}

}  // namespace

std::string_view chartKindName(ChartKind kind) {
    return kKindNames[static_cast<size_t>(kind)];
}

std::string Chart::seriesName(int64_t series) const {
    return labelString(data->columnLabels, series);
}

std::string Chart::pointLabel(int64_t point) const {
    return labelString(data->rowLabels, point);
}

Value makeChart(const Chart& chart) {
    auto entries = makeRef<Dictionary>(Type::String, Type::Any, true);
    const auto set = [&](const char* key, Value value) { entries->set(Value::ofString(key), std::move(value)); };
    set("chartType", Value::ofInt(static_cast<int32_t>(chart.kind)));
    set("stacking", Value::ofBool(chart.isStacked));
    set("title", Value::of(Vector::ofStrings({chart.title, chart.xTitle, chart.yTitle, chart.zTitle})));
    set("data", Value::of(chart.data));
    if (chart.binCount) set("binCount", Value::ofInt(*chart.binCount));
    if (chart.binStart) set("binStart", Value::ofDouble(*chart.binStart));
    if (chart.binEnd) set("binEnd", Value::ofDouble(*chart.binEnd));
    if (chart.kind == ChartKind::Line || chart.hasAxisPerSeries) {
        auto extras = makeRef<Dictionary>(Type::String, Type::Any, true);
        extras->set(Value::ofString("multiYAxes"), Value::ofBool(chart.hasAxisPerSeries));
        set("extras", Value::of(std::move(extras)));
    }
    return Value::ofChart(std::move(entries));
}

Chart readChart(const Value& value) {
    const Dictionary& entries = value.dictionary();
    if (!isLiteral(entries.keyType())) refuse("keys", "strings");
    Chart chart;
    const std::optional<double> kind = number(entries, "chartType");
    if (!kind || !(*kind >= 0 && *kind < kChartKinds))
        refuse("chartType", "one of LINE, BAR, PIE and related constants");
    chart.kind = static_cast<ChartKind>(static_cast<int>(*kind));
    chart.isStacked = flag(entry(entries, "stacking"), "stacking");
    readTitles(entry(entries, "title"), chart);
    const Value data = entry(entries, "data");
    if (!data.isMatrix()) refuse("data", "a matrix");
    const Type type = data.matrix().cells->type();
    if (!isNumeric(type) && !isDecimal(type)) refuse("data", "a numeric matrix");
    chart.data = Ref<Matrix>(&data.matrix());
    if (const Value extras = entry(entries, "extras");
        extras.isDictionary() && isLiteral(extras.dictionary().keyType()))
        chart.hasAxisPerSeries = flag(entry(extras.dictionary(), "multiYAxes"), "multiYAxes");
    if (const std::optional<double> count = number(entries, "binCount")) {
        if (!(*count >= 1 && *count <= Chart::kMaxBins)) refuse("binCount", "a number from 1 to 10,000");
        chart.binCount = static_cast<int>(*count);
    }
    chart.binStart = number(entries, "binStart");
    chart.binEnd = number(entries, "binEnd");
    return chart;
}

}  // namespace pelorus
