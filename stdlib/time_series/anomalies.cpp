// stl, esd and seasonalEsd: seasons, trends, and values that stand out.
#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "runtime/table/table.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/named_results.h"
#include "stdlib/number_columns.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/quantile.h"
#include "stdlib/time_series/seasonal_trend.h"

namespace pelorus {

namespace {

double median(std::vector<double> x) {
    return quantileOf(x, 0.5, Interpolation::Midpoint);
}

std::vector<double> seriesArgument(Arguments a) {
    std::vector<double> data = columnArgument(a, 0, "data", NullCells::Refused);
    if (data.size() < 4 || !std::ranges::all_of(data, [](double v) { return std::isfinite(v); }))
        refuseArgument(0, "data", "four finite numbers or more", a[0]);
    return data;
}

// A wider window changes nothing, as no vector is longer.
constexpr int64_t kWidestWindow = INT32_MAX;

int64_t oddAtLeast(double x) {
    auto n = static_cast<int64_t>(std::ceil(x));
    return n % 2 == 0 ? n + 1 : n;
}

int64_t periodArgument(Arguments a, size_t rows) {
    const int64_t period = integerArgument(a, 1, "period");
    if (period < 2 || period > static_cast<int64_t>(rows / 2))
        refuseArgument(1, "period", fmt::format("from 2 to half of the {} elements", rows), a[1]);
    return period;
}

LoessOptions loessArguments(Arguments a, size_t i, std::string_view prefix, int64_t window, bool readsWindow) {
    LoessOptions o;
    o.window = readsWindow ? integerArgument(a, i, fmt::format("{}Window", prefix), window) : window;
    if (readsWindow && (o.window < 1 || o.window > kWidestWindow || o.window % 2 == 0))
        refuseArgument(i, fmt::format("{}Window", prefix), "odd, from 1 to 2147483647", a[i]);
    o.degree = integerArgument(a, i + 1, fmt::format("{}Degree", prefix), 1);
    if (o.degree < 0 || o.degree > 2) refuseArgument(i + 1, fmt::format("{}Degree", prefix), "0, 1 or 2", a[i + 1]);
    o.degree = std::min<int64_t>(o.degree, 1);
    o.jump = integerArgument(a, i + 2, fmt::format("{}Jump", prefix), (o.window + 9) / 10);
    if (o.jump < 1) refuseArgument(i + 2, fmt::format("{}Jump", prefix), "1 or more", a[i + 2]);
    return o;
}

SeasonalOptions usualOptions(int64_t period, size_t rows) {
    SeasonalOptions o;
    o.period = period;
    o.isPeriodic = true;
    o.season = {10 * static_cast<int64_t>(rows) + 1, 0, static_cast<int64_t>(rows)};
    o.trend.window = oddAtLeast(1.5 * static_cast<double>(period) / (1 - 1.5 / static_cast<double>(o.season.window)));
    o.trend.jump = (o.trend.window + 9) / 10;
    o.lowPass.window = oddAtLeast(static_cast<double>(period));
    o.lowPass.jump = (o.lowPass.window + 9) / 10;
    return o;
}

// stl(data, period, sWindow, [sDegree], [sJump], [tWindow], [tDegree], [tJump], [lWindow], [lDegree], [lJump],
// [robust], [inner], [outer])
Value stlKernel(Context& context, Arguments a) {
    const std::vector<double> y = seriesArgument(a);
    const int64_t period = periodArgument(a, y.size());
    SeasonalOptions o = usualOptions(period, y.size());
    if (a[2].isString()) {
        if (a[2].string() != "periodic") refuseArgument(2, "sWindow", "periodic, or an odd integer from 7", a[2]);
    } else {
        o.isPeriodic = false;
        const int64_t window = integerArgument(a, 2, "sWindow");
        if (window < 7 || window > kWidestWindow || window % 2 == 0)
            refuseArgument(2, "sWindow", "periodic, or an odd integer from 7 to 2147483647", a[2]);
        o.season = loessArguments(a, 2, "s", window, false);
    }
    const auto seasonWindow = static_cast<double>(o.season.window);
    o.trend = loessArguments(a, 5, "t", oddAtLeast(1.5 * static_cast<double>(period) / (1 - 1.5 / seasonWindow)), true);
    o.lowPass = loessArguments(a, 8, "l", oddAtLeast(static_cast<double>(period)), true);
    const bool isRobust = flagArgument(a, 11, "robust", false);
    o.inner = integerArgument(a, 12, "inner", isRobust ? 1 : 2);
    o.outer = integerArgument(a, 13, "outer", isRobust ? 15 : 0);
    if (o.inner < 1) refuseArgument(12, "inner", "1 or more", a[12]);
    if (o.outer < 0) refuseArgument(13, "outer", "0 or more", a[13]);
    const SeasonalTrend s = decompose(y, o, [&] { context.checkCancelled(); });
    std::vector<double> rest = y;
    for (size_t i = 0; i < y.size(); ++i) rest[i] -= s.season[i] + s.trend[i];
    auto result = orderedResult();
    addMember(*result, "trend", realsOf(s.trend));
    addMember(*result, "seasonal", realsOf(s.season));
    addMember(*result, "residuals", realsOf(rest));
    return Value::of(std::move(result));
}

// The options of esd, from a position on.
struct AnomalyOptions {
    bool isHybrid;
    size_t most;
    double alpha;
};
AnomalyOptions anomalyArguments(Arguments a, size_t i, size_t rows) {
    AnomalyOptions o{flagArgument(a, i, "hybrid", false), 0, realArgument(a, i + 2, "alpha", 0.05)};
    const double given = realArgument(a, i + 1, "maxAnomalies", 0.1), n = static_cast<double>(rows);
    const bool isShare = given > 0 && given < 0.5, isCount = given >= 1 && given == std::floor(given) && given < n / 2;
    if (!isShare && !isCount)
        refuseArgument(i + 1, "maxAnomalies", "a share below 0.5, or a count below half of data", a[i + 1]);
    if (!(o.alpha > 0 && o.alpha < 1)) refuseArgument(i + 2, "alpha", "between 0 and 1", a[i + 2]);
    o.most = static_cast<size_t>(isShare ? given * n : given);
    return o;
}

// Returns the places that stand out, in the order in which they are taken out (Rosner 1983).
std::vector<int32_t> standOut(Context& context, const std::vector<double>& x, const AnomalyOptions& o) {
    std::vector<double> left = x;
    std::vector<int32_t> places(x.size()), taken;
    for (size_t i = 0; i < x.size(); ++i) places[i] = static_cast<int32_t>(i);
    size_t found = 0;
    for (size_t i = 1; i <= o.most && left.size() > 2; ++i) {
        context.checkCancelled();
        const auto n = static_cast<double>(left.size());
        double middle = 0, spread = 0;
        if (o.isHybrid) {
            middle = median(left);
            std::vector<double> away;
            for (const double v : left) away.push_back(std::abs(v - middle));
            spread = 1.4826 * median(away);
        } else {
            for (const double v : left) middle += v / n;
            for (const double v : left) spread += (v - middle) * (v - middle);
            spread = std::sqrt(spread / (n - 1));
        }
        if (!(spread > 0)) break;
        const auto farthest = std::ranges::max_element(left, {}, [&](double v) { return std::abs(v - middle); });
        const double statistic = std::abs(*farthest - middle) / spread;
        const auto at = farthest - left.begin();
        taken.push_back(places[static_cast<size_t>(at)]);
        left.erase(farthest);
        places.erase(places.begin() + at);
        const double t = boost::math::quantile(boost::math::students_t(n - 2), 1 - o.alpha / (2 * n));
        if (statistic > (n - 1) * t / std::sqrt((n - 2 + t * t) * n)) found = i;
    }
    taken.resize(found);
    return taken;
}

Value anomalyTable(const std::vector<int32_t>& places, const std::vector<double>& data) {
    std::vector<double> values;
    for (const int32_t i : places) values.push_back(data[static_cast<size_t>(i)]);
    auto table = makeRef<MemoryTable>(std::vector<std::string>{"index", "anoms"},
                                      std::vector<Value>{Value::of(Vector::of(Type::Int, places)), realsOf(values)});
    return Value::of(Ref<Table>(table));
}

// esd(data, [hybrid], [maxAnomalies], [alpha])
Value esdKernel(Context& context, Arguments a) {
    const std::vector<double> data = seriesArgument(a);
    return anomalyTable(standOut(context, data, anomalyArguments(a, 1, data.size())), data);
}

// seasonalEsd(data, period, [hybrid], [maxAnomalies], [alpha])
Value seasonalEsdKernel(Context& context, Arguments a) {
    const std::vector<double> data = seriesArgument(a);
    const int64_t period = periodArgument(a, data.size());
    const AnomalyOptions o = anomalyArguments(a, 2, data.size());
    const SeasonalTrend s = decompose(data, usualOptions(period, data.size()), [&] { context.checkCancelled(); });
    std::vector<double> rest = data;
    const double middle = median(data);
    for (size_t i = 0; i < data.size(); ++i) rest[i] -= s.season[i] + middle;
    return anomalyTable(standOut(context, rest, o), data);
}

}  // namespace

void registerSeasonalTrends(FunctionRegistry& registry) {
    constexpr std::string_view kAnomalies =
        "hybrid: the median and the median absolute deviation in place of mean and standard deviation\n"
        "maxAnomalies: the most that are looked for: a share of data below 0.5, by default 0.1, or a count below half "
        "of it\n"
        "alpha: the level of the test, 0.05";
    registry.add(
        "stl(data, period, sWindow, [sDegree], [sJump], [tWindow], [tDegree], [tJump], [lWindow], [lDegree], [lJump], "
        "[robust=false], [inner], [outer])",
        stlKernel,
        {.summary = "A series as the sum of trend, seasonal and residuals: a dictionary of these vectors of DOUBLE.",
         .parameters =
             "data: a vector of numbers\nperiod: elements of a season, from 2 to half of data\n"
             "sWindow: periodic, or the odd window of the local regressions over seasons, from 7 to "
             "2147483647\n"
             "sDegree: 0, 1 or 2 (as 1) of them\nsJump: elements between two regressions, a tenth of the window\n"
             "tWindow, tDegree, tJump: the same of the trend; tWindow is the odd number after 1.5 period / (1 - "
             "1.5 / sWindow)\nlWindow, lDegree, lJump: the same of the low-pass filter; lWindow is period, made "
             "odd\nrobust: whether outliers count less\ninner, outer: iterations, 2 and 0, or 1 and 15 when "
             "robust",
         .nulls = "data must hold none.",
         .errors = "data is shorter than two periods; a window is even; an option is out of its range.",
         .complexity = "O(inner · outer · elements · window / jump)",
         .source = "Cleveland, Cleveland, McRae, Terpenning 1990",
         .example = "round(stl(take(1.0 2 3 2, 24), 4, \"periodic\")[`seasonal][0:4], 4) -> [-1,0,1,0]"
                    "\nstl(take(1.0 2 3 2, 24), 4, \"periodic\")"});
    registry.add(
        "esd(data, [hybrid=false], [maxAnomalies=0.1], [alpha=0.05])", esdKernel,
        {.summary = "The values of a vector that stand out, by the generalized extreme Studentized deviate test: a "
                    "table of index and anoms, the farthest first.",
         .parameters = std::string("data: a vector of numbers\n") + std::string(kAnomalies),
         .nulls = "data must hold none.",
         .errors = "data is too short; an option is out of its range.",
         .complexity = "O(anomalies · elements)",
         .source = "Rosner 1983",
         .example = "esd(1.0 2 1 2 1 2 1 2 1 50 2 1, , 1).index -> [9]"
                    "\nesd(1.0 2 1 2 1 2 1 2 1 50 2 1, , 1)"});
    registry.add("seasonalEsd(data, period, [hybrid=false], [maxAnomalies=0.1], [alpha=0.05])", seasonalEsdKernel,
                 {.summary = "As esd, of what season and median leave: a table of index and anoms, the values of data.",
                  .parameters =
                      std::string("data: a vector of numbers\nperiod: elements of a season, from 2 to half of data\n") +
                      std::string(kAnomalies),
                  .nulls = "data must hold none.",
                  .errors = "data is shorter than two periods; an option is out of its range.",
                  .complexity = "O(anomalies · elements)",
                  .source = "Hochenbaum, Vallis, Kejariwal 2017",
                  .example = "seasonalEsd(take(1.0 9 1.1, 30) + (0..29 == 12) * 30, 3, , 1).index -> [12]"
                             "\nseasonalEsd(take(1.0 9 1.1, 30) + (0..29 == 12) * 30, 3, , 1)"});
}

}  // namespace pelorus
