// vectorNorm: norms of vectors and matrices.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/kernel/forms/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/matrix/singular_values.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// A number, or one of the named norms.
struct Order {
    enum class Kind : uint8_t { None, Number, Nuclear, Frobenius } kind = Kind::None;
    double number = 2;
};

Order orderArgument(Arguments a, size_t i) {
    if (!isGiven(a, i)) return {};
    if (!a[i].isString()) return {Order::Kind::Number, realArgument(a, i, "ord")};
    std::string_view name = a[i].string();
    if (name == "inf") return {Order::Kind::Number, INFINITY};
    if (name == "-inf") return {Order::Kind::Number, -INFINITY};
    if (name == "nuc") return {Order::Kind::Nuclear, 0};
    if (name == "fro") return {Order::Kind::Frobenius, 0};
    refuseArgument(i, "ord", "a number, inf, -inf, nuc or fro", a[i]);
}

double normOf(const std::vector<double>& x, const Order& order) {
    if (order.kind == Order::Kind::Nuclear || order.kind == Order::Kind::Frobenius)
        throw UserError(1, "A vector has no norm of that name.", "nuc and fro are norms of matrices.");
    double p = order.number;
    auto absolute = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
    if (p == INFINITY) return std::fabs(*std::max_element(x.begin(), x.end(), absolute));
    if (p == -INFINITY) return std::fabs(*std::min_element(x.begin(), x.end(), absolute));
    double sum = 0;
    for (double element : x)
        sum += p == 0 ? element != 0 : p == 2 ? element * element : std::pow(std::fabs(element), p);
    return p == 0 ? sum : p == 2 ? std::sqrt(sum) : std::pow(sum, 1 / p);
}

// `lines` run along the axis that is summed: the columns when rowsFirst, and the rows otherwise.
double matrixNorm(const std::vector<std::vector<double>>& columns, const std::vector<std::vector<double>>& rows,
                  const Order& order, bool rowsFirst) {
    auto sums = [](const std::vector<std::vector<double>>& lines) {
        std::vector<double> result;
        for (const auto& line : lines) result.push_back(normOf(line, {Order::Kind::Number, 1}));
        return result;
    };
    auto largest = [](std::vector<double> v) { return *std::max_element(v.begin(), v.end()); };
    auto smallest = [](std::vector<double> v) { return *std::min_element(v.begin(), v.end()); };
    if (order.kind == Order::Kind::None || order.kind == Order::Kind::Frobenius) {
        double sum = 0;
        for (const auto& column : columns) {
            for (double x : column) sum += x * x;
        }
        return std::sqrt(sum);
    }
    if (order.kind == Order::Kind::Number && std::fabs(order.number) != 1 && std::fabs(order.number) != 2 &&
        std::fabs(order.number) != INFINITY) {
        throw UserError(1, "ord must be 1, -1, 2, -2, inf, -inf, nuc or fro for a matrix.");
    }
    const bool isOfSums = order.kind == Order::Kind::Number && std::fabs(order.number) != 2;
    const std::vector<double> singular = isOfSums ? std::vector<double>() : singularValuesOf(columns);
    if (order.kind == Order::Kind::Nuclear) return std::accumulate(singular.begin(), singular.end(), 0.0);
    const auto& first = rowsFirst ? columns : rows;
    const auto& second = rowsFirst ? rows : columns;
    if (order.number == 1) return largest(sums(first));
    if (order.number == -1) return smallest(sums(first));
    if (order.number == 2) return largest(singular);
    if (order.number == -2) return smallest(singular);
    if (order.number == INFINITY) return largest(sums(second));
    return smallest(sums(second));
}

// vectorNorm(x, [ord], [axis], [keepDims=false])
Value vectorNormKernel(Context&, Arguments a) {
    Order order = orderArgument(a, 1);
    bool keep = flagArgument(a, 3, "keepDims", false);
    Ref<Vector> cells = realsArgument(a, 0, "x");
    if (cells->size() == 0) refuseArgument(0, "x", "not empty", a[0]);
    auto element = [&](int64_t i) {
        double x = cells->data<double>()[i];
        return isNull(x) ? 0 : x;
    };
    if (!a[0].isMatrix()) {
        std::vector<double> x;
        for (int64_t i = 0; i < cells->size(); ++i) x.push_back(element(i));
        double norm = normOf(x, order);
        return keep && a[0].isVector() ? Value::of(Vector::of(Type::Double, std::vector<double>{norm}))
                                       : Value::ofDouble(norm);
    }
    int64_t rowCount = a[0].matrix().rows, columnCount = a[0].matrix().columns;
    std::vector<std::vector<double>> columns(static_cast<size_t>(columnCount)), rows(static_cast<size_t>(rowCount));
    for (int64_t c = 0; c < columnCount; ++c) {
        for (int64_t r = 0; r < rowCount; ++r) {
            columns[static_cast<size_t>(c)].push_back(element(c * rowCount + r));
            rows[static_cast<size_t>(r)].push_back(element(c * rowCount + r));
        }
    }
    std::vector<int64_t> axes;
    if (isGiven(a, 2)) {
        for (int64_t i = 0; i < a[2].size(); ++i) {
            Value axis = a[2].isScalar() ? a[2] : a[2].at(i);
            if (!axis.isNumber() || (axis.asLong() != 0 && axis.asLong() != 1))
                refuseArgument(2, "axis", "0, 1 or both", a[2]);
            axes.push_back(axis.asLong());
        }
    }
    if (axes.size() == 1) {
        std::vector<double> norms;
        for (const auto& line : axes[0] == 0 ? columns : rows) norms.push_back(normOf(line, order));
        auto count = static_cast<int64_t>(norms.size());
        Ref<Vector> out = Vector::of(Type::Double, norms);
        if (!keep) return Value::of(out);
        return Value::of(makeRef<Matrix>(out, axes[0] == 0 ? 1 : count, axes[0] == 0 ? count : 1));
    }
    if (axes.size() > 2 || (axes.size() == 2 && axes[0] == axes[1])) refuseArgument(2, "axis", "0, 1 or both", a[2]);
    double norm = matrixNorm(columns, rows, order, axes.empty() || axes[0] == 0);
    if (!keep) return Value::ofDouble(norm);
    return Value::of(makeRef<Matrix>(Vector::of(Type::Double, std::vector<double>{norm}), 1, 1));
}

}  // namespace

void registerNorms(FunctionRegistry& registry) {
    registry.add(
        "vectorNorm(x, [ord], [axis], [keepDims=false])", vectorNormKernel,
        {.summary = "The norm of a vector or matrix; with one axis, of each column (0) or row (1).",
         .parameters = "ord: a number, inf or -inf; of a matrix also nuc (the sum of singular values) and fro.",
         .nulls = "NULL counts as 0.",
         .errors = "There is no such norm.",
         .example = "vectorNorm(3 4) -> 5\nvectorNorm(matrix(3 4, 0 1), axis=0) -> [5,1]"});
}

}  // namespace pelorus
