// Ordinary and weighted least-squares regression of columns in memory.
#include <fmt/format.h>

#include "common/error.h"
#include "runtime/kernel/aggregate/least_squares.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

struct Factors {
    std::vector<Ref<Vector>> columns;
    std::vector<std::string> names;
};

void addColumn(Factors& factors, const Value& column, std::string name, int64_t rows) {
    if (!column.isVector() || column.isTuple() || !isNumeric(column.type())) {
        throw UserError(1,
                        fmt::format("Each factor of X must be a numeric vector, but one is {}.", typeString(column)));
    }
    if (column.size() != rows) {
        throw UserError(1,
                        fmt::format("The factors of X must have as many rows as Y: {} and {}.", column.size(), rows));
    }
    factors.columns.push_back(Ref<Vector>(&column.vector()));
    factors.names.push_back(std::move(name));
}

Factors factorsOf(const Value& x, int64_t rows) {
    Factors factors;
    auto number = [&] { return fmt::format("x{}", factors.columns.size() + 1); };
    if (x.isTable()) {
        const Ref<MemoryTable> table = tableToRead(x);
        if (!table) throw UserError(1, "X must be in memory.", "Use olsEx for partitioned tables.");
        for (int c = 0; c < table->columnCount(); ++c) {
            addColumn(factors, table->column(c), table->columns()[static_cast<size_t>(c)].name, rows);
        }
    } else if (x.isTuple()) {
        for (const Value& column : x.tuple().elements) addColumn(factors, column, number(), rows);
    } else if (x.isMatrix() && x.matrix().rows == rows) {
        for (int64_t c = 0; c < x.matrix().columns; ++c) addColumn(factors, x.at(c), number(), rows);
    } else if (x.isMatrix() && x.matrix().columns == rows) {
        for (int64_t r = 0; r < x.matrix().rows; ++r) {
            Ref<Vector> row = Vector::make(x.type(), rows);
            for (int64_t c = 0; c < rows; ++c) row->set(c, x.matrix().cells->at(c * x.matrix().rows + r));
            addColumn(factors, Value::of(row), number(), rows);
        }
    } else {
        addColumn(factors, x, number(), rows);
    }
    return factors;
}

bool isOn(const Value& v, bool otherwise) {
    return isOmitted(v) || v.isVoid() ? otherwise : isTrue(v);
}

Value residuals(const Vector& y, const Factors& factors, const LeastSquares::Fit& fit, bool intercept) {
    Ref<Vector> values = cast(y, Type::Double);
    Ref<Vector> result = Vector::make(Type::Double, y.size());
    double* out = result->mutableData<double>();
    for (int64_t i = 0; i < y.size(); ++i) {
        double predicted = intercept ? fit.beta[0] : 0;
        for (size_t c = 0; c < factors.columns.size(); ++c) {
            double x = factors.columns[c]->asDouble(i);
            predicted += fit.beta[c + (intercept ? 1 : 0)] * (isNull(x) ? 0 : x);
        }
        double actual = values->data<double>()[i];
        out[i] = (isNull(actual) ? 0 : actual) - predicted;
    }
    return Value::of(result);
}

// `optional` are the arguments from intercept on; `weights` may be null.
Value regression(Context& context, std::string_view function, Arguments arguments, size_t optional,
                 const double* weights, bool pseudoInverse) {
    const Value& y = arguments[0];
    bool intercept = isOn(arguments[optional], true);
    const Value& given = arguments[optional + 1];
    int64_t mode = isOmitted(given) || given.isVoid() ? 0 : given.asLong();
    if (mode < 0 || mode > 2) {
        throw UserError(static_cast<int>(optional) + 1, fmt::format("mode must be 0, 1 or 2, but it is {}.", mode));
    }
    Factors factors = factorsOf(arguments[1], y.size());
    LeastSquares squares(static_cast<int>(factors.columns.size()));
    squares.add(y.vector(), factors.columns, weights);
    squares.tellOfNulls(context, function);
    LeastSquares::Fit fit = squares.fit(intercept);
    if (fit.singular && !pseudoInverse) {
        throw UserError(1, "The input matrix is singular and cannot be inverted.", "Use usePinv=true.");
    }
    Value result = fitResult(fit, factors.names, intercept, mode);
    if (mode == 2) result.dictionary().set(Value::ofString("Residual"), residuals(y.vector(), factors, fit, intercept));
    return result;
}

void requireNumericY(const Value& y) {
    if (!y.isVector() || y.isTuple() || !isNumeric(y.type())) {
        throw UserError(0, fmt::format("Y must be a numeric vector, but it is {}.", typeString(y)));
    }
}

Value olsKernel(Context& context, Arguments arguments) {
    requireNumericY(arguments[0]);
    return regression(context, "ols", arguments, 2, nullptr, isOn(arguments[5], true));
}

// wls(Y, X, W, [intercept], [mode])
Value wlsKernel(Context& context, Arguments arguments) {
    requireNumericY(arguments[0]);
    const Value& w = arguments[2];
    if (!w.isVector() || w.isTuple() || !isNumeric(w.type()) || w.size() != arguments[0].size()) {
        throw UserError(2, fmt::format("W must be a numeric vector as long as Y, but it is {}.", typeString(w)));
    }
    Ref<Vector> weights = cast(w.vector(), Type::Double)->copy();
    for (int64_t i = 0; i < weights->size(); ++i) {
        double& weight = weights->mutableData<double>()[i];
        if (isNull(weight)) weight = 0;
        if (weight < 0) throw UserError(2, "A weight must not be below 0.");
    }
    return regression(context, "wls", arguments, 3, weights->data<double>(), true);
}

}  // namespace

void registerRegression(FunctionRegistry& registry) {
    registry.add(
        "ols(Y, X, [intercept=true], [mode=0], [method], [usePinv=true])", olsKernel,
        {.summary = "The ordinary least squares regression of Y on the columns of X.",
         .parameters =
             "Y: a numeric vector\n"
             "X: a vector, tuple of vectors, matrix or table\n"
             "intercept: true adds a constant to the factors, as the first\n"
             "mode: 0 the coefficients, 1 a table with standard errors, t and p, 2 a dictionary that adds ANOVA and "
             "residuals\n"
             "method: has no effect\n"
             "usePinv: false makes collinear factors an error; else their coefficients are the least that fit",
         .nulls = "NULL counts as 0; a message tells how many rows hold one.",
         .errors = "Columns of different lengths, or not numeric.",
         .complexity = "O(rows · factors²)",
         .source = "Chan, Golub, LeVeque 1983 for the moments; t and F from Student's and Fisher's distributions",
         .example = "ols(1 3 5, 0 1 2) -> [1,2]"});
    registry.add("wls(Y, X, W, [intercept=true], [mode=0])", wlsKernel,
                 {.summary = "The weighted least squares regression of Y on the columns of X, with a weight per row.",
                  .parameters = "Y: a numeric vector\n"
                                "X: a vector, tuple of vectors, matrix or table\n"
                                "W: one number at least 0 for each element of Y\n"
                                "intercept: true adds a constant to the factors, as the first\n"
                                "mode: as that of ols",
                  .nulls = "NULL counts as 0, a weight too; a message tells how many rows hold one in X or Y.",
                  .errors = "Columns of different lengths, or not numeric; a weight below 0.",
                  .complexity = "O(rows · factors²)",
                  .example = "wls(1 3 9, 0 1 2, 1 1 0) -> [1,2]"});
}

}  // namespace pelorus
