// anova and manova: do groups differ in their means?
#include <fmt/format.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/matrix/dense_solve.h"
#include "stdlib/named_results.h"
#include "stdlib/number_columns.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// anova(X)
Value anovaKernel(Context&, Arguments a) {
    if (!a[0].isMatrix() && !a[0].isTable()) refuseArgument(0, "X", "a matrix or a table", a[0]);
    const NumberColumns x = columnsArgument(a, 0, "X", NullCells::Kept);
    double count = 0, sum = 0, within = 0, between = 0;
    std::vector<std::pair<double, double>> groups;  // count and mean
    for (const auto& column : x.columns) {
        double n = 0, mean = 0;
        for (const double v : column) {
            if (isNull(v)) continue;
            ++n;
            const double away = v - mean;
            mean += away / n;
            within += away * (v - mean);
        }
        groups.emplace_back(n, mean);
        count += n;
        sum += n * mean;
    }
    const double mean = sum / count;
    for (const auto& [n, own] : groups) between += n * (own - mean) * (own - mean);
    const double parts = static_cast<double>(groups.size()) - 1, freedom = count - static_cast<double>(groups.size());
    const bool hasTest = parts > 0 && freedom > 0 && within > 0;
    const double f = hasTest ? between / parts / (within / freedom) : null<double>;
    auto result = orderedResult();
    addMember(*result, "pValue",
              Value::ofDouble(hasTest && std::isfinite(f)
                                  ? boost::math::cdf(boost::math::complement(boost::math::fisher_f(parts, freedom), f))
                                  : null<double>));
    addMember(*result, "fValue", Value::ofDouble(f));
    addMember(*result, "ssBetween", Value::ofDouble(between));
    addMember(*result, "dfBetween", Value::ofInt(static_cast<int32_t>(parts)));
    addMember(*result, "ssWithin", Value::ofDouble(within));
    addMember(*result, "dfWithin", Value::ofInt(static_cast<int32_t>(freedom)));
    return Value::of(std::move(result));
}

// Sums of products of columns, column by column.
using Products = std::vector<double>;

Products products(const std::vector<std::vector<double>>& columns) {
    Products result;
    for (const auto& a : columns) {
        for (const auto& b : columns) {
            double sum = 0;
            for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
            result.push_back(sum);
        }
    }
    return result;
}

// The groups of the rows, in ascending order.
struct Groups {
    std::vector<size_t> of;      // of each row
    std::vector<int64_t> first;  // a row of each
    std::vector<double> counts;
};

Groups groupsOf(const Vector& labels) {
    std::vector<int64_t> order;
    for (int64_t i = 0; i < labels.size(); ++i) {
        if (labels.isNullAt(i)) throw UserError(1, "group must be without NULL.");
        order.push_back(i);
    }
    const bool isText = isLiteral(labels.type());
    std::ranges::stable_sort(order, [&](int64_t i, int64_t k) {
        return isText ? labels.string(i) < labels.string(k) : labels.asDouble(i) < labels.asDouble(k);
    });
    const auto isSame = [&](int64_t i, int64_t k) {
        return isText ? labels.string(i) == labels.string(k) : labels.asDouble(i) == labels.asDouble(k);
    };
    Groups groups;
    groups.of.resize(order.size());
    for (const int64_t row : order) {
        if (groups.first.empty() || !isSame(groups.first.back(), row)) {
            groups.first.push_back(row);
            groups.counts.push_back(0);
        }
        ++groups.counts.back();
        groups.of[static_cast<size_t>(row)] = groups.first.size() - 1;
    }
    return groups;
}

// Solves B v = e W v: values descending, and vectors with v'Wv = freedom of W, their elements 0 or more on average.
struct Canonical {
    std::vector<double> values, vectors;
};
Canonical canonicalOf(const Products& between, const Products& within, size_t p, double freedom) {
    const std::vector<double> triangle = choleskyFactor(within, p);
    if (triangle.empty()) throw UserError(0, "The columns of X follow from each other within the groups.");
    // M = L^-1 B L^-T by two triangular solutions.
    std::vector<double> m = between;
    const auto solveColumns = [&](std::vector<double>& cells) {
        for (size_t c = 0; c < p; ++c) solveLower(triangle, p, cells.data() + c * p);
    };
    const auto transpose = [&](std::vector<double>& cells) {
        for (size_t c = 0; c < p; ++c) {
            for (size_t r = 0; r < c; ++r) std::swap(cells[c * p + r], cells[r * p + c]);
        }
    };
    solveColumns(m);
    transpose(m);
    solveColumns(m);
    const std::vector<double> ascending = eigenvaluesOf(m, p);
    Canonical result;
    for (size_t k = p; k-- > 0;) {
        result.values.push_back(ascending[k]);
        std::vector<double> v(m.begin() + static_cast<ptrdiff_t>(k * p),
                              m.begin() + static_cast<ptrdiff_t>((k + 1) * p));
        for (size_t r = p; r-- > 0;) {  // L'^-1
            for (size_t i = r + 1; i < p; ++i) v[r] -= triangle[r * p + i] * v[i];
            v[r] /= triangle[r * p + r];
        }
        double sum = 0;
        for (const double e : v) sum += e;
        for (double& e : v) e *= std::sqrt(freedom) * (sum < 0 ? -1 : 1);
        result.vectors.insert(result.vectors.end(), v.begin(), v.end());
    }
    return result;
}

// Returns the squares of Mahalanobis' distance of differences, by the covariance within groups.
double mahalanobis(const Products& within, double freedom, const std::vector<double>& away) {
    std::vector<double> solved = away;
    if (!solveDense(within, solved, away.size())) return null<double>;
    double sum = 0;
    for (size_t i = 0; i < away.size(); ++i) sum += away[i] * solved[i];
    return sum * freedom;
}

// manova(X, group)
Value manovaKernel(Context&, Arguments a) {
    if (!a[0].isMatrix() && !a[0].isTable()) refuseArgument(0, "X", "a matrix or a table", a[0]);
    const NumberColumns x = columnsArgument(a, 0, "X", NullCells::Refused);
    if (!a[1].isTypedVector() || a[1].size() != static_cast<int64_t>(x.rows))
        refuseArgument(1, "group", fmt::format("a vector of {} elements", x.rows), a[1]);
    if (!isLiteral(a[1].type()) && !isNumeric(a[1].type()) && !isTemporal(a[1].type()))
        refuseArgument(1, "group", "a vector of numbers, times or strings", a[1]);
    const Groups groups = groupsOf(a[1].vector());
    const size_t p = x.width(), g = groups.first.size(), n = x.rows;
    if (g < 2 || n <= g) throw UserError(1, "There must be two groups, and more rows than groups.");
    const double freedom = static_cast<double>(n - g);
    std::vector<std::vector<double>> total = x.columns, inside = x.columns, means(p, std::vector<double>(g, 0.0));
    for (size_t c = 0; c < p; ++c) {
        double mean = 0;
        for (size_t i = 0; i < n; ++i) {
            means[c][groups.of[i]] += x.columns[c][i] / groups.counts[groups.of[i]];
            mean += x.columns[c][i] / static_cast<double>(n);
        }
        for (size_t i = 0; i < n; ++i) {
            total[c][i] -= mean;
            inside[c][i] -= means[c][groups.of[i]];
        }
    }
    const Products t = products(total), w = products(inside);
    Products b = t;
    for (size_t i = 0; i < b.size(); ++i) b[i] -= w[i];
    const Canonical canonical = canonicalOf(b, w, p, freedom);
    std::vector<double> lambda, chi, probabilities;
    std::vector<int32_t> chiFreedom;
    for (size_t d = 0; d < std::min(p, g - 1); ++d) {
        double product = 1;
        for (size_t i = d; i < p; ++i) product /= 1 + std::max(0.0, canonical.values[i]);
        const double degrees = static_cast<double>((p - d) * (g - 1 - d));
        lambda.push_back(product);
        chi.push_back(-(static_cast<double>(n) - 1 - static_cast<double>(p + g) / 2) * std::log(product));
        chiFreedom.push_back(static_cast<int32_t>(degrees));
        probabilities.push_back(
            chi.back() >= 0 ? boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees), chi.back()))
                            : 1);
    }
    std::vector<double> scores(n * p, 0.0), distances(n), between(g * g, 0.0);
    for (size_t i = 0; i < n; ++i) {
        std::vector<double> away;
        for (size_t c = 0; c < p; ++c) away.push_back(inside[c][i]);
        distances[i] = mahalanobis(w, freedom, away);
        for (size_t k = 0; k < p; ++k) {
            for (size_t c = 0; c < p; ++c) scores[k * n + i] += total[c][i] * canonical.vectors[k * p + c];
        }
    }
    for (size_t i = 0; i < g; ++i) {
        for (size_t k = 0; k < g; ++k) {
            std::vector<double> away;
            for (size_t c = 0; c < p; ++c) away.push_back(means[c][i] - means[c][k]);
            between[i * g + k] = i == k ? 0 : mahalanobis(w, freedom, away);
        }
    }
    auto result = orderedResult();
    addMember(*result, "W", matrixOf(w, p, p));
    addMember(*result, "B", matrixOf(b, p, p));
    addMember(*result, "T", matrixOf(t, p, p));
    addMember(*result, "dfW", Value::ofInt(static_cast<int32_t>(n - g)));
    addMember(*result, "dfB", Value::ofInt(static_cast<int32_t>(g - 1)));
    addMember(*result, "dfT", Value::ofInt(static_cast<int32_t>(n - 1)));
    addMember(*result, "lambda", realsOf(lambda));
    addMember(*result, "chisq", realsOf(chi));
    addMember(*result, "chisqdf", Value::of(Vector::of(Type::Int, chiFreedom)));
    addMember(*result, "P", realsOf(probabilities));
    addMember(*result, "eigenval", realsOf(canonical.values));
    addMember(*result, "eigenvec", matrixOf(canonical.vectors, p, p));
    addMember(*result, "canon", matrixOf(scores, n, p));
    addMember(*result, "mdist", realsOf(distances));
    addMember(*result, "gmdist", matrixOf(between, g, g));
    addMember(*result, "gnames", Value::of(a[1].vector().gather(groups.first.data(), static_cast<int64_t>(g))));
    return Value::of(std::move(result));
}

}  // namespace

void registerVarianceAnalysis(FunctionRegistry& registry) {
    registry.add(
        "anova(X)", anovaKernel,
        {.summary = "The analysis of variance of one factor: a dictionary of pValue, fValue, ssBetween, dfBetween, "
                    "ssWithin and dfWithin.",
         .parameters = "X: a matrix or a table with a column for each group",
         .nulls = "NULLs are left out; pValue and fValue are NULL where nothing varies.",
         .errors = "X is no matrix or table of numbers.",
         .complexity = "O(cells)",
         .source = "Fisher 1925",
         .example = "anova(matrix(1 2 3, 4 5 6))[`fValue] -> 13.5"});
    registry.add(
        "manova(X, group)", manovaKernel,
        {.summary = "The multivariate analysis of variance: a dictionary of W, B and T (sums of products within and "
                    "between groups, and of all) with dfW, dfB, dfT, Wilks' lambda, chisq, chisqdf and P for each "
                    "dimension, eigenval and eigenvec of W^-1 B, canon (canonical variables), mdist (squared "
                    "Mahalanobis distances of rows from their group), gmdist (between groups) and gnames.",
         .parameters = "X: a matrix or a table with a column for each variable\ngroup: the group of each row",
         .nulls = "There must be none.",
         .errors = "There are fewer than two groups; columns follow from each other; lengths differ.",
         .complexity = "O(rows · variables²)",
         .source = "Krzanowski, Principles of Multivariate Analysis",
         .example = "manova(matrix(1 2 3 7 8 9, 2 1 4 8 7 9), 1 1 1 2 2 2)[`lambda].round(4) -> [0.0668]"
                    "\nmanova(matrix(1 2 3 7 8 9, 2 1 4 8 7 9), 1 1 1 2 2 2)"});
}

}  // namespace pelorus
