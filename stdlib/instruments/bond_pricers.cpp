// bondPricer, bondFuturesPricer, irDepositPricer: values of bonds, futures on them and deposits over curves of rates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/instruments/described_bond.h"
#include "stdlib/instruments/priced_rows.h"
#include "stdlib/instruments/yield_curve.h"
#include "stdlib/named_results.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

auto readsCurve(size_t argument) {
    return [argument](const Value& curve) { return YieldCurve(curve, argument); };
}
auto readsBond(size_t argument) {
    return [argument](const Value& bond) { return describedBond(bond, argument); };
}

// Returns what all payments behind a day are worth on it, of a face value of 100. `spread` may be null.
double presentValue(const std::vector<Payment>& payments, int64_t day, const YieldCurve& curve,
                    const YieldCurve* spread) {
    double sum = 0;
    for (const Payment& p : payments) {
        if (p.date <= day) continue;
        const double years = curve.yearsTo(p.date);
        const double over = spread == nullptr ? 0 : spread->rate(spread->yearsTo(p.date));
        sum += (p.coupon + p.notional) * curve.discount(years, over);
    }
    return sum / curve.discountTo(day);
}

struct BondSettings {
    bool wantsDelta = false, wantsGamma = false, wantsKeyRates = false;
    double shift = 0.0001;
    std::vector<double> keyTerms, keyShifts;
};

BondSettings settingsOf(const Value& given, size_t argument) {
    const Description d(given, argument, "setting");
    BondSettings s{.wantsDelta = d.flag("calcDiscountCurveDelta", false),
                   .wantsGamma = d.flag("calcDiscountCurveGamma", false),
                   .wantsKeyRates = d.flag("calcDiscountCurveKeyRateDuration", false),
                   .shift = d.number("discountCurveShift", 0.0001)};
    if (!(s.shift > 0)) d.refuse("discountCurveShift", "above 0");
    if (!s.wantsKeyRates) return s;
    const auto numbers = [&](std::string_view name) {
        return d.get(name).isScalar() ? std::vector{d.number(name)} : d.numbers(name);
    };
    s.keyTerms = numbers("discountCurveKeyTerms");
    s.keyShifts = numbers("discountCurveKeyShifts");
    if (s.keyTerms.empty() || s.keyTerms.size() != s.keyShifts.size())
        d.refuse("discountCurveKeyShifts", "as long as discountCurveKeyTerms, one or more");
    if (std::ranges::adjacent_find(s.keyTerms, std::greater_equal<>()) != s.keyTerms.end())
        d.refuse("discountCurveKeyTerms", "ascending, without equal terms");
    if (std::ranges::any_of(s.keyShifts, [](double shift) { return !(shift > 0); }))
        d.refuse("discountCurveKeyShifts", "above 0");
    return s;
}

// Returns the weight of a key term at a time: one there, falling to none at its neighbours; the outer ones do not fall
// outwards.
double keyWeight(const std::vector<double>& terms, size_t key, double years) {
    const double at = terms[key];
    if (years <= at) {
        if (key == 0) return 1;
        return std::max(0.0, (years - terms[key - 1]) / (at - terms[key - 1]));
    }
    if (key + 1 == terms.size()) return 1;
    return std::max(0.0, (terms[key + 1] - years) / (terms[key + 1] - at));
}

Value bondResult(const DescribedBond& bond, int64_t day, const YieldCurve& curve, const YieldCurve* spread,
                 const std::optional<BondSettings>& settings) {
    const std::vector<Payment> payments = bond.bond.payments();
    const double unit = bond.nominal / 100;
    const auto worth = [&](const YieldCurve& c) { return unit * presentValue(payments, day, c, spread); };
    const auto moved = [&](double by) { return worth(curve.shifted([by](double) { return by; })); };
    const double npv = worth(curve);
    if (!settings) return Value::ofDouble(npv);
    auto result = orderedResult();
    addMember(*result, "npv", Value::ofDouble(npv));
    const double h = settings->shift;
    if (settings->wantsDelta)
        addMember(*result, "discountCurveDelta", Value::ofDouble((moved(h) - moved(-h)) / (2 * h)));
    if (settings->wantsGamma)
        addMember(*result, "discountCurveGamma", Value::ofDouble((moved(h) - 2 * npv + moved(-h)) / (h * h)));
    if (settings->wantsKeyRates) {
        std::vector<double> durations;
        for (size_t key = 0; key < settings->keyTerms.size(); ++key) {
            const double by = settings->keyShifts[key];
            const auto bent = [&](double size) {
                return worth(curve.shifted([terms = settings->keyTerms, key, size](double years) {
                    return size * keyWeight(terms, key, years);
                }));
            };
            durations.push_back((bent(-by) - bent(by)) / (2 * by * npv));
        }
        addMember(*result, "discountCurveKeyRateDuration", realsOf(durations));
    }
    return Value::of(std::move(result));
}

// bondPricer(instrument, pricingDate, discountCurve, [spreadCurve], [setting])
Value bondPricerKernel(Context& context, Arguments a) {
    const bool hasSpread = isGiven(a, 3);
    const PricedRows rows(a, hasSpread ? 4 : 3);
    const auto bonds = rows.readEach<DescribedBond>(0, readsBond(0));
    const auto curves = rows.readEach<YieldCurve>(2, readsCurve(2));
    const auto spreads = hasSpread ? rows.readEach<YieldCurve>(3, readsCurve(3)) : std::vector<YieldCurve>{};
    std::optional<BondSettings> settings;
    if (isGiven(a, 4)) settings = settingsOf(a[4], 4);
    return rows.map(context, [&](size_t row) {
        return bondResult(rows.of(bonds, row), rows.date(1, row, "pricingDate"), rows.of(curves, row),
                          hasSpread ? &rows.of(spreads, row) : nullptr, settings);
    });
}

// Returns the conversion factor of a bond on a settlement; months to the next payment are rounded.
double factorOf(const Bond& bond, int64_t settlement, double nominalRate, const std::vector<Payment>& payments) {
    double left = 0;
    int64_t next = bond.maturity;
    for (const Payment& p : payments) {
        if (p.date <= settlement) continue;
        ++left;
        next = std::min(next, p.date);
    }
    const double frequency = std::max(bond.frequency, 1);
    const double months = std::round(static_cast<double>(next - settlement) / 365.25 * 12);
    return conversionFactor(nominalRate, bond.coupon, months * frequency / 12, left, frequency);
}

// bondFuturesPricer(instrument, pricingDate, discountCurve)
Value futuresPricerKernel(Context& context, Arguments a) {
    const PricedRows rows(a, 3);
    const auto curves = rows.readEach<YieldCurve>(2, readsCurve(2));
    return rows.map(context, [&](size_t row) {
        const Description d(rows.at(0, row), 0, "The futures");
        if (d.text("futuresType", "") != "BondFutures") d.refuse("futuresType", "BondFutures");
        const DescribedBond bond = describedBond(d.get("underlying"), 0);
        const int64_t day = rows.date(1, row, "pricingDate"), settlement = d.date("settlement");
        if (settlement < day || settlement >= bond.bond.maturity)
            d.refuse("settlement", "on or after pricingDate, before the bond's maturity");
        const YieldCurve& curve = rows.of(curves, row);
        const std::vector<Payment> payments = bond.bond.payments();
        // The price at which the bond is bought on the settlement, without what it has earned until then.
        const double forward = presentValue(payments, settlement, curve, nullptr);
        const double earned = bond.bond.accruedInterest(settlement);
        const double factor = factorOf(bond.bond, settlement, d.number("nominalCouponRate"), payments);
        return Value::ofDouble((forward - (isNull(earned) ? 0 : earned)) / factor * d.number("nominal", 100) / 100);
    });
}

// irDepositPricer(instrument, pricingDate, discountCurve)
Value depositPricerKernel(Context& context, Arguments a) {
    const PricedRows rows(a, 3);
    const auto curves = rows.readEach<YieldCurve>(2, readsCurve(2));
    return rows.map(context, [&](size_t row) {
        const Description d(rows.at(0, row), 0, "The deposit");
        if (d.text("assetType", "") != "Deposit") d.refuse("assetType", "Deposit");
        const int64_t day = rows.date(1, row, "pricingDate"), start = d.date("start"), maturity = d.date("maturity");
        if (maturity <= day) return Value::ofDouble(0);
        const auto dayCount = dayCountOf(d.text("dayCountConvention"));
        if (!dayCount) d.refuse("dayCountConvention", "a day count, as ActualActualISDA or Actual365");
        const YieldCurve& curve = rows.of(curves, row);
        const double paid = 1 + d.number("rate") * yearFraction(*dayCount, start, maturity);
        double value = paid * curve.discountTo(maturity) / curve.discountTo(day);
        if (start > day) value -= curve.discountTo(start) / curve.discountTo(day);  // what is paid in is still to come
        const double sign = d.text("payReceive") == "Pay" ? -1 : 1;
        return Value::ofDouble(sign * d.number("notionalAmount") * value);
    });
}

constexpr std::string_view kRows = "Each argument is one, or a tuple or vector with one for each row.\n";
constexpr std::string_view kCurve =
    "parseMktData({mktDataType: 'Curve', curveType: 'IrYieldCurve', referenceDate: 2025.06.10, currency: 'CNY', "
    "dayCountConvention: 'Actual365', compounding: 'Continuous', interpMethod: 'Linear', extrapMethod: 'Flat', dates: "
    "2025.07.25 2030.09.25, values: 0.015 0.015})";
constexpr std::string_view kBond =
    "{productType: 'Cash', assetType: 'Bond', bondType: 'FixedRateBond', start: 2022.05.15, maturity: 2032.05.15, "
    "coupon: "
    "0.0276, frequency: 'Semiannual', dayCountConvention: 'ActualActualISMA'}";

}  // namespace

void registerBondPricers(FunctionRegistry& registry) {
    const std::string common = std::string(kRows) +
                               "pricingDate: DATE\ndiscountCurve: a curve of rates as parseMktData "
                               "returns it\n";
    registry.add(
        "bondPricer(instrument, pricingDate, discountCurve, [spreadCurve], [setting])", bondPricerKernel,
        {.summary =
             "What the payments of bonds behind a day are worth on it, as DOUBLE; with setting a dictionary of npv "
             "and the sensitivities asked for.",
         .parameters = common +
                       "instrument: a DiscountBond, ZeroCouponBond or FixedRateBond as parseInstrument returns it\n"
                       "spreadCurve: rates that are added to those of discountCurve\n"
                       "setting: a dictionary: calcDiscountCurveDelta and calcDiscountCurveGamma (the first two "
                       "derivatives by a parallel shift, from steps of discountCurveShift), "
                       "calcDiscountCurveKeyRateDuration (by shifts of discountCurveKeyShifts around "
                       "discountCurveKeyTerms in years, as shares of npv)",
         .nulls = "There must be none.",
         .errors = "An instrument is no such bond; a curve is none of rates; the arguments differ in length.",
         .complexity = "O(payments · log points) for each row and shift",
         .source = "discounting; Ho 1992 for key rates",
         .example = fmt::format("round(bondPricer(parseInstrument({}), 2025.06.10, {}), 2) -> 108.41", kBond, kCurve)});
    registry.add(
        "bondFuturesPricer(instrument, pricingDate, discountCurve)", futuresPricerKernel,
        {.summary =
             "Prices of futures on bonds: the bond's forward price on the settlement without accrued interest, by "
             "the conversion factor (treasuryConversionFactor), as DOUBLE.",
         .parameters = common + "instrument: BondFutures as parseInstrument returns it",
         .nulls = "There must be none.",
         .errors = "An instrument is none; settlement is before pricingDate; the arguments differ in length.",
         .complexity = "O(payments · log points) for each row",
         .source = "China Financial Futures Exchange, conversion factors",
         .example = fmt::format(
             "round(bondFuturesPricer(parseInstrument({{productType: 'Futures', futuresType: 'BondFutures', nominal: "
             "100.0, maturity: 2025.09.12, settlement: 2025.09.16, nominalCouponRate: 0.03, underlying: {}}}), "
             "2025.06.10, "
             "{}), 1) -> 109.5",
             kBond, kCurve)});
    registry.add(
        "irDepositPricer(instrument, pricingDate, discountCurve)", depositPricerKernel,
        {.summary = "What deposits are worth on a day, as DOUBLE: what is paid back, less what is still to be paid in.",
         .parameters = common + "instrument: a Deposit as parseInstrument returns it",
         .nulls = "There must be none.",
         .errors = "An instrument is no deposit; the arguments differ in length.",
         .complexity = "O(log points) for each row",
         .example = fmt::format(
             "round(irDepositPricer(parseInstrument({{productType: 'Cash', assetType: 'Deposit', start: 2025.05.15, "
             "maturity: 2025.08.15, rate: 0.02, dayCountConvention: 'Actual360', notional: ('CNY', 1000.0), "
             "payReceive: "
             "'Receive'}}), 2025.06.10, {}), 2) -> 1002.39",
             kCurve)});
}

}  // namespace pelorus
