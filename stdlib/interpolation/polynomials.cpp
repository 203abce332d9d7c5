// polynomial, polyFit, polyPredict: polynomials by their coefficients, that of the lowest power first.
#include <fmt/format.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "runtime/value/cast.h"
#include "stdlib/interpolation/interpolation_arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxDegree = 1000;

double polynomialAt(const std::vector<double>& coefficients, double x) {
    double value = 0;
    for (size_t k = coefficients.size(); k-- > 0;) value = value * x + coefficients[k];
    return value;
}

// polynomial(X, coeffs)
Value polynomialKernel(Context&, Arguments a) {
    const std::vector<double> coefficients = numbersArgument(a, 1, "coeffs");
    if (coefficients.empty()) refuseArgument(1, "coeffs", "one number or more", a[1]);
    const Value result = mapReals(a, 0, "X", [&](double x) { return polynomialAt(coefficients, x); });
    const bool areWhole = isIntegral(a[0].type()) && isIntegral(a[1].type());
    return areWhole ? cast(result, Type::Long) : result;
}

// polyFit(X, Y, n, [mode])
Value polyFitKernel(Context&, Arguments a) {
    const std::vector<double> x = numbersArgument(a, 0, "X");
    std::vector<double> y = valuesArgument(a, 1, "Y", x);
    const int64_t degree = integerArgument(a, 2, "n");
    if (degree < 0 || degree > kMaxDegree) refuseArgument(2, "n", fmt::format("from 0 to {}", kMaxDegree), a[2]);
    const auto rows = static_cast<lapack_int>(x.size()), columns = static_cast<lapack_int>(degree + 1);
    if (rows < columns)
        throw UserError(2, fmt::format("A polynomial of degree {} needs {} points or more, but there are {}.", degree,
                                       columns, rows));
    std::vector<double> powers(x.size() * static_cast<size_t>(columns));
    for (size_t i = 0; i < x.size(); ++i) {
        double power = 1;
        for (size_t k = 0; k < static_cast<size_t>(columns); ++k, power *= x[i]) powers[k * x.size() + i] = power;
    }
    const auto isFinite = [](double v) { return std::isfinite(v); };
    if (!std::ranges::all_of(powers, isFinite) || !std::ranges::all_of(y, isFinite))
        throw UserError(0, "X, a power of it or Y is too large for a number.", "Scale X, or take a lower degree.");
    std::vector<double> singular(static_cast<size_t>(columns));
    lapack_int rank = 0;
    const lapack_int failed = LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, columns, 1, powers.data(), rows, y.data(), rows,
                                             singular.data(), -1, &rank);
    if (failed != 0)
        throw UserError(0, "The coefficients that fit best were not found.", "Scale X, or take a lower degree.");
    y.resize(static_cast<size_t>(columns));
    if (!flagArgument(a, 3, "mode", false)) return realsOf(y);
    const Ref<Dictionary> model = makeModel("polyFit", "polyPredict");
    model->set(Value::ofString("z"), realsOf(y));
    return Value::of(model);
}

// polyPredict(model, X)
Value polyPredictKernel(Context&, Arguments a) {
    const std::vector<double> coefficients =
        a[0].isDictionary() ? modelNumbers(a, "z") : numbersArgument(a, 0, "model");
    if (coefficients.empty()) refuseArgument(0, "model", "one coefficient or more", a[0]);
    return mapReals(a, 1, "X", [&](double x) { return polynomialAt(coefficients, x); });
}

}  // namespace

void registerPolynomials(FunctionRegistry& registry) {
    registry.add(
        "polynomial(X, coeffs)", polynomialKernel,
        {.summary = "The value of a polynomial at each element of X: LONG for whole numbers, else DOUBLE.",
         .parameters =
             "X: a number or a vector of numbers\ncoeffs: a vector of coefficients, that of the lowest power first",
         .nulls = "NULL for NULL.",
         .errors = "X is not numeric; coeffs is empty or holds NULL.",
         .complexity = "O(elements · coefficients)",
         .example = "polynomial(1..3, 1 2 3) -> [6,17,34]"});
    registry.add("polyFit(X, Y, n, [mode=false])", polyFitKernel,
                 {.summary = "The coefficients of the polynomial of degree n that fits Y best, by least squares; that "
                             "of the lowest power first.",
                  .parameters = "X: a vector of numbers\nY: as many numbers\nn: the degree, from 0 to 1000, less than "
                                "the number of points\n"
                                "mode: true gives a dictionary with modelName, z (the coefficients) and predict",
                  .nulls = "X and Y must hold none.",
                  .errors = "X and Y differ in length or hold NULL; there are too few points for n; powers of X are "
                            "too large for numbers.",
                  .complexity = "O(points · n²)",
                  .source = "LAPACK's dgelsd: the least of all solutions where X does not determine one",
                  .example = "round(polyFit(2.0 5 3 4, 41.0 350 98 197, 3), 6) -> [5,4,3,2]"});
    registry.add(
        "polyPredict(model, X)", polyPredictKernel,
        {.summary = "The value of a polynomial at each element of X, as DOUBLE.",
         .parameters =
             "model: a vector of coefficients, that of the lowest power first, or a dictionary that polyFit gave\n"
             "X: a number or a vector of numbers",
         .nulls = "NULL for NULL in X.",
         .errors = "model is empty or holds NULL; X is not numeric.",
         .complexity = "O(elements · coefficients)",
         .example = "polyPredict(5 4 3 2, 2 5) -> [41,350]"});
    registry.alias("poly1d", "polyPredict");
}

}  // namespace pelorus
