// fxForwardPricer, fxSwapPricer, fxEuropeanOptionPricer: values of contracts on rates of exchange.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/instruments/priced_rows.h"
#include "stdlib/instruments/volatility_surface.h"
#include "stdlib/instruments/yield_curve.h"
#include "stdlib/named_results.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// A row: the contract, its spot, and both curves. Values are in the domestic currency, the second of the pair.
struct FxRow {
    Description contract;
    int64_t day;
    double spot;
    const YieldCurve &domestic, &foreign;

    // Returns the amount in the foreign currency, the first of the pair.
    double amount(std::string_view pairMember, double strike) const {
        std::string pair = contract.text(pairMember);
        std::erase_if(pair, [](char c) { return c == '.' || c == '/'; });
        const std::string currency = contract.text("notionalCurrency");
        const double notional = contract.number("notionalAmount");
        if (pair.size() != 6) contract.refuse(pairMember, "a pair of currencies, as USDCNY");
        if (pair.starts_with(currency)) return notional;
        if (!pair.ends_with(currency)) contract.refuse("notionalCurrency", "one of the pair's");
        return notional / strike;
    }
    double sign() const { return contract.text("direction", "Buy") == "Sell" ? -1 : 1; }
    // Returns what a unit of the foreign currency, bought at a strike on a date, is worth; 0 for dates behind.
    double forwardValue(int64_t date, double strike) const {
        if (date <= day) return 0;
        const auto factor = [&](const YieldCurve& curve) { return curve.discountTo(date) / curve.discountTo(day); };
        return spot * factor(foreign) - strike * factor(domestic);
    }
};

class FxRows {
public:
    FxRows(Arguments a, size_t count) : rows(a, count) {
        domestic = rows.readEach<YieldCurve>(3, [](const Value& curve) { return YieldCurve(curve, 3); });
        foreign = rows.readEach<YieldCurve>(4, [](const Value& curve) { return YieldCurve(curve, 4); });
    }
    FxRow row(size_t i) const {
        const double spot = rows.number(2, i, "spot");
        if (!(spot > 0)) throw UserError(2, "spot must be above 0.");
        return {Description(rows.at(0, i), 0, "The contract"), rows.date(1, i, "pricingDate"), spot,
                rows.of(domestic, i), rows.of(foreign, i)};
    }

    PricedRows rows;

private:
    std::vector<YieldCurve> domestic, foreign;
};

// fxForwardPricer(instrument, pricingDate, spot, domesticCurve, foreignCurve)
Value forwardKernel(Context& context, Arguments a) {
    const FxRows all(a, 5);
    return all.rows.map(context, [&](size_t i) {
        const FxRow row = all.row(i);
        if (row.contract.text("forwardType", "") != "FxForward") row.contract.refuse("forwardType", "FxForward");
        const double strike = row.contract.number("strike");
        return Value::ofDouble(row.sign() * row.amount("currencyPair", strike) *
                               row.forwardValue(row.contract.date("delivery"), strike));
    });
}

// fxSwapPricer(instrument, pricingDate, spot, domesticCurve, foreignCurve)
Value swapKernel(Context& context, Arguments a) {
    const FxRows all(a, 5);
    return all.rows.map(context, [&](size_t i) {
        const FxRow row = all.row(i);
        if (row.contract.text("swapType", "") != "FxSwap") row.contract.refuse("swapType", "FxSwap");
        const double near = row.contract.number("nearStrike"), far = row.contract.number("farStrike");
        const double value = row.forwardValue(row.contract.date("nearDelivery"), near) -
                             row.forwardValue(row.contract.date("farDelivery"), far);
        return Value::ofDouble(row.sign() * row.amount("currencyPair", near) * value);
    });
}

double normal(double x) {
    return std::erfc(-x / std::numbers::sqrt2) / 2;
}
double density(double x) {
    return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

// Garman, Kohlhagen 1983, for a unit of the foreign currency.
struct FxOption {
    double npv, delta, gamma, vega, theta, rhoDomestic, rhoForeign;

    FxOption(double spot, double strike, double years, double volatility, double domestic, double foreign,
             bool isCall) {
        const double side = isCall ? 1 : -1, root = volatility * std::sqrt(years);
        const double forward = spot * foreign / domestic;
        const double d1 = (std::log(forward / strike) + root * root / 2) / root, d2 = d1 - root;
        const double asset = spot * foreign * normal(side * d1), paid = strike * domestic * normal(side * d2);
        const double rd = -std::log(domestic) / years, rf = -std::log(foreign) / years;
        npv = side * (asset - paid);
        delta = side * foreign * normal(side * d1);
        gamma = foreign * density(d1) / (spot * root);
        vega = spot * foreign * density(d1) * std::sqrt(years);
        theta = -spot * foreign * density(d1) * volatility / (2 * std::sqrt(years)) + side * (rf * asset - rd * paid);
        rhoDomestic = side * years * paid;
        rhoForeign = -side * years * asset;
    }
};

Value optionResult(const FxRow& row, const VolatilitySurface& surface, const Value* setting) {
    const Description& d = row.contract;
    if (d.text("assetType", "") != "FxEuropeanOption") d.refuse("assetType", "FxEuropeanOption");
    const double strike = d.number("strike");
    if (!(strike > 0)) d.refuse("strike", "above 0");
    const auto dayCount = dayCountOf(d.text("dayCountConvention"));
    if (!dayCount) d.refuse("dayCountConvention", "a day count, as ActualActualISDA or Actual365");
    const int64_t maturity = d.date("maturity");
    if (maturity <= row.day) d.refuse("maturity", "after pricingDate");
    const double years = yearFraction(*dayCount, row.day, maturity);
    const auto factor = [&](const YieldCurve& curve) { return curve.discountTo(maturity) / curve.discountTo(row.day); };
    const double volatility = surface.at(surface.yearsTo(maturity), strike);
    if (!(volatility > 0)) throw UserError(5, "The volatility of an option is not above 0.");
    const FxOption o(row.spot, strike, years, volatility, factor(row.domestic), factor(row.foreign),
                     d.text("payoffType") == "Call");
    const double size = row.sign() * row.amount("underlying", strike);
    if (setting == nullptr) return Value::ofDouble(size * o.npv);
    const Description wanted(*setting, 6, "setting");
    auto result = orderedResult();
    addMember(*result, "npv", Value::ofDouble(size * o.npv));
    const std::tuple<std::string_view, std::string_view, double> kMeasures[] = {
        {"calcDelta", "delta", o.delta},
        {"calcGamma", "gamma", o.gamma},
        {"calcVega", "vega", o.vega},
        {"calcTheta", "theta", o.theta},
        {"calcRhoDomestic", "rhoDomestic", o.rhoDomestic},
        {"calcRhoForeign", "rhoForeign", o.rhoForeign}};
    for (const auto& [key, name, value] : kMeasures) {
        if (wanted.flag(key, false)) addMember(*result, name, Value::ofDouble(size * value));
    }
    return Value::of(std::move(result));
}

// fxEuropeanOptionPricer(instrument, pricingDate, spot, domesticCurve, foreignCurve, volSurf, [setting])
Value optionKernel(Context& context, Arguments a) {
    const FxRows all(a, 6);
    const auto surfaces =
        all.rows.readEach<VolatilitySurface>(5, [](const Value& surface) { return VolatilitySurface(surface, 5); });
    return all.rows.map(context, [&](size_t i) {
        return optionResult(all.row(i), all.rows.of(surfaces, i), isGiven(a, 6) ? &a[6] : nullptr);
    });
}

std::string curveExample(std::string_view currency, double rate) {
    return fmt::format(
        "parseMktData({{mktDataType: 'Curve', curveType: 'IrYieldCurve', referenceDate: 2025.08.18, currency: '{}', "
        "dayCountConvention: 'Actual365', compounding: 'Continuous', interpMethod: 'Linear', extrapMethod: 'Flat', "
        "dates: "
        "[2026.08.18], values: [{}]}})",
        currency, rate);
}

}  // namespace

void registerFxPricers(FunctionRegistry& registry) {
    const std::string common =
        "Each argument is one, or a tuple or vector with one for each row.\npricingDate: DATE\nspot: the rate of "
        "exchange, above 0\ndomesticCurve, foreignCurve: curves of rates as parseMktData returns them, of the second "
        "and "
        "the first currency of the pair\n";
    const std::string errors =
        "An instrument is no such contract; its currency is none of the pair; the arguments differ in length.";
    const std::string curves = fmt::format("7.2, {}, {}", curveExample("CNY", 0.01), curveExample("USD", 0.04));
    registry.add("fxForwardPricer(instrument, pricingDate, spot, domesticCurve, foreignCurve)", forwardKernel,
                 {.summary = "What forwards of currencies are worth, in the pair's second currency, as DOUBLE.",
                  .parameters = common + "instrument: FxForward as parseInstrument returns it",
                  .nulls = "There must be none.",
                  .errors = errors,
                  .complexity = "O(log points) for each row",
                  .source = "covered interest parity",
                  .example = fmt::format(
                      "round(fxForwardPricer(parseInstrument({{productType: 'Forward', forwardType: "
                      "'FxForward', expiry: 2026.08.14, delivery: 2026.08.18, currencyPair: 'USDCNY', direction: "
                      "'Buy', notional: ('USD', 100.0), strike: 7.0}}), 2025.08.18, {}), 2) -> -1.27",
                      curves)});
    registry.add(
        "fxSwapPricer(instrument, pricingDate, spot, domesticCurve, foreignCurve)", swapKernel,
        {.summary =
             "What swaps of currencies are worth, in the pair's second currency, as DOUBLE: the near exchange less "
             "the far one.",
         .parameters = common + "instrument: FxSwap as parseInstrument returns it",
         .nulls = "There must be none.",
         .errors = errors,
         .complexity = "O(log points) for each row",
         .source = "covered interest parity",
         .example =
             fmt::format("round(fxSwapPricer(parseInstrument({{productType: 'Swap', swapType: 'FxSwap', "
                         "currencyPair: 'USDCNY', direction: 'Buy', notional: ('USD', 100.0), nearStrike: 7.2, "
                         "nearExpiry: 2025.08.18, nearDelivery: 2025.08.18, farStrike: 7.0, farExpiry: 2026.08.14, "
                         "farDelivery: 2026.08.18}}), 2025.08.18, {}), 2) -> 1.27",
                         curves)});
    registry.add(
        "fxEuropeanOptionPricer(instrument, pricingDate, spot, domesticCurve, foreignCurve, volSurf, [setting])",
        optionKernel,
        {.summary =
             "What European options on rates of exchange are worth, in the pair's second currency, as DOUBLE; with "
             "setting a dictionary of npv and the sensitivities asked for, for the whole amount.",
         .parameters =
             common +
             "instrument: FxEuropeanOption as parseInstrument returns it\nvolSurf: a surface of volatilities as "
             "parseMktData returns it\nsetting: a dictionary of calcDelta, calcGamma, calcVega, calcTheta, "
             "calcRhoDomestic, calcRhoForeign",
         .nulls = "There must be none.",
         .errors = errors,
         .complexity = "O(log points) for each row",
         .source = "Garman, Kohlhagen 1983",
         .example = fmt::format(
             "round(fxEuropeanOptionPricer(parseInstrument({{productType: 'Option', optionType: 'EuropeanOption', "
             "assetType: 'FxEuropeanOption', notional: ('USD', 100.0), strike: 7.0, maturity: 2026.08.18, payoffType: "
             "'Call', dayCountConvention: 'Actual365', underlying: 'USDCNY'}}), 2025.08.18, {}, "
             "parseMktData({{mktDataType: "
             "'Surface', surfaceType: 'FxVolatilitySurface', referenceDate: 2025.08.18, smileMethod: 'Linear', "
             "termDates: "
             "[2026.08.18], volSmiles: [{{strikes: 6.0 8.0, vols: 0.1 0.1}}], currencyPair: 'USDCNY'}})), 1) -> 27",
             curves)});
}

}  // namespace pelorus
