// ns, nss and nssPredict: yield curves of Nelson and Siegel, and of Svensson.
#include <fmt/format.h>

#include <cmath>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/finance/nelson_siegel.h"
#include "stdlib/interpolation/interpolation_arguments.h"
#include "stdlib/models/training.h"
#include "stdlib/optimisation/computed_objective.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

// Calls the minimizer of this name for the curve.
Value minimized(Context& context, const std::string& method, Value squares, Value start, const Value& maxIter,
                const Value& bounds, const Value& seed) {
    const Value none = omitted();
    if (method == "nm") return callNamed(context, "fmin", {squares, start, none, none, maxIter});
    if (method == "bfgs") return callNamed(context, "fminBFGS", {squares, start, none, none, none, none, maxIter});
    if (method == "lbfgs")
        return callNamed(context, "fminLBFGSB", {squares, start, none, bounds, none, none, none, none, maxIter});
    if (method == "slsqp")
        return callNamed(context, "fminSLSQP",
                         {squares, start, none, none, bounds, Value::ofDouble(1e-12), none, maxIter});
    if (method != "de")
        throw UserError(2, fmt::format("method must be nm, bfgs, lbfgs, slsqp or de, but it is {}.", method));
    if (isOmitted(bounds) || bounds.isVoid()) throw UserError(4, "The method de needs bounds.");
    return callNamed(context, "differentialEvolution",
                     {squares, bounds, none, maxIter, none, none, none, none, none, none, seed});
}

// ns, nss (maturity, yield, [method], [maxIter], [bounds], [initialGuess], [seed])
template <bool kSvensson>
Value curveKernel(Context& context, Arguments a) {
    const std::vector<double> all = columnArgument(a, 0, "maturity", NullCells::Refused),
                              given = columnArgument(a, 1, "yield", NullCells::Kept);
    if (all.size() != given.size())
        throw UserError(1, fmt::format("maturity and yield differ in length: {} and {}.", all.size(), given.size()));
    std::vector<double> maturities, yields;
    for (size_t i = 0; i < all.size(); ++i) {
        if (!(all[i] >= 0)) refuseArgument(0, "maturity", "0 or more", a[0]);
        if (isNull(given[i])) continue;
        maturities.push_back(all[i]);
        yields.push_back(given[i]);
    }
    if (yields.empty()) throw UserError(1, "There are no yields to fit a curve to.");
    std::vector<double> start =
        kSvensson ? std::vector{0.01, 0.01, 0.01, 0.01, 1.0, 1.0} : std::vector{0.01, 0.01, 0.01, 1.0};
    const size_t parameters = start.size();
    if (isGiven(a, 5)) start = columnArgument(a, 5, "initialGuess", NullCells::Refused);
    if (start.size() != parameters) refuseArgument(5, "initialGuess", fmt::format("{} numbers", parameters), a[5]);
    Value bounds = a[4];
    const std::string method = stringArgument(a, 2, "method", "nm");
    if (method == "de" && !isGiven(a, 4)) {  // wide ones that yields of the field lie within
        std::vector<double> cells;
        for (const double edge : {-1.0, 1.0}) {
            for (size_t i = 0; i < parameters; ++i) {
                const bool isDecay = i >= (kSvensson ? 4u : 3u);
                cells.push_back(isDecay ? (edge < 0 ? 0.01 : 30.0) : edge);
            }
        }
        bounds = matrixOf(cells, parameters, 2);
    }
    const Ref<Function> squares =
        makeRef<ComputedObjective>("curveSquares", [&](Context& at, const std::vector<double>& p) {
            at.checkCancelled();
            if (p.size() != parameters) throw UserError(0, fmt::format("params must have {} numbers.", parameters));
            double sum = 0;
            for (size_t i = 0; i < yields.size(); ++i) {
                const double away = nelsonSiegelYield(p, maturities[i]) - yields[i];
                sum += away * away;
            }
            return sum;
        });
    const Value result = minimized(context, method, Value::of(squares), realsOf(start), a[3], bounds, a[6]);
    const Ref<Dictionary> model = makeModel(kSvensson ? "nss" : "ns", "nssPredict");
    addMember(*model, "params", result.dictionary().get(Value::ofString("xopt")));
    addMember(*model, "fminResult", result);
    return Value::of(model);
}

// nssPredict(model, T)
Value curvePredictKernel(Context&, Arguments a) {
    const Value name = modelMember(a, "modelName");
    const std::vector<double> p = modelNumbers(a, "params");
    const bool isKnown =
        name.isString() && ((name.string() == "ns" && p.size() == 4) || (name.string() == "nss" && p.size() == 6));
    if (!isKnown) throw UserError(0, "The model must be ns with 4 params, or nss with 6.");
    return mapReals(a, 1, "T", [&](double t) {
        const double y = nelsonSiegelYield(p, t);
        return std::isfinite(y) ? y : null<double>;
    });
}

}  // namespace

void registerYieldCurves(FunctionRegistry& registry) {
    const Declaration draws{.effect = Effect::Volatile};
    const auto parameters = [](std::string_view names, std::string_view guess) {
        return fmt::format(
            "maturity: years of bonds, 0 or more\nyield: a yield for each\n"
            "method: nm (fmin), bfgs (fminBFGS), lbfgs (fminLBFGSB), slsqp (fminSLSQP) or de "
            "(differentialEvolution)\nmaxIter: the most iterations, by default those of the method\n"
            "bounds: a matrix with a row (min, max) for each parameter, for lbfgs, slsqp and de; de "
            "without them searches from -1 to 1, and 0.01 to 30 for the decays\n"
            "initialGuess: {}, by default {}\nseed: an integer that makes de repeatable",
            names, guess);
    };
    registry.add(
        "ns(maturity, yield, [method='nm'], [maxIter], [bounds], [initialGuess], [seed])", curveKernel<false>,
        {.summary = "The yield curve of Nelson and Siegel that fits best by least squares, as a model with params "
                    "(b0, b1, b2, l) and fminResult, what the method gave.",
         .parameters = parameters("b0, b1, b2, l", "0.01 0.01 0.01 1"),
         .nulls = "Rows with a NULL yield are left out; maturity must hold none.",
         .errors = "maturity and yield differ in length; a maturity is below 0; method is unknown.",
         .complexity = "O(calls · rows)",
         .source = "Nelson, Siegel 1987",
         .example = "round(predict(ns(1 2 5 10 25, 0.0039 0.0061 0.0166 0.0258 0.0332, \"bfgs\"), [5.0]), 3) -> "
                    "[0.016]"},
        draws);
    registry.add(
        "nss(maturity, yield, [method='nm'], [maxIter], [bounds], [initialGuess], [seed])", curveKernel<true>,
        {.summary = "The yield curve of Svensson that fits best by least squares, as a model with params (b0, b1, "
                    "b2, b3, l0, l1) and fminResult, what the method gave.",
         .parameters = parameters("b0, b1, b2, b3, l0, l1", "0.01 0.01 0.01 0.01 1 1"),
         .nulls = "Rows with a NULL yield are left out; maturity must hold none.",
         .errors = "maturity and yield differ in length; a maturity is below 0; method is unknown.",
         .complexity = "O(calls · rows)",
         .source = "Svensson 1994",
         .example = "round(predict(nss(1 2 5 10 25, 0.0039 0.0061 0.0166 0.0258 0.0332), [5.0]), 3) -> [0.017]"},
        draws);
    registry.add(
        "nssPredict(model, T)", curvePredictKernel,
        {.summary = "The yields of a curve that ns or nss gave, as DOUBLE.",
         .parameters = "model: a dictionary with modelName (ns or nss) and params\nT: years, a number or a vector",
         .nulls = "NULL for NULL.",
         .errors = "The model lacks a member, or params has another length.",
         .complexity = "O(elements)",
         .example = "nssPredict({modelName: \"ns\", params: [0.03, -0.01, 0.0, 1.5]}, [1.5]).round(6) -> [0.023679]"
                    "\nnssPredict({modelName: \"ns\", params: [0.03, -0.01, 0.0, 1.5]}, [1.5])"});
}

}  // namespace pelorus
