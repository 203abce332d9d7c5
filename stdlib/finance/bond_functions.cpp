// Bonds as functions of the script: bondAccrInt, bondDirtyPrice, bondYield, bondDuration, bondConvexity, bondCashflow,
// yearFrac, treasuryConversionFactor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "runtime/table/table.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/finance/bond.h"
#include "stdlib/finance/bond_arguments.h"
#include "stdlib/finance/row_arguments.h"
#include "stdlib/named_results.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

void requireExcel(Arguments a, size_t i) {
    const std::string benchmark = stringArgument(a, i, "benchmark", "Excel");
    if (benchmark != "Excel") refuseArgument(i, "benchmark", "Excel", a[i]);
}

// bondAccrInt(start, maturity, issuePrice, coupon, frequency, dayCountConvention, bondType, settlement, [benchmark])
Value accruedKernel(Context&, Arguments a) {
    requireExcel(a, 8);
    const RowArguments rows(a, {8});
    return rows.map([&](size_t row) {
        bool isKnown = true;
        const Bond bond = bondAt(rows, row, true, isKnown);
        const int64_t settlement = rows.date(7, row, "settlement");
        return isKnown && !isNull(settlement) ? bond.accruedInterest(settlement) : null<double>;
    });
}

// Maps (bond, settlement, price, priceType) with f.
template <class F>
Value mapPriced(Arguments a, size_t benchmarkAt, std::vector<size_t> ignored, F f) {
    requireExcel(a, benchmarkAt);
    ignored.push_back(benchmarkAt);
    const RowArguments rows(a, std::move(ignored));
    return rows.map([&](size_t row) {
        bool isKnown = true;
        const Bond bond = bondAt(rows, row, true, isKnown);
        const int64_t settlement = rows.date(7, row, "settlement");
        const double price = rows.number(8, row, "price");
        const std::string kind = rows.text(9, row, "priceType");
        return isKnown && !isNull(settlement) && !isNull(price) ? f(bond, settlement, price, kind, rows, row)
                                                                : null<double>;
    });
}

[[noreturn]] void refuseKind(std::string_view needed, std::string_view given) {
    throw UserError(9, fmt::format("priceType must be {}, but it is {}.", needed, given));
}

// bondDirtyPrice(…, settlement, price, priceType, [benchmark])
Value dirtyPriceKernel(Context&, Arguments a) {
    return mapPriced(
        a, 10, {},
        [](const Bond& bond, int64_t settlement, double price, const std::string& kind, const RowArguments&, size_t) {
            if (kind == "YTM") return bond.dirtyPrice(settlement, price);
            if (kind != "CleanPrice") refuseKind("YTM or CleanPrice", kind);
            const double accrued = bond.accruedInterest(settlement);
            return isNull(accrued) ? accrued : price + accrued;
        });
}

template <double (Bond::*kMeasure)(int64_t, double) const>
Value sensitivityKernel(Context&, Arguments a) {
    return mapPriced(
        a, 10, {},
        [](const Bond& bond, int64_t settlement, double price, const std::string& kind, const RowArguments&, size_t) {
            if (kind != "YTM") refuseKind("YTM", kind);
            return (bond.*kMeasure)(settlement, price);
        });
}

// bondYield(…, settlement, price, priceType, [method], [maxIter], [benchmark])
Value yieldKernel(Context&, Arguments a) {
    constexpr std::array<std::string_view, 6> kMethods = {"newton", "brent", "brentq", "nm", "bfgs", "lbfgs"};
    return mapPriced(
        a, 12, {},
        [&](const Bond& bond, int64_t settlement, double price, const std::string& kind, const RowArguments& rows,
            size_t row) {
            if (kind != "CleanPrice" && kind != "DirtyPrice") refuseKind("CleanPrice or DirtyPrice", kind);
            if (rows.isGiven(10) && std::ranges::find(kMethods, rows.text(10, row, "method")) == kMethods.end())
                throw UserError(10, "method must be newton, brent, nm, bfgs or lbfgs.");
            constexpr int64_t kMostSteps = 10000;
            const int64_t steps = rows.isGiven(11) ? rows.integer(11, row, "maxIter") : 100;
            if (steps < 1) throw UserError(11, "maxIter must be 1 or more.");
            const double accrued = kind == "CleanPrice" ? bond.accruedInterest(settlement) : 0;
            return isNull(accrued) ? accrued : bond.yieldOf(settlement, price + accrued, std::min(steps, kMostSteps));
        });
}

Value paymentsTable(const std::vector<Payment>& payments) {
    std::vector<int32_t> dates;
    std::vector<double> coupons, notionals, totals;
    for (const Payment& p : payments) {
        dates.push_back(static_cast<int32_t>(p.date));
        coupons.push_back(p.coupon);
        notionals.push_back(p.notional);
        totals.push_back(p.coupon + p.notional);
    }
    auto table = makeRef<MemoryTable>(std::vector<std::string>{"paymentDate", "coupon", "notional", "total"},
                                      std::vector<Value>{Value::of(Vector::of(Type::Date, dates)), realsOf(coupons),
                                                         realsOf(notionals), realsOf(totals)});
    return Value::of(Ref<Table>(table));
}

// bondCashflow(start, maturity, coupon, frequency, dayCountConvention, bondType, [mode])
Value cashflowKernel(Context& context, Arguments a) {
    const std::string mode = stringArgument(a, 6, "mode", "Vector");
    if (mode != "Vector" && mode != "Table") refuseArgument(6, "mode", "Vector or Table", a[6]);
    const RowArguments rows(a, {6});
    std::vector<Value> results;
    for (size_t row = 0; row < rows.rows(); ++row) {
        context.checkCancelled();
        bool isKnown = true;
        const Bond bond = bondAt(rows, row, false, isKnown);
        const std::vector<Payment> payments = isKnown ? bond.payments() : std::vector<Payment>{};
        if (mode == "Table") {
            results.push_back(paymentsTable(payments));
            continue;
        }
        std::vector<double> totals;
        for (const Payment& p : payments) totals.push_back(p.coupon + p.notional);
        results.push_back(Value::of(Vector::of(Type::Double, totals)));
    }
    if (rows.areScalars()) return results[0];
    return Value::of(makeRef<Tuple>(std::move(results)));
}

// yearFrac(dayCountConvention, start, end, [referenceStart], [referenceEnd])
Value yearFracKernel(Context&, Arguments a) {
    const RowArguments rows(a);
    return rows.map([&](size_t row) {
        const DayCount convention = dayCountAt(rows, 0, row);
        const int64_t from = rows.date(1, row, "start"), to = rows.date(2, row, "end");
        if (rows.isGiven(3) != rows.isGiven(4)) throw UserError(3, "Give referenceStart and referenceEnd together.");
        if (isNull(from) || isNull(to)) return null<double>;
        if (!rows.isGiven(3)) return yearFraction(convention, from, to);
        const int64_t first = rows.date(3, row, "referenceStart"), last = rows.date(4, row, "referenceEnd");
        if (isNull(first) || isNull(last)) return null<double>;
        if (first >= last) throw UserError(4, "referenceEnd must be after referenceStart.");
        return yearFraction(convention, from, to, std::pair(first, last));
    });
}

// Returns payments a year: a count, or the duration between two.
double paymentsAt(const Value& frequency, size_t row) {
    const Value one = frequency.isScalar() ? frequency : frequency.vector().at(static_cast<int64_t>(row));
    if (frequency.type() == Type::Duration) {
        const std::string text = toString(one);
        const double amount = text.empty() ? 0 : std::atof(text.c_str());
        const char unit = text.empty() ? ' ' : text.back();
        const double perYear = unit == 'y' ? 1 : unit == 'M' ? 12 : unit == 'w' ? 52 : unit == 'd' ? 365 : 0;
        if (amount > 0 && perYear > 0) return perYear / amount;
    } else if (isIntegral(frequency.type()) && !one.isNull() && one.asLong() > 0) {
        return static_cast<double>(one.asLong());
    }
    throw UserError(4, "frequency must be payments a year, from 1, or a DURATION of y, M, w or d.");
}

// treasuryConversionFactor(contractCoupon, deliverableCoupon, monthsToNextCoupon, remainingPayments, frequency)
Value conversionFactorKernel(Context&, Arguments a) {
    const RowArguments rows(a);
    return rows.map([&](size_t row) {
        const double r = rows.number(0, row, "contractCoupon"), c = rows.number(1, row, "deliverableCoupon");
        const int64_t months = rows.integer(2, row, "monthsToNextCoupon"),
                      left = rows.integer(3, row, "remainingPayments");
        const double f = paymentsAt(a[4], row);
        if (isNull(r) || isNull(c) || isNull(months) || isNull(left)) return null<double>;
        if (r < 0 || c < 0 || months < 0 || left < 0) throw UserError(0, "The coupons and counts must be 0 or more.");
        return conversionFactor(r, c, static_cast<double>(months) * f / 12, static_cast<double>(left), f);
    });
}

constexpr std::string_view kBond =
    "start, maturity: DATE\nissuePrice: the price at issue; of bonds other than Discount usually 100\n"
    "coupon: the rate of a year, 0.03 for 3 %\n"
    "frequency: 0, 1, 2, 4 or 12 payments a year, or Once, Annual, Semiannual, Quarterly, Monthly\n"
    "dayCountConvention: Thirty360US, ActualActualISMA, Actual360, Actual365, Thirty360EU, ActualActualISDA\n"
    "bondType: FixedRate, Discount (pays 100 at maturity), ZeroCoupon (pays 100 and all interest at maturity)\n";
constexpr std::string_view kPriced = "settlement: DATE\nprice: a number, as priceType says\n";
constexpr std::string_view kScalars = "Each argument is a scalar, which repeats, or a vector of one length.\n";
constexpr std::string_view kNulls =
    "NULL where an argument is NULL, or settlement is before start or not before maturity.";
constexpr std::string_view kErrors =
    "The vectors differ in length; an argument has another type; a name is unknown; maturity is not after start.";
constexpr std::string_view kSource =
    "Excel's PRICE, YIELD and DURATION, with coupon dates counted back from maturity; simple interest in the last "
    "period";
constexpr std::string_view kBondCall =
    "(2023.01.01, 2030.12.31, 100, 0.05, 1, \"ActualActualISMA\", \"FixedRate\", 2023.04.01";

}  // namespace

void registerBonds(FunctionRegistry& registry) {
    const std::string arguments =
        "start, maturity, issuePrice, coupon, frequency, dayCountConvention, bondType, settlement";
    const std::string bond = fmt::format("{}{}", kScalars, kBond), priced = fmt::format("{}{}", bond, kPriced);
    const std::string excel = "benchmark: Excel";
    const auto add = [&](const std::string& syntax, Kernel kernel, std::string_view summary,
                         const std::string& parameters, const std::string& example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameters,
                      .nulls = kNulls,
                      .errors = kErrors,
                      .complexity = "O(rows · payments)",
                      .source = kSource,
                      .example = example});
    };
    const auto call = [&](std::string_view name, std::string_view rest, std::string_view result) {
        return fmt::format("round({}{}{}), 6) -> {}\n{}{}{})", name, kBondCall, rest, result, name, kBondCall, rest);
    };
    add("bondAccrInt(" + arguments + ", [benchmark='Excel'])", accruedKernel,
        "The interest that has accrued on a face value of 100, as DOUBLE.", bond + "settlement: DATE\n" + excel,
        call("bondAccrInt", "", "1.232877"));
    add("bondDirtyPrice(" + arguments + ", price, priceType, [benchmark='Excel'])", dirtyPriceKernel,
        "The price with accrued interest of a face value of 100, as DOUBLE.",
        priced + "priceType: YTM (price is the yield) or CleanPrice\n" + excel,
        call("bondDirtyPrice", ", 100.2143, \"CleanPrice\"", "101.447177"));
    add("bondDuration(" + arguments + ", price, priceType, [benchmark='Excel'])", sensitivityKernel<&Bond::duration>,
        "Macaulay's duration in years, as DOUBLE.", priced + "priceType: YTM (price is the yield)\n" + excel,
        call("bondDuration", ", 0.03, \"YTM\"", "6.628496"));
    add("bondConvexity(" + arguments + ", price, priceType, [benchmark='Excel'])", sensitivityKernel<&Bond::convexity>,
        "The convexity, the second derivative of the price by the yield as a share of the price, as DOUBLE.",
        priced + "priceType: YTM (price is the yield)\n" + excel,
        call("bondConvexity", ", 0.03, \"YTM\"", "51.864348"));
    add("bondYield(" + arguments + ", price, priceType, [method='newton'], [maxIter=100], [benchmark='Excel'])",
        yieldKernel, "The yield to maturity at a price, as DOUBLE; NULL when none is found.",
        priced +
            "priceType: CleanPrice or DirtyPrice\nmethod: newton, brent, nm, bfgs or lbfgs: all are answered by "
            "Newton's method, to full precision\nmaxIter: the most steps, from 1; more than 10000 count as 10000\n" +
            excel,
        call("bondYield", ", 100.2143, \"CleanPrice\"", "0.049625"));
    registry.alias("fiAccrInt", "bondAccrInt");
    registry.alias("fiDirtyPrice", "bondDirtyPrice");
    registry.alias("fiDuration", "bondDuration");
    registry.alias("fiConvexity", "bondConvexity");
    registry.add(
        "bondCashflow(start, maturity, coupon, frequency, dayCountConvention, bondType, [mode='Vector'])",
        cashflowKernel,
        {.summary = "What a face value of 100 pays: a vector of DOUBLE, or a table of paymentDate, coupon, notional "
                    "and total; a tuple of them for several bonds.",
         .parameters = bond + "mode: Vector or Table",
         .nulls = "No payments where an argument is NULL.",
         .errors = kErrors,
         .complexity = "O(payments)",
         .source = kSource,
         .example = "bondCashflow(2022.09.28, 2025.09.28, 0.07, \"Annual\", \"Thirty360US\", \"FixedRate\") -> "
                    "[7,7,107]"});
    registry.add(
        "yearFrac(dayCountConvention, start, end, [referenceStart], [referenceEnd])", yearFracKernel,
        {.summary = "The share of a year between two dates, as DOUBLE.",
         .parameters = "dayCountConvention: Thirty360US, ActualActualISMA, Actual360, Actual365, Thirty360EU, "
                       "ActualActualISDA\nstart, end: DATE\nreferenceStart, referenceEnd: the coupon period that "
                       "ActualActualISMA counts by, by default start and end\nEach is a scalar or a vector.",
         .nulls = "NULL where an argument is NULL.",
         .errors = kErrors,
         .complexity = "O(rows)",
         .source = "ISDA 2006 definitions, section 4.16; ISMA rule 251",
         .example = "yearFrac(\"Actual360\", 2024.01.01, 2024.03.31) -> 0.25"});
    registry.add(
        "treasuryConversionFactor(contractCoupon, deliverableCoupon, monthsToNextCoupon, remainingPayments, frequency)",
        conversionFactorKernel,
        {.summary = "The conversion factor of a bond that can be delivered into a treasury future, as DOUBLE.",
         .parameters =
             "contractCoupon: the rate of the contract\ndeliverableCoupon: that of the bond\n"
             "monthsToNextCoupon: months from the delivery to the next coupon\n"
             "remainingPayments: coupons that are left\nfrequency: coupons a year, or the DURATION between two\n"
             "Each is a scalar or a vector.",
         .nulls = "NULL where an argument is NULL.",
         .errors = "An argument is below 0; frequency is none; the vectors differ in length.",
         .complexity = "O(rows)",
         .source = "China Financial Futures Exchange, formula of conversion factors",
         .example = "round(treasuryConversionFactor(0.03, 0.032, 2, 1, 4), 6) -> 1.000325"});
}

}  // namespace pelorus
