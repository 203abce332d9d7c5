// Implements the functions of the moments of columns over data sources: gram, pca.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/error.h"
#include "distributed/builtins/distributed_builtins.h"
#include "distributed/map_reduce/map_reduce.h"
#include "runtime/kernel/aggregate/least_squares.h"
#include "runtime/kernel/aggregate/symmetric_eigen.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

bool isGiven(const Value& v) {
    return !isOmitted(v) && !v.isVoid();
}

bool flag(const Value& v, bool whenOmitted) {
    return isGiven(v) ? isTrue(v) : whenOmitted;
}

// Throws UserError unless `names` is one name, several, or omitted.
void requireNames(const Value& names) {
    const bool fits = !isGiven(names) || names.isString() || (names.isTypedVector() && isLiteral(names.type()));
    if (!fits) throw UserError(1, "colNames must be names of columns.");
}

// momentsPart(rows, [colNames]) returns the moments of the named columns, or all, of one source; olsMerge merges them.
Value momentsPartKernel(Context&, Arguments arguments) {
    const Ref<MemoryTable> rows = tableToRead(arguments[0]);
    if (!rows) throw UserError(0, "A data source must give a table.");
    requireNames(arguments[1]);
    std::vector<Ref<Vector>> columns;
    auto add = [&](const Value* column, std::string_view name) {
        if (!column) throw UserError(fmt::format("The data sources have no column {}.", name));
        if (!isNumeric(column->type()) || column->isTuple()) {
            throw UserError(
                fmt::format("The column {} is {}, but numbers are needed.", name, typeName(column->type())));
        }
        columns.emplace_back(&column->vector());
    };
    if (isGiven(arguments[1])) {
        for (int64_t i = 0; i < arguments[1].size(); ++i) {
            const Value name = arguments[1].isScalar() ? arguments[1] : arguments[1].at(i);
            add(rows->column(name.string()), name.string());
        }
    } else {
        for (int c = 0; c < rows->columnCount(); ++c) {
            add(&rows->column(c), rows->columns()[static_cast<size_t>(c)].name);
        }
    }
    if (columns.empty()) throw UserError(1, "At least one column is needed.");
    const Ref<Vector> last = columns.back();
    columns.pop_back();
    LeastSquares moments(static_cast<int>(columns.size()));
    moments.add(*last, columns);
    return moments.save();
}

Ref<Function> builtin(const char* name) {
    return Ref<Function>(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().getForNode(name)));
}

// Returns the moments over all data sources. `function` is the name of the called function, for the message on NULLs.
LeastSquares momentsOf(Context& context, std::string_view function, Arguments arguments) {
    requireNames(arguments[1]);
    MapReduce job;
    job.sources = dataSourcesOf(arguments[0]);
    if (job.sources.empty()) throw UserError(0, "There are no data sources: the query selects no partition.");
    job.map = makeRef<PartialFunction>(builtin("momentsPart"), std::vector<Value>{omitted(), arguments[1]});
    job.reduce = builtin("olsMerge");
    LeastSquares moments = LeastSquares::load(mapReduce(job, context));
    moments.tellOfNulls(context, function);
    return moments;
}

// Returns the inner products of the columns in row-major order; less their means, or divided by their deviations.
std::vector<double> products(const LeastSquares& moments, bool subtractMean, bool normalize) {
    const int n = moments.factors() + 1;
    auto deviation = [&](int i) { return std::sqrt(moments.centredMoment(i, i) / (moments.weight() - 1)); };
    std::vector<double> cells;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = moments.centredMoment(i, j);
            if (!subtractMean) sum += moments.weight() * moments.mean(i) * moments.mean(j);
            cells.push_back(normalize ? sum / (deviation(i) * deviation(j)) : sum);
        }
    }
    for (double& cell : cells) {
        if (!std::isfinite(cell)) cell = null<double>;
    }
    return cells;
}

// gram(ds, [colNames], [subMean=true], [normalize=false])
Value gramKernel(Context& context, Arguments arguments) {
    const LeastSquares moments = momentsOf(context, "gram", arguments);
    const int n = moments.factors() + 1;
    const std::vector<double> cells = products(moments, flag(arguments[2], true), flag(arguments[3], false));
    return Value::of(makeRef<Matrix>(Vector::of(Type::Double, cells), n, n));
}

// pca(ds, [colNames], [k], [normalize], [maxIter], [svdSolver], [randomState])
Value pcaKernel(Context& context, Arguments arguments) {
    const LeastSquares moments = momentsOf(context, "pca", arguments);
    const int n = moments.factors() + 1;
    if (isGiven(arguments[2]) && (!arguments[2].isNumber() || arguments[2].isNull())) {
        throw UserError(2, "k must be a number.");
    }
    const int64_t k = isGiven(arguments[2]) ? arguments[2].asLong() : n;
    if (k < 1 || k > n) throw UserError(2, fmt::format("k must be between 1 and {}, but it is {}.", n, k));
    if (isGiven(arguments[5]) && !arguments[5].isString()) throw UserError(5, "svdSolver must be a STRING.");
    const std::string solver = isGiven(arguments[5]) ? std::string(arguments[5].string()) : "auto";
    if (solver != "auto" && solver != "full" && solver != "randomized") {
        throw UserError(5, "svdSolver must be auto, full or randomized.");
    }
    const std::vector<double> cells = products(moments, true, flag(arguments[3], false));
    if (std::any_of(cells.begin(), cells.end(), [](double x) { return isNull(x); })) {
        throw UserError(3, "A column without spread cannot be normalized.");
    }
    const Eigen eigen = symmetricEigen(cells, n);
    std::vector<int> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    auto value = [&](int i) { return std::max(0.0, eigen.values[static_cast<size_t>(i)]); };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return value(a) > value(b); });
    double total = 0;
    for (int i = 0; i < n; ++i) total += value(i);
    std::vector<double> ratios, singular;
    Ref<Vector> components = Vector::make(Type::Double, k * n);
    for (int64_t row = 0; row < k; ++row) {
        const int at = order[static_cast<size_t>(row)];
        auto part = [&](int c) {
            return eigen.vectors[static_cast<size_t>(c) * static_cast<size_t>(n) + static_cast<size_t>(at)];
        };
        // The sign of a direction is arbitrary. Its largest component is made negative, as Householder reflections
        // leave it.
        int largest = 0;
        for (int c = 1; c < n; ++c) {
            if (std::fabs(part(c)) > std::fabs(part(largest))) largest = c;
        }
        const double sign = part(largest) > 0 ? -1 : 1;
        for (int c = 0; c < n; ++c) components->mutableData<double>()[c * k + row] = sign * part(c);
        ratios.push_back(total > 0 ? value(at) / total : null<double>);
        singular.push_back(std::sqrt(value(at)));
    }
    auto result = makeRef<Dictionary>(Type::String, Type::Any, false);
    result->set(Value::ofString("components"), Value::of(makeRef<Matrix>(components, k, n)));
    result->set(Value::ofString("explainedVarianceRatio"), Value::of(Vector::of(Type::Double, ratios)));
    result->set(Value::ofString("singularValues"), Value::of(Vector::of(Type::Double, singular)));
    return Value::of(result);
}

}  // namespace

void registerMomentBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("map-reduce");
    registry.add("momentsPart(rows, [colNames])", momentsPartKernel,
                 {.summary = "The moments of columns of one data source: the map function of gram and pca."},
                 kForNodes);
    constexpr std::string_view kNulls = "NULL counts as 0; a message tells how many rows hold one.";
    constexpr std::string_view kErrors = "A column is missing or not numeric; there are no data sources.";
    registry.add(
        "gram(ds, [colNames], [subMean=true], [normalize=false])", gramKernel,
        {.summary = "The inner products of columns over data sources, as a matrix.",
         .parameters = "subMean: whether the mean of each column is taken off first\nnormalize: whether each "
                       "column is divided by its standard deviation",
         .nulls = kNulls,
         .errors = kErrors,
         .complexity = "O(rows · columns²)",
         .example = "t = table(1 2 3 as x, 2 4 7 as y); gram(sqlDS(<select x, y from t>), , false)[0] -> [14,31]"},
        kReads);
    registry.add("pca(ds, [colNames], [k], [normalize=false], [maxIter], [svdSolver], [randomState])", pcaKernel,
                 {.summary = "The principal components of columns over data sources: a dictionary of components, one a "
                             "row, explainedVarianceRatio and singularValues.",
                  .parameters = "k: how many components\nnormalize: whether columns are divided by their standard "
                                "deviation\nmaxIter, svdSolver, randomState: accepted; the answer is always exact",
                  .nulls = kNulls,
                  .errors = kErrors,
                  .complexity = "O(rows · columns² + columns³)",
                  .example = "t = table(1 2 3 as x, 1 3 2 as y); pca(sqlDS(<select x, y from "
                             "t>)).explainedVarianceRatio -> [0.75,0.25]"},
                 kReads);
}

}  // namespace pelorus
