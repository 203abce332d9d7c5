// kernelRidge: ridge regression over kernels of pairs of rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/value/print.h"
#include "stdlib/matrix/dense_solve.h"
#include "stdlib/models/training.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

struct PairKernel {
    std::string name;
    double gamma, degree, offset;
};

constexpr std::string_view kKernels[] = {"linear",    "rbf",    "poly",          "polynomial", "sigmoid",
                                         "laplacian", "cosine", "additive_chi2", "chi2"};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

double kernelOf(const PairKernel& k, const std::vector<double>& a, const std::vector<double>& b) {
    const auto summed = [&](auto term) {
        double sum = 0;
        for (size_t i = 0; i < a.size(); ++i) sum += term(a[i], b[i]);
        return sum;
    };
    const auto chi = [](double x, double y) { return x + y == 0 ? 0 : (x - y) * (x - y) / (x + y); };
    if (k.name == "linear") return dot(a, b);
    if (k.name == "rbf") return std::exp(-k.gamma * summed([](double x, double y) { return (x - y) * (x - y); }));
    if (k.name == "poly" || k.name == "polynomial") return std::pow(k.gamma * dot(a, b) + k.offset, k.degree);
    if (k.name == "sigmoid") return std::tanh(k.gamma * dot(a, b) + k.offset);
    if (k.name == "laplacian") return std::exp(-k.gamma * summed([](double x, double y) { return std::abs(x - y); }));
    if (k.name == "cosine") {
        const double lengths = std::sqrt(dot(a, a) * dot(b, b));
        return lengths > 0 ? dot(a, b) / lengths : 0;
    }
    return k.name == "chi2" ? std::exp(-k.gamma * summed(chi)) : -summed(chi);
}

std::string kernelName(const std::string& given, size_t argument) {
    if (std::ranges::find(kKernels, given) == std::end(kKernels))
        throw UserError(static_cast<int>(argument),
                        fmt::format("kernel must be one of {}, but it is {}.", fmt::join(kKernels, ", "), given));
    return given;
}

// kernelRidge(ds, yColName, xColNames, [alpha], [kernel], [gamma], [degree], [coef0], [swColName])
Value kernelRidgeKernel(Context& context, Arguments a) {
    constexpr size_t kMostRows = 20000;
    const TrainingNames names = namesOfTraining(a, 8);
    const double alpha = realArgument(a, 3, "alpha", 1);
    if (!(alpha > 0)) refuseArgument(3, "alpha", "above 0", a[3]);
    PairKernel k{kernelName(stringArgument(a, 4, "kernel", "linear"), 4), realArgument(a, 5, "gamma", 0),
                 realArgument(a, 6, "degree", 3), realArgument(a, 7, "coef0", 1)};
    const TrainingRows rows = trainingRows(context, a, names, NullCells::Refused);
    const size_t n = rows.rows();
    if (n > kMostRows)
        throw UserError(0, fmt::format("There are {} rows; kernels of at most {} are computed.", n, kMostRows),
                        "Draw a sample.");
    // chi2 has 1 as its usual gamma, the others one over the factors.
    if (k.gamma == 0) k.gamma = k.name == "chi2" ? 1 : 1 / static_cast<double>(names.x.size());
    if (k.name == "chi2" || k.name == "additive_chi2") {
        for (const auto& column : rows.x.columns) {
            if (std::ranges::any_of(column, [](double v) { return v < 0; }))
                throw UserError(2, fmt::format("The kernel {} needs factors of at least 0.", k.name));
        }
    }
    std::vector<std::vector<double>> points;
    for (size_t i = 0; i < n; ++i) points.push_back(rows.x.row(i));
    std::vector<double> roots(n, 1.0);
    for (size_t i = 0; i < rows.weights.size(); ++i) roots[i] = std::sqrt(rows.weights[i]);
    std::vector<double> system(n * n), w(n);
    parallelFor(static_cast<int64_t>(n), [&](int64_t column) {
        const auto c = static_cast<size_t>(column);
        for (size_t r = 0; r < n; ++r) system[c * n + r] = kernelOf(k, points[c], points[r]) * roots[c] * roots[r];
        system[c * n + c] += alpha;
        w[c] = rows.y[c] * roots[c];
    });
    if (!solveDense(std::move(system), w, n))
        throw UserError(0, "The kernels of the rows follow from each other.", "Give a larger alpha.");
    for (size_t i = 0; i < n; ++i) w[i] *= roots[i];
    const Ref<Dictionary> model = makeModel("kernelRidge", "kernelRidgePredict");
    addMember(*model, "coefficients", matrixOf(w, n, 1));
    addMember(*model, "xColNames", namesValue(names.x));
    addMember(*model, "xFit", rows.x.asMatrix());
    addMember(*model, "alpha", Value::ofDouble(alpha));
    addMember(*model, "kernel", Value::ofString(k.name));
    addMember(*model, "gamma", Value::ofDouble(k.gamma));
    addMember(*model, "degree", Value::ofDouble(k.degree));
    addMember(*model, "coef0", Value::ofDouble(k.offset));
    return Value::of(model);
}

// kernelRidgePredict(model, X)
Value kernelRidgePredictKernel(Context&, Arguments a) {
    const Value name = modelMember(a, "kernel");
    const PairKernel k{kernelName(name.isString() ? std::string(name.string()) : "", 0), modelNumber(a, "gamma"),
                       modelNumber(a, "degree"), modelNumber(a, "coef0")};
    const std::vector<double> w = modelNumbers(a, "coefficients");
    const NumberMatrix held = modelMatrix(a, "xFit");
    const NumberColumns x = factorsToPredict(a, NullCells::Refused);
    if (held.rows != w.size() || held.columns != x.width())
        throw UserError(0, "The members of the model do not fit together.");
    std::vector<std::vector<double>> points(held.rows);
    for (size_t i = 0; i < held.rows; ++i) {
        for (size_t c = 0; c < held.columns; ++c) points[i].push_back(held.at(i, c));
    }
    std::vector<double> y(x.rows, 0.0);
    parallelFor(static_cast<int64_t>(x.rows), [&](int64_t row) {
        const auto r = static_cast<size_t>(row);
        const std::vector<double> at = x.row(r);
        for (size_t i = 0; i < w.size(); ++i) y[r] += w[i] * kernelOf(k, points[i], at);
    });
    return matrixOf(y, x.rows, 1);
}

}  // namespace

void registerKernelRidge(FunctionRegistry& registry) {
    registry.add(
        "kernelRidge(ds, yColName, xColNames, [alpha=1.0], [kernel='linear'], [gamma=0], [degree=3], [coef0=1], "
        "[swColName])",
        kernelRidgeKernel,
        {.summary = "The ridge regression over kernels of rows, as a model.",
         .parameters = "ds: a table, or data sources as sqlDS gives them, with at most 20000 rows\n"
                       "yColName: the name of the dependent variable\nxColNames: the names of the factors\n"
                       "alpha: the penalty, above 0\n"
                       "kernel: linear, rbf, poly or polynomial, sigmoid, laplacian, cosine, additive_chi2, chi2\n"
                       "gamma: of the kernel; 0 is one over the number of factors, 1 for chi2\n"
                       "degree, coef0: of poly and sigmoid\nswColName: the column of the weights, at least 0",
         .nulls = "There must be none.",
         .errors = "There is no such column; columns are not numeric; an option is out of its range.",
         .complexity = "O(rows² · factors + rows³)",
         .source = "Murphy, Machine Learning, section 14.4",
         .example =
             "round(flatten(kernelRidge(table(1 2 as x, 1 2 as y), `y, `x)[`coefficients]), 4) -> [0.1667,0.3333]"
             "\nkernelRidge(table(1 2 as x, 1 2 as y), `y, `x)"});
    registry.add("kernelRidgePredict(model, X)", kernelRidgePredictKernel,
                 {.summary = "What a model of kernelRidge predicts, as a matrix of one column.",
                  .parameters = "model: the dictionary\nX: a table with the columns that the model names, or as many "
                                "columns in a matrix, tuple or vector",
                  .nulls = "X must hold none.",
                  .errors = "X lacks a column; the model lacks a member.",
                  .complexity = "O(rows · rows of the model · factors)",
                  .example = "round(flatten(kernelRidgePredict(kernelRidge(table(1 2 as x, 1 2 as y), `y, `x), table(6 "
                             "as x))), 4) -> [5]"
                             "\nkernelRidgePredict(kernelRidge(table(1 2 as x, 1 2 as y), `y, `x), table(6 as x))"});
}

}  // namespace pelorus
