// vanillaOption: what plain options are worth, and how that moves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/finance/day_count.h"
#include "stdlib/finance/option_price.h"
#include "stdlib/finance/row_arguments.h"
#include "stdlib/number_columns.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

DayCount basisAt(const RowArguments& rows, size_t row) {
    if (rows.isText(10)) {
        const std::string name = rows.text(10, row, "basis");
        if (name == "ActualActual") return DayCount::ActualActualIsda;
        if (const auto convention = dayCountOf(name)) return *convention;
    } else {
        constexpr DayCount kBases[] = {DayCount::Thirty360US, DayCount::ActualActualIsda, DayCount::Actual360,
                                       DayCount::Actual365, DayCount::Thirty360EU};
        const int64_t basis = rows.integer(10, row, "basis");
        if (basis >= 0 && basis < 5) return kBases[basis];
    }
    throw UserError(10, "basis must be 0 to 4, or Thirty360US, ActualActual, Actual360, Actual365 or Thirty360EU.");
}

enum class OptionMethod : uint8_t { BlackScholes, Grid, Heston, HestonSpans };

// The members of kwargs: a scalar for all rows, or a vector with one for each.
class MethodArguments {
public:
    MethodArguments(Arguments a) {
        if (isGiven(a, 13)) {
            if (!a[13].isDictionary() || a[13].dictionary().keyType() != Type::String)
                refuseArgument(13, "kwargs", "a dictionary with names as keys", a[13]);
            members_ = a[13];
        }
    }
    // Returns a member at a row.
    double number(std::string_view name, size_t row) const {
        std::vector<Value> held = {member(name)};
        if (held[0].isTypedVector() && row < static_cast<size_t>(held[0].size()))
            held[0] = held[0].at(static_cast<int64_t>(row));
        return realArgument(held, 0, fmt::format("{} of kwargs", name));
    }
    int64_t count(std::string_view name, size_t row, int64_t least) const {
        const double n = number(name, row);
        if (!(n >= static_cast<double>(least) && n <= 100000) || n != std::floor(n))
            throw UserError(13, fmt::format("{} of kwargs must be from {} to 100000.", name, least));
        return static_cast<int64_t>(n);
    }
    // Returns the numbers of a member at a row: a vector for all rows, or the row of an array vector.
    std::vector<double> numbers(std::string_view name, size_t row) const {
        std::vector<Value> held = {member(name)};
        if (held[0].isArrayVector() && row < static_cast<size_t>(held[0].size()))
            held[0] = held[0].at(static_cast<int64_t>(row));
        return columnArgument(held, 0, fmt::format("{} of kwargs", name), NullCells::Refused);
    }

private:
    Value member(std::string_view name) const {
        const Value key = Value::ofString(name);
        if (!members_.isDictionary() || !members_.dictionary().contains(key))
            throw UserError(13, fmt::format("kwargs must have the member {} for this method.", name));
        return members_.dictionary().get(key);
    }
    Value members_;
};

std::vector<HestonSpan> spansAt(const MethodArguments& more, OptionMethod method, size_t row) {
    std::vector<HestonSpan> spans;
    const auto add = [&](double until, double theta, double kappa, double rho, double sigma) {
        if (!(theta >= 0 && kappa > 0 && sigma > 0 && std::abs(rho) <= 1))
            throw UserError(13, "theta must be 0 or more, kappa and sigma above 0, rho from -1 to 1.");
        if (!spans.empty() && !(until > spans.back().until)) throw UserError(13, "times of kwargs must ascend.");
        spans.push_back({until, theta, kappa, rho, sigma});
    };
    if (method == OptionMethod::Heston) {
        add(HUGE_VAL, more.number("theta", row), more.number("kappa", row), more.number("rho", row),
            more.number("sigma", row));
        return spans;
    }
    const std::vector<double> times = more.numbers("times", row), theta = more.numbers("theta", row),
                              kappa = more.numbers("kappa", row), rho = more.numbers("rho", row),
                              sigma = more.numbers("sigma", row);
    const size_t n = times.size();
    if (n == 0 || theta.size() != n || kappa.size() != n || rho.size() != n || sigma.size() != n)
        throw UserError(13, "times, theta, kappa, rho and sigma of kwargs must have one length.");
    for (size_t i = 0; i < n; ++i) add(times[i], theta[i], kappa[i], rho[i], sigma[i]);
    return spans;
}

OptionMethod methodArgument(Arguments a) {
    const std::string name = stringArgument(a, 12, "method", "BS");
    if (name == "BS") return OptionMethod::BlackScholes;
    if (name == "FDBS") return OptionMethod::Grid;
    if (name == "heston") return OptionMethod::Heston;
    if (name == "PTDHeston") return OptionMethod::HestonSpans;
    refuseArgument(12, "method", "BS, FDBS, heston or PTDHeston", a[12]);
}

Greeks nothing() {
    constexpr double kNull = null<double>;
    return {kNull, kNull, kNull, kNull, kNull, kNull};
}

// Differences of prices stand for the derivatives.
Greeks greeksOf(const OptionTerms& terms, const std::vector<HestonSpan>& spans, bool wantsAll) {
    Greeks g = nothing();
    g.npv = heston(terms, spans);
    if (!wantsAll) return g;
    const auto changed = [&](double OptionTerms::*member, double by) {
        OptionTerms other = terms;
        other.*member += by;
        return heston(other, spans);
    };
    const double ds = 1e-3 * terms.spot, dv = 1e-3 * terms.volatility, dr = 1e-4, dt = 1e-4 * terms.years;
    const double up = changed(&OptionTerms::spot, ds), down = changed(&OptionTerms::spot, -ds);
    g.delta = (up - down) / (2 * ds);
    g.gamma = (up - 2 * g.npv + down) / (ds * ds);
    g.theta = -(changed(&OptionTerms::years, dt) - changed(&OptionTerms::years, -dt)) / (2 * dt);
    g.vega = (changed(&OptionTerms::volatility, dv) - changed(&OptionTerms::volatility, -dv)) / (2 * dv);
    g.rho = (changed(&OptionTerms::rate, dr) - changed(&OptionTerms::rate, -dr)) / (2 * dr);
    return g;
}

Greeks priced(const RowArguments& rows, size_t row, OptionMethod method, const MethodArguments& more, bool wantsAll) {
    const int64_t settlement = rows.date(0, row, "settlement"), maturity = rows.date(1, row, "maturity");
    const int64_t now = std::max(settlement, rows.date(2, row, "evalDate"));
    OptionTerms terms{rows.number(3, row, "spot"),
                      rows.number(4, row, "strike"),
                      rows.number(5, row, "riskFree"),
                      rows.number(6, row, "divYield"),
                      rows.number(7, row, "volatility"),
                      0,
                      false,
                      false};
    const int64_t isCall = rows.integer(8, row, "isCall");
    const std::string style = rows.text(9, row, "style");
    (void)rows.text(11, row, "calendar");
    if (style != "european" && style != "american") throw UserError(9, "style must be european or american.");
    for (const double v : {terms.spot, terms.strike, terms.rate, terms.dividend, terms.volatility}) {
        if (isNull(v)) return nothing();
    }
    if (isNull(maturity) || isNull(settlement) || isNull(now) || isNull(isCall)) return nothing();
    terms.isCall = isCall != 0;
    terms.isAmerican = style == "american";
    if (!(terms.spot > 0 && terms.strike > 0 && terms.volatility > 0))
        throw UserError(3, "spot, strike and volatility must be above 0.");
    if (terms.isAmerican && method != OptionMethod::Grid)
        throw UserError(9, "An american option needs the method FDBS.");
    terms.years = yearFraction(basisAt(rows, row), now, maturity);
    if (!(terms.years > 0)) return nothing();  // it has expired
    Greeks g = nothing();
    if (method == OptionMethod::BlackScholes) {
        g = blackScholes(terms);
    } else if (method == OptionMethod::Grid) {
        OptionGrid grid{more.count("xGrid", row, 2), more.count("tGrid", row, 1), more.count("dampingSteps", row, 0)};
        if (grid.prices * grid.times > 100000000) throw UserError(13, "xGrid times tGrid must be at most 10^8.");
        g = finiteDifferences(terms, grid);
    } else {
        g = greeksOf(terms, spansAt(more, method, row), wantsAll);
    }
    for (double* v : {&g.npv, &g.delta, &g.gamma, &g.theta, &g.vega, &g.rho}) {
        if (!std::isfinite(*v)) *v = null<double>;
    }
    return g;
}

// vanillaOption(settlement, maturity, evalDate, spot, strike, riskFree, divYield, volatility, isCall, style, basis,
// calendar, [method], [kwargs], [mode])
Value vanillaOptionKernel(Context& context, Arguments a) {
    const OptionMethod method = methodArgument(a);
    const MethodArguments more(a);
    const int64_t mode = integerArgument(a, 14, "mode", 0);
    if (mode < 0 || mode > 2) refuseArgument(14, "mode", "0, 1 or 2", a[14]);
    const RowArguments rows(a, {12, 13, 14});
    std::vector<double> columns[6];
    for (size_t row = 0; row < rows.rows(); ++row) {
        context.checkCancelled();  // a row takes as long as its grid
        const Greeks g = priced(rows, row, method, more, mode != 0);
        const double all[] = {g.npv, g.delta, g.gamma, g.theta, g.vega, g.rho};
        for (size_t k = 0; k < 6; ++k) columns[k].push_back(all[k]);
    }
    const auto shown = [&](size_t k) {
        return rows.areScalars() ? Value::ofDouble(columns[k][0]) : Value::of(Vector::of(Type::Double, columns[k]));
    };
    if (mode == 0) return shown(0);
    if (mode == 1) {
        auto tuples = makeRef<Tuple>();
        for (size_t row = 0; row < rows.rows(); ++row) {
            auto one = makeRef<Tuple>();
            for (const auto& column : columns) one->elements.push_back(Value::ofDouble(column[row]));
            tuples->elements.push_back(Value::of(std::move(one)));
        }
        return rows.areScalars() ? tuples->elements[0] : Value::of(std::move(tuples));
    }
    constexpr std::string_view kNames[] = {"npv", "delta", "gamma", "theta", "vega", "rho"};
    auto result = makeRef<Dictionary>(Type::String, Type::Any, true);
    for (size_t k = 0; k < 6; ++k) result->set(Value::ofString(kNames[k]), shown(k));
    return Value::of(std::move(result));
}

}  // namespace

void registerOptions(FunctionRegistry& registry) {
    registry.add(
        "vanillaOption(settlement, maturity, evalDate, spot, strike, riskFree, divYield, volatility, isCall, style, "
        "basis, "
        "calendar, [method='BS'], [kwargs], [mode=0])",
        vanillaOptionKernel,
        {.summary = "The value of an option, as DOUBLE, and with mode its delta, gamma, theta, vega and rho.",
         .parameters =
             "settlement, evalDate: DATE; time runs from the later one\nmaturity: DATE\n"
             "spot, strike: prices above 0\nriskFree, divYield: continuous rates of a year\n"
             "volatility: of a year, above 0; of heston its square is the variance at evalDate\n"
             "isCall: BOOL\nstyle: european, or american with FDBS\n"
             "basis: 0 to 4, or Thirty360US, ActualActual, Actual360, Actual365, Thirty360EU\n"
             "calendar: the name of a calendar, is checked only\n"
             "method: BS (Black and Scholes), FDBS (finite differences), heston, PTDHeston (with parameters "
             "that change)\n"
             "kwargs: a dictionary. FDBS: xGrid (points, from 2), tGrid (steps, from 1), dampingSteps. heston: "
             "theta, kappa, rho, sigma. PTDHeston: vectors of them, and times in years at which each ends\n"
             "mode: 0 the value, 1 a tuple of npv, delta, gamma, theta, vega and rho for each row, 2 a "
             "dictionary of them\nEach of the first twelve is a scalar, which repeats, or a vector of one length.",
         .nulls = "NULL where an argument is NULL, or the option has expired.",
         .errors = "The vectors differ in length; a price or the volatility is not above 0; kwargs lacks a member; an "
                   "american option has another method than FDBS.",
         .complexity = "O(rows), with FDBS times xGrid · tGrid, with heston times at most 4200 points",
         .source = "Black, Scholes 1973; Merton 1973; Heston 1993 by Lewis 2001; Crank, Nicolson 1947; Rannacher 1984",
         .example =
             "round(vanillaOption(1998.05.17, 1999.05.17, 1998.05.17, 36, 40, 0.06, 0, 0.2, false, `european, 3, "
             "`CCFX), 6) -> 3.844308"
             "\nvanillaOption(1998.05.17, 1999.05.17, 1998.05.17, 36, 40, 0.06, 0, 0.2, false, `european, 3, `CCFX)"});
}

}  // namespace pelorus
