// bondCalculator: price, yield and sensitivities of bonds from one of them.
#include <fmt/format.h>

#include <cmath>

#include "common/error.h"
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

// bondCalculator(start, maturity, issuePrice, coupon, frequency, dayCountConvention, bondType, calendar,
// businessDayConvention, settlement, price, priceType, [calcRisk], [benchmark])
Value bondCalculatorKernel(Context& context, Arguments a) {
    const bool wantsRisk = flagArgument(a, 12, "calcRisk", false);
    if (stringArgument(a, 13, "benchmark", "Qeubee") != "Qeubee") refuseArgument(13, "benchmark", "Qeubee", a[13]);
    const RowArguments rows(a, {12, 13});
    std::vector<Value> results;
    for (size_t row = 0; row < rows.rows(); ++row) {
        context.checkCancelled();
        if (rows.text(7, row, "calendar") != "CFET") refuseArgument(7, "calendar", "CFET", a[7]);
        if (rows.text(8, row, "businessDayConvention") != "Unadjusted")
            refuseArgument(8, "businessDayConvention", "Unadjusted", a[8]);
        bool isKnown = true;
        Bond bond = bondAt(rows, row, true, isKnown);
        bond.isInterbank = true;
        const int64_t settlement = rows.date(9, row, "settlement");
        const double price = rows.number(10, row, "price");
        const std::string kind = rows.text(11, row, "priceType");
        if (kind != "YTM" && kind != "CleanPrice" && kind != "DirtyPrice")
            throw UserError(11, fmt::format("priceType must be YTM, CleanPrice or DirtyPrice, but it is {}.", kind));
        double dirty = null<double>, yield = null<double>, accrued = null<double>;
        if (isKnown && !isNull(settlement) && !isNull(price)) {
            constexpr int64_t kMostSteps = 100;
            accrued = bond.accruedInterest(settlement);
            if (kind == "YTM") {
                yield = price;
                dirty = bond.dirtyPrice(settlement, price);
            } else if (!isNull(accrued)) {
                dirty = kind == "DirtyPrice" ? price : price + accrued;
                yield = bond.yieldOf(settlement, dirty, kMostSteps);
            }
        }
        const bool isPriced = !isNull(dirty) && !isNull(accrued);
        auto result = orderedResult();
        addMember(*result, "dirtyPrice", Value::ofDouble(dirty));
        addMember(*result, "cleanPrice", Value::ofDouble(isPriced ? dirty - accrued : null<double>));
        addMember(*result, "ytm", Value::ofDouble(yield));
        addMember(*result, "accruedInterest", Value::ofDouble(accrued));
        if (wantsRisk) {
            const bool hasYield = isPriced && !isNull(yield);
            const double modified = hasYield ? bond.modifiedDuration(settlement, yield) : null<double>;
            addMember(*result, "macaulayDuration",
                      Value::ofDouble(hasYield ? bond.duration(settlement, yield) : null<double>));
            addMember(*result, "modifiedDuration", Value::ofDouble(modified));
            addMember(*result, "convexity",
                      Value::ofDouble(hasYield ? bond.convexity(settlement, yield) : null<double>));
            addMember(*result, "pvbp", Value::ofDouble(isNull(modified) ? modified : modified * dirty / 10000));
        }
        results.push_back(Value::of(std::move(result)));
    }
    if (rows.areScalars()) return results[0];
    return Value::of(makeRef<Tuple>(std::move(results)));
}

}  // namespace

void registerBondCalculator(FunctionRegistry& registry) {
    registry.add(
        "bondCalculator(start, maturity, issuePrice, coupon, frequency, dayCountConvention, bondType, calendar, "
        "businessDayConvention, settlement, price, priceType, [calcRisk=false], [benchmark='Qeubee'])",
        bondCalculatorKernel,
        {.summary =
             "Dirty and clean price, yield to maturity and accrued interest of bonds from one of the first three, as "
             "a dictionary, or a tuple of them for vectors; with calcRisk also durations, convexity and the value "
             "of a basis point (pvbp).",
         .parameters =
             "Each argument is a scalar, which repeats, or a vector of one length.\nstart, maturity, settlement: DATE\n"
             "issuePrice: the price at issue; of bonds other than Discount usually 100\n"
             "coupon: the rate of a year, 0.03 for 3 %\nfrequency: 0, 1, 2, 4 or 12, or Once, Annual, Semiannual, "
             "Quarterly, Monthly\ndayCountConvention: Thirty360US, ActualActualISMA, Actual360, Actual365, "
             "Thirty360EU, "
             "ActualActualISDA\nbondType: FixedRate, Discount, ZeroCoupon\ncalendar: CFET\n"
             "businessDayConvention: Unadjusted\nprice: a number, as priceType says\npriceType: YTM, CleanPrice or "
             "DirtyPrice\ncalcRisk: whether the sensitivities are wanted\nbenchmark: Qeubee",
         .nulls = "NULL where an argument is NULL, or settlement is before start or not before maturity.",
         .errors = "The vectors differ in length; a name is unknown; maturity is not after start.",
         .complexity = "O(payments) for each row and step of Newton's method",
         .source = "China's interbank market: simple interest in the last period and of bonds without coupons, whose "
                   "years have 365 days",
         .example = "round(bondCalculator(2022.07.15, 2072.07.15, 100, 0.034, \"Semiannual\", \"ActualActualISMA\", "
                    "\"FixedRate\", \"CFET\", \"Unadjusted\", 2025.04.10, 0.02, \"YTM\")[`dirtyPrice], 4) -> 143.4689"
                    "\nbondCalculator(2022.07.15, 2072.07.15, 100, 0.034, \"Semiannual\", \"ActualActualISMA\", "
                    "\"FixedRate\", \"CFET\", \"Unadjusted\", 2025.04.10, 0.02, \"YTM\", true)"});
}

}  // namespace pelorus
