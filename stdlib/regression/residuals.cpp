// residual, wslr and mmse: what regressions leave, and those of one factor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/number_columns.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// residual(Y, X, params, [intercept])
Value residualKernel(Context&, Arguments a) {
    const std::vector<double> y = columnArgument(a, 0, "Y", NullCells::Zero);
    const NumberColumns x = factorsArgument(a, 1, "X", y.size(), NullCells::Zero);
    const bool intercept = flagArgument(a, 3, "intercept", true);
    const std::vector<double> beta = a[2].isScalar() ? std::vector{realArgument(a, 2, "params")}
                                                     : columnArgument(a, 2, "params", NullCells::Refused);
    if (beta.size() != x.width() + intercept)
        throw UserError(2, fmt::format("params has {} numbers for {} factors{}.", beta.size(), x.width(),
                                       intercept ? " and the intercept" : ""));
    std::vector<double> rest = y;
    for (size_t i = 0; i < rest.size(); ++i) {
        double predicted = intercept ? beta[0] : 0;
        for (size_t c = 0; c < x.width(); ++c) predicted += beta[c + intercept] * x.columns[c][i];
        rest[i] -= predicted;
    }
    return Value::of(Vector::of(Type::Double, rest));
}

// wslr(Y, X, W, [mse])
Value wslrKernel(Context&, Arguments a) {
    const std::vector<double> y = columnArgument(a, 0, "Y", NullCells::Kept),
                              x = columnArgument(a, 1, "X", NullCells::Kept),
                              w = columnArgument(a, 2, "W", NullCells::Kept);
    if (x.size() != y.size() || w.size() != y.size())
        throw UserError(1, fmt::format("Y, X and W differ in length: {}, {} and {}.", y.size(), x.size(), w.size()));
    const bool givesError = flagArgument(a, 3, "mse", false);
    double weight = 0, meanX = 0, meanY = 0, count = 0;
    std::vector<size_t> rows;
    for (size_t i = 0; i < y.size(); ++i) {
        if (isNull(y[i]) || isNull(x[i]) || isNull(w[i])) continue;
        if (w[i] < 0) throw UserError(2, "A weight must not be below 0.");
        rows.push_back(i);
        weight += w[i];
        meanX += w[i] * x[i];
        meanY += w[i] * y[i];
        ++count;
    }
    meanX /= weight;
    meanY /= weight;
    double xx = 0, xy = 0;
    for (const size_t i : rows) {
        xx += w[i] * (x[i] - meanX) * (x[i] - meanX);
        xy += w[i] * (x[i] - meanX) * (y[i] - meanY);
    }
    const bool exists = weight > 0 && xx > 0;
    const double beta = exists ? xy / xx : null<double>, alpha = exists ? meanY - beta * meanX : null<double>;
    auto result = makeRef<Tuple>();
    result->elements = {Value::ofDouble(alpha), Value::ofDouble(beta)};
    if (givesError) {
        double squares = 0;
        for (const size_t i : rows) squares += w[i] * (y[i] - alpha - beta * x[i]) * (y[i] - alpha - beta * x[i]);
        const bool hasError = exists && count > 2;
        result->elements.push_back(Value::ofDouble(hasError ? squares / (count - 2) : null<double>));
    }
    return Value::of(std::move(result));
}

// mmse(Y, X, window, [minPeriods])
Value mmseKernel(Context&, Arguments a) {
    const std::vector<double> y = columnArgument(a, 0, "Y", NullCells::Kept),
                              x = columnArgument(a, 1, "X", NullCells::Kept);
    if (x.size() != y.size())
        throw UserError(1, fmt::format("Y and X differ in length: {} and {}.", y.size(), x.size()));
    const int64_t window = integerArgument(a, 2, "window");
    if (window < 1) refuseArgument(2, "window", "1 or more", a[2]);
    const int64_t least = integerArgument(a, 3, "minPeriods", window);
    if (least < 1 || least > window) refuseArgument(3, "minPeriods", "from 1 to window", a[3]);
    std::vector<double> betas(y.size(), null<double>), errors(y.size(), null<double>);
    for (size_t end = 0; end < y.size(); ++end) {
        checkCancelled();  // a row takes as long as the window is
        const auto width = std::min<int64_t>(window, static_cast<int64_t>(end) + 1);
        const size_t begin = end + 1 - static_cast<size_t>(width);
        double count = 0, meanX = 0, meanY = 0, xx = 0, xy = 0, yy = 0;
        for (size_t i = begin; i <= end; ++i) {
            if (isNull(y[i]) || isNull(x[i])) continue;
            ++count;
            const double dx = x[i] - meanX, dy = y[i] - meanY;
            meanX += dx / count;
            meanY += dy / count;
            xx += dx * (x[i] - meanX);
            xy += dx * (y[i] - meanY);
            yy += dy * (y[i] - meanY);
        }
        if (count < static_cast<double>(least) || !(xx > 0)) continue;
        betas[end] = xy / xx;
        errors[end] = std::max(0.0, yy - xy * xy / xx) / count;
    }
    auto result = makeRef<Tuple>();
    result->elements = {Value::of(Vector::of(Type::Double, betas)), Value::of(Vector::of(Type::Double, errors))};
    return Value::of(std::move(result));
}

}  // namespace

void registerResiduals(FunctionRegistry& registry) {
    registry.add("residual(Y, X, params, [intercept=true])", residualKernel,
                 {.summary = "What a linear regression leaves of Y, as a vector of DOUBLE.",
                  .parameters = "Y: a vector of numbers\nX: the factors: a vector, tuple of vectors, matrix or table\n"
                                "params: the coefficients, the intercept first, as ols gives them\n"
                                "intercept: whether params holds one",
                  .nulls = "NULL counts as 0.",
                  .errors = "Y, X and params do not fit together.",
                  .complexity = "O(rows · factors)",
                  .example = "residual(1 3 6, 0 1 2, 1 2) -> [0,0,1]"});
    registry.add(
        "wslr(Y, X, W, [mse=false])", wslrKernel,
        {.summary = "The weighted regression of Y on one factor: a tuple of intercept, slope, and with mse the "
                    "weighted squares that are left over n - 2.",
         .parameters = "Y, X: vectors of numbers\nW: as many weights, at least 0\nmse: whether the third "
                       "element is computed",
         .nulls = "Rows with NULL are left out; NULL results where X does not vary.",
         .errors = "Y, X and W differ in length; a weight is below 0.",
         .complexity = "O(rows)",
         .example = "wslr(1 3 9, 0 1 2, 1 1 0) -> (1,2)"});
    registry.add(
        "mmse(Y, X, window, [minPeriods])", mmseKernel,
        {.summary = "The regressions of Y on X, with an intercept, in moving windows: a tuple of the slopes and "
                    "the mean squares that are left.",
         .parameters = "Y, X: vectors of numbers\nwindow: rows of a window, from 1\nminPeriods: rows without "
                       "NULL that a window needs, by default all",
         .nulls = "Rows with NULL are left out; NULL for windows with too few, or whose X does not vary.",
         .errors = "Y and X differ in length; window or minPeriods is out of its range.",
         .complexity = "O(rows · window)",
         .example = "mmse(1 3 5 7, 0 1 2 3, 3) -> ([,,2,2],[,,0,0])"});
}

}  // namespace pelorus
