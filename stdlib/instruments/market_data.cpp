// parseMktData, extractMktData, curvePredict, optionVolPredict.
#include <fmt/format.h>

#include "common/error.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/instruments/each_described.h"
#include "stdlib/instruments/volatility_surface.h"
#include "stdlib/instruments/yield_curve.h"
#include "stdlib/named_results.h"
#include "stdlib/number_columns.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr std::string_view kWhat = "The market data";

Value datesValue(const std::vector<int64_t>& dates) {
    std::vector<int32_t> days;
    for (const int64_t date : dates) days.push_back(static_cast<int32_t>(date));
    return Value::of(Vector::of(Type::Date, days));
}

// Checks what kinds of market data need, and puts dates and numbers into their types.
void checkPrice(const Description& d, Dictionary& data) {
    const std::string type = d.text("priceType");
    if (type != "Price" && type != "FxSpotRate") d.refuse("priceType", "Price or FxSpotRate");
    addMember(data, "value", Value::ofDouble(d.number("value")));
    addMember(data, "unit", Value::ofString(d.text("unit")));
    if (d.has("spotDate")) addMember(data, "spotDate", Value::scalar(Type::Date, d.date("spotDate")));
}

void checkCurve(const Description& d, Dictionary& data, const Value& given) {
    const std::string type = d.text("curveType");
    if (type != "IrYieldCurve" && type != "AssetPriceCurve" && type != "DividendCurve")
        d.refuse("curveType", "IrYieldCurve, AssetPriceCurve or DividendCurve");
    const bool isFormula = d.text("curveModel", "Bootstrap").starts_with("NS");
    if (!isFormula) {
        const std::vector<int64_t> dates = d.dates("dates");
        const std::vector<double> values = d.numbers("values");
        if (dates.empty() || dates.size() != values.size()) d.refuse("values", "as long as dates, one point or more");
        addMember(data, "dates", datesValue(dates));
        addMember(data, "values", realsOf(values));
    }
    for (const std::string_view name : {"settlement", "shortEndDate"}) {
        if (d.has(name)) addMember(data, name, Value::scalar(Type::Date, d.date(name)));
    }
    if (type != "IrYieldCurve") return;
    const YieldCurve curve(given, 0);
    if (!isFormula) addMember(data, "years", realsOf(curve.years()));
    const std::pair<std::string_view, std::string_view> kDefaults[] = {
        {"curveName", ""}, {"curveModel", "Bootstrap"}, {"frequency", "Annual"}};
    for (const auto& [name, value] : kDefaults) {
        if (!d.has(name)) addMember(data, name, Value::ofString(value));
    }
}

Value parsedMarketData(const Value& given) {
    const Description d(given, 0, kWhat);
    const std::string type = d.text("mktDataType");
    auto data = orderedResult();
    addMember(*data, "mktDataType", Value::ofString(type));
    constexpr int kVersion = 1;
    addMember(*data, "version", Value::ofInt(kVersion));
    for (int64_t i = 0; i < given.dictionary().size(); ++i)
        data->set(given.dictionary().keyAt(i), given.dictionary().valueAt(i));
    addMember(*data, "version", Value::ofInt(kVersion));
    addMember(*data, "referenceDate", Value::scalar(Type::Date, d.date("referenceDate")));
    if (type == "Price") {
        checkPrice(d, *data);
    } else if (type == "Curve") {
        checkCurve(d, *data, given);
    } else if (type == "Surface") {
        (void)VolatilitySurface(given, 0);
        addMember(*data, "termDates", datesValue(d.dates("termDates")));
    } else {
        d.refuse("mktDataType", "Price, Curve or Surface");
    }
    return Value::of(std::move(data));
}

Value parseMktDataKernel(Context& context, Arguments a) {
    return mapDescribed(context, a[0],
                        [&](const Value& one) { return parsedMarketData(describedBy(context, one, 0)); });
}

Value extractMktDataKernel(Context& context, Arguments a) {
    return extracted(context, a[0], kWhat);
}

// Returns times in years that are given as such, or as dates, by `yearsTo`.
template <class F>
std::vector<double> timesArgument(Arguments a, size_t i, std::string_view name, F yearsTo) {
    const Value& given = a[i];
    const bool areDates = given.type() == Type::Date;
    if ((!given.isScalar() && !given.isTypedVector()) || (!areDates && !isNumeric(given.type())))
        refuseArgument(i, name, "dates or years", given);
    const Ref<Vector> all =
        given.isScalar() ? Vector::filled(given.type(), 1, given) : given.vector().slice(0, given.size());
    if (all->hasNull()) refuseArgument(i, name, "without NULL", given);
    std::vector<double> times;
    for (int64_t k = 0; k < all->size(); ++k) times.push_back(areDates ? yearsTo(all->asLong(k)) : all->asDouble(k));
    return times;
}

// curvePredict(curve, dt)
Value curvePredictKernel(Context&, Arguments a) {
    const YieldCurve curve(a[0], 0);
    std::vector<double> rates;
    for (const double years : timesArgument(a, 1, "dt", [&](int64_t date) { return curve.yearsTo(date); }))
        rates.push_back(curve.rate(years));
    return a[1].isScalar() ? Value::ofDouble(rates[0]) : realsOf(rates);
}

// optionVolPredict(volsurf, dt, strike)
Value optionVolPredictKernel(Context& context, Arguments a) {
    const VolatilitySurface surface(a[0], 0);
    const std::vector<double> times = timesArgument(a, 1, "dt", [&](int64_t date) { return surface.yearsTo(date); });
    const std::vector<double> strikes = timesArgument(a, 2, "strike", [](int64_t) { return 0.0; });
    constexpr size_t kMostCells = 100'000'000;
    if (!strikes.empty() && times.size() > kMostCells / strikes.size())
        throw UserError(2, fmt::format("{} times and {} strikes make more than {} volatilities.", times.size(),
                                       strikes.size(), kMostCells));
    std::vector<double> cells;
    for (const double strike : strikes) {
        if (!(strike > 0)) throw UserError(2, "strike must be above 0.");
        context.checkCancelled();
        for (const double years : times) cells.push_back(surface.at(years, strike));
    }
    return matrixOf(cells, times.size(), strikes.size());
}

constexpr std::string_view kCurve =
    "parseMktData({mktDataType: 'Curve', curveType: 'IrYieldCurve', referenceDate: 2025.08.18, currency: 'CNY', "
    "dayCountConvention: 'Actual365', compounding: 'Continuous', interpMethod: 'Linear', extrapMethod: 'Flat', dates: "
    "2026.08.18 2027.08.18, values: 0.02 0.04})";

}  // namespace

void registerMarketData(FunctionRegistry& registry) {
    registry.add(
        "parseMktData(dict)", parseMktDataKernel,
        {.summary = "A description of market data, checked, as an ordered dictionary: a price (Price, FxSpotRate), a "
                    "curve (IrYieldCurve, AssetPriceCurve, DividendCurve) or a surface of volatilities "
                    "(FxVolatilitySurface, VolatilitySurface).",
         .parameters =
             "dict: a dictionary from names to values, a string in JSON, or a tuple of such. A curve of rates "
             "has referenceDate, dayCountConvention, compounding (Continuous, Compounded, Simple), frequency, "
             "dates and values (shares of one), interpMethod (Linear, CubicSpline, CubicHermiteSpline), "
             "extrapMethod (Flat, Linear), or curveModel NS or NSS with curveParams; a surface has "
             "referenceDate, termDates, smileMethod (Linear, CubicSpline, SVI, SABR) and volSmiles",
         .errors = "A member is missing, of another type, or has no such choice; dates do not ascend.",
         .complexity = "O(points)",
         .source = "Svensson 1994; Gatheral 2004; Hagan et al. 2002",
         .example = fmt::format("{}[`years] -> [1,2]\n{}", kCurve, kCurve)});
    registry.add("extractMktData(mktData)", extractMktDataKernel,
                 {.summary = "The members of market data as a dictionary of its own, or a tuple of them.",
                  .parameters = "mktData: what parseMktData returned, or a tuple of such",
                  .errors = "mktData is no dictionary.",
                  .complexity = "O(members)",
                  .example = fmt::format("extractMktData({})[`frequency] -> Annual", kCurve)});
    registry.add(
        "curvePredict(curve, dt)", curvePredictKernel,
        {.summary = "The zero rates of a curve at times, as DOUBLE.",
         .parameters = "curve: a curve of rates as parseMktData returns it\ndt: dates, or years from the curve's first "
                       "day on: a scalar or vector",
         .nulls = "There must be none.",
         .errors = "curve is none of rates.",
         .complexity = "O(times · log points)",
         .example = fmt::format("curvePredict({}, 1.5) -> 0.03", kCurve)});
    registry.add(
        "optionVolPredict(volsurf, dt, strike)", optionVolPredictKernel,
        {.summary =
             "Volatilities of a surface as a matrix of DOUBLE, a row for each time, a column for each strike. The "
             "variance up to a time is linear between the surface's terms.",
         .parameters = "volsurf: a surface as parseMktData returns it\ndt: dates, or years: a scalar or vector\n"
                       "strike: numbers above 0: a scalar or vector",
         .nulls = "There must be none.",
         .errors = "volsurf is no surface; a strike is not above 0; there are more than 10^8 cells.",
         .complexity = "O(times · strikes · log points)",
         .example = "optionVolPredict(parseMktData({mktDataType: 'Surface', surfaceType: 'FxVolatilitySurface', "
                    "referenceDate: 2025.08.18, smileMethod: 'Linear', termDates: [2026.08.18], volSmiles: [{strikes: "
                    "6.0 8.0, vols: 0.1 0.2}], currencyPair: 'USDCNY'}), 1.0, 7.0)[0, 0] -> 0.15"});
}

}  // namespace pelorus
