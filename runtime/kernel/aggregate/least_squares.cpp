#include "runtime/kernel/aggregate/least_squares.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "common/check.h"
#include "common/error.h"
#include "common/widest.h"
#include "runtime/function/context.h"
#include "runtime/kernel/aggregate/symmetric_eigen.h"
#include "runtime/serialize/received.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

LeastSquares::LeastSquares(int factors)
    : factors_(factors),
      means_(static_cast<size_t>(factors + 1), 0.0),
      moments_(static_cast<size_t>((factors + 1) * (factors + 1)), 0.0) {}

// Returns the sum of term(0) … term(n - 1), as partial sums in a fixed order that keep wide registers busy.
template <class Term>
static double sumOf(int64_t n, const Term& term) {
    return onWidest([=]() __attribute__((always_inline)) {
        constexpr int kLanes = 32;
        double sums[kLanes] = {};
        int64_t r = 0;
        for (; r + kLanes <= n; r += kLanes) {
            for (int lane = 0; lane < kLanes; ++lane) sums[lane] += term(r + lane);
        }
        for (int lane = 0; r < n; ++r, ++lane) sums[lane] += term(r);
        for (int half = kLanes / 2; half > 0; half /= 2) {
            for (int lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
        }
        return sums[0];
    });
}

static int64_t nullRowsOf(const std::vector<Ref<Vector>>& columns, int64_t begin, int64_t rows) {
    std::vector<uint64_t> marks(static_cast<size_t>(rows), 0);
    for (const Ref<Vector>& column : columns) {
        const double* from = column->data<double>() + begin;
        uint64_t* to = marks.data();
        onWidest([=]() __attribute__((always_inline)) {
            for (int64_t i = 0; i < rows; ++i) to[i] |= isNull(from[i]) ? 1 : 0;
        });
    }
    return static_cast<int64_t>(std::accumulate(marks.begin(), marks.end(), uint64_t{0}));
}

void LeastSquares::add(const Vector& y, std::span<const Ref<Vector>> x, const double* weights) {
    constexpr int64_t kBlock = 1024;
    CHECK(std::ssize(x) == factors_) << "a regression gets a column for each factor";
    for (const Ref<Vector>& v : x) CHECK(v->size() >= y.size()) << "each factor has a value for each row";
    std::vector<Ref<Vector>> columns;
    for (const Ref<Vector>& v : x) columns.push_back(cast(*v, Type::Double));
    columns.push_back(cast(y, Type::Double));
    const int w = width();
    std::vector<double> elements(static_cast<size_t>(w) * kBlock);
    for (int64_t begin = 0; begin < y.size(); begin += kBlock) {
        int64_t n = std::min(kBlock, y.size() - begin);
        LeastSquares block(factors_);
        block.count_ = n;
        block.weight_ = static_cast<double>(n);
        const double* weight = weights ? weights + begin : nullptr;
        if (weight) {
            block.weight_ = 0;
            for (int64_t i = 0; i < n; ++i) block.weight_ += weight[i];
            if (block.weight_ == 0) {
                count_ += n;
                nullRows_ += nullRowsOf(columns, begin, n);
                continue;
            }
        }
        uint64_t nulls = 0;  // not 0: some value is NULL, and the rows are checked
        for (int c = 0; c < w; ++c) {
            const double* from = columns[static_cast<size_t>(c)]->data<double>() + begin;
            double* to = elements.data() + static_cast<size_t>(c) * kBlock;
            nulls |= onWidest([=]() __attribute__((always_inline)) {
                uint64_t found = 0;
                for (int64_t i = 0; i < n; ++i) {
                    found |= isNull(from[i]) ? 1 : 0;
                    to[i] = isNull(from[i]) ? 0.0 : from[i];
                }
                return found;
            });
            const double sum = weight
                                   ? sumOf(
                                         n, [=](int64_t i) __attribute__((always_inline)) { return weight[i] * to[i]; })
                                   : sumOf(
                                         n, [=](int64_t i) __attribute__((always_inline)) { return to[i]; });
            const double mean = sum / block.weight_;
            onWidest([=]() __attribute__((always_inline)) {
                for (int64_t i = 0; i < n; ++i) to[i] -= mean;
            });
            block.means_[static_cast<size_t>(c)] = mean;
        }
        if (nulls != 0) nullRows_ += nullRowsOf(columns, begin, n);
        for (int i = 0; i < w; ++i) {
            for (int j = i; j < w; ++j) {
                const double* a = elements.data() + static_cast<size_t>(i) * kBlock;
                const double* b = elements.data() + static_cast<size_t>(j) * kBlock;
                block.moment(i, j) = block.moment(j, i) =
                    weight ? sumOf(
                                 n, [=](int64_t r) __attribute__((always_inline)) { return weight[r] * a[r] * b[r]; })
                           : sumOf(
                                 n, [=](int64_t r) __attribute__((always_inline)) { return a[r] * b[r]; });
            }
        }
        merge(block);
    }
}

void LeastSquares::merge(const LeastSquares& other) {
    if (other.count_ == 0) return;
    if (other.factors_ != factors_)
        throw UserError(1, "Moments of different factors can't be merged: " + std::to_string(factors_) + " and " +
                               std::to_string(other.factors_) + ".");
    count_ += other.count_;
    nullRows_ += other.nullRows_;
    if (other.weight_ == 0) return;
    double n = weight_, m = other.weight_;
    const int w = width();
    std::vector<double> delta(static_cast<size_t>(w));
    for (size_t c = 0; c < delta.size(); ++c) delta[c] = other.means_[c] - means_[c];
    for (int i = 0; i < w; ++i) {
        for (int j = 0; j < w; ++j) {
            moment(i, j) +=
                other.moment(i, j) + delta[static_cast<size_t>(i)] * delta[static_cast<size_t>(j)] * (n * m / (n + m));
        }
    }
    for (size_t c = 0; c < delta.size(); ++c) means_[c] += delta[c] * (m / (n + m));
    weight_ += other.weight_;
}

void LeastSquares::tellOfNulls(const Context& context, std::string_view function) const {
    if (nullRows_ == 0 || !context.request->print) return;
    context.request->print(
        fmt::format("{}: {} of {} rows hold a NULL, which counts as 0. Leave them out to use the others only.",
                    function, nullRows_, count_));
}

// Version of a saved state, its first number. It is on the network: another form takes another number below 0. The
// first form had none, and began with the number of factors.
static constexpr double kStateForm = -2;
static constexpr int64_t kStateHead = 5;

Value LeastSquares::save() const {
    std::vector<double> all{kStateForm, static_cast<double>(factors_), static_cast<double>(count_),
                            static_cast<double>(nullRows_), weight_};
    all.insert(all.end(), means_.begin(), means_.end());
    all.insert(all.end(), moments_.begin(), moments_.end());
    return Value::of(Vector::of(Type::Double, all));
}

LeastSquares LeastSquares::load(const Value& saved) {
    constexpr double kMaxFactors = 10'000;
    const auto require = [](bool fits) { received::require(fits, "moments of a regression"); };
    require(saved.isTypedVector() && saved.type() == Type::Double && saved.size() >= kStateHead);
    const double* p = saved.vector().data<double>();
    const double factors = p[1], count = p[2], nullRows = p[3];
    require(p[0] == kStateForm && factors >= 0 && factors <= kMaxFactors);
    require(count >= 0 && count < 1e18 && nullRows >= 0 && nullRows <= count);
    const auto width = static_cast<int64_t>(factors) + 1;
    require(saved.size() == kStateHead + width + width * width);
    LeastSquares result(static_cast<int>(factors));
    result.count_ = static_cast<int64_t>(count);
    result.nullRows_ = static_cast<int64_t>(nullRows);
    result.weight_ = p[4];
    p += kStateHead;
    for (double& m : result.means_) m = *p++;
    for (double& m : result.moments_) m = *p++;
    return result;
}

namespace {

// Returns the inverse on the range of the matrix. `free` receives directions of its null space.
std::vector<double> pseudoInverse(std::vector<double> a, int n, std::vector<std::vector<double>>& free) {
    auto at = [n](std::vector<double>& m, int i, int j) -> double& {
        return m[static_cast<size_t>(i) * static_cast<size_t>(n) + static_cast<size_t>(j)];
    };
    // The matrix is first scaled to a unit diagonal: factors of very different size keep their digits.
    std::vector<double> scale(static_cast<size_t>(n), 1.0);
    for (int i = 0; i < n; ++i) {
        if (at(a, i, i) > 0) scale[static_cast<size_t>(i)] = 1 / std::sqrt(at(a, i, i));
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) at(a, i, j) *= scale[static_cast<size_t>(i)] * scale[static_cast<size_t>(j)];
    }
    Eigen eigen = symmetricEigen(std::move(a), n);
    double largest = 0;
    for (double value : eigen.values) largest = std::max(largest, std::fabs(value));
    std::vector<double> inverse(static_cast<size_t>(n * n), 0.0);
    for (int k = 0; k < n; ++k) {
        double value = eigen.values[static_cast<size_t>(k)];
        if (std::fabs(value) <= largest * n * 1e-15) {
            std::vector<double> direction;
            for (int i = 0; i < n; ++i) direction.push_back(scale[static_cast<size_t>(i)] * at(eigen.vectors, i, k));
            free.push_back(std::move(direction));
            continue;
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                at(inverse, i, j) += at(eigen.vectors, i, k) * at(eigen.vectors, j, k) / value;
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) at(inverse, i, j) *= scale[static_cast<size_t>(i)] * scale[static_cast<size_t>(j)];
    }
    return inverse;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

// Removes the components along the directions `free` from a vector. REQUIRES: they are of unit length and orthogonal.
void removeParts(std::vector<double>& x, const std::vector<std::vector<double>>& free) {
    for (const auto& direction : free) {
        const double part = dot(x, direction);
        for (size_t i = 0; i < x.size(); ++i) x[i] -= part * direction[i];
    }
}

std::vector<std::vector<double>> orthonormal(const std::vector<std::vector<double>>& directions) {
    std::vector<std::vector<double>> result;
    for (std::vector<double> direction : directions) {
        removeParts(direction, result);
        const double length = std::sqrt(dot(direction, direction));
        if (length < 1e-12) continue;
        for (double& x : direction) x /= length;
        result.push_back(std::move(direction));
    }
    return result;
}

double twoSidedP(double t, double degrees) {
    if (degrees <= 0 || !std::isfinite(t)) return std::isinf(t) ? 0.0 : null<double>;
    boost::math::students_t distribution(degrees);
    return 2 * boost::math::cdf(boost::math::complement(distribution, std::fabs(t)));
}

}  // namespace

LeastSquares::Fit LeastSquares::fit(bool intercept) const {
    const int p = factors_;
    const double n = weight_;
    // Without an intercept the moments are about zero instead of the mean.
    auto about = [&](int i, int j) {
        double m = moment(i, j);
        return intercept ? m : m + n * means_[static_cast<size_t>(i)] * means_[static_cast<size_t>(j)];
    };
    std::vector<double> xx(static_cast<size_t>(p * p));
    for (int i = 0; i < p; ++i) {
        for (int j = 0; j < p; ++j)
            xx[static_cast<size_t>(i) * static_cast<size_t>(p) + static_cast<size_t>(j)] = about(i, j);
    }
    std::vector<std::vector<double>> free;
    std::vector<double> inverse = pseudoInverse(xx, p, free);
    std::vector<double> beta(static_cast<size_t>(p), 0.0);
    for (int i = 0; i < p; ++i) {
        for (int j = 0; j < p; ++j)
            beta[static_cast<size_t>(i)] +=
                inverse[static_cast<size_t>(i) * static_cast<size_t>(p) + static_cast<size_t>(j)] * about(j, p);
    }
    CHECK(std::ssize(inverse) == int64_t{p} * p) << "the inverse has the shape of the factors' moments";
    Fit fit{};
    fit.singular = !free.empty();
    fit.count = count_;
    fit.totalSquares = about(p, p);
    for (int i = 0; i < p; ++i) fit.regressionSquares += beta[static_cast<size_t>(i)] * about(i, p);
    fit.residualSquares = std::max(0.0, fit.totalSquares - fit.regressionSquares);
    fit.regressionDegrees = p;
    fit.residualDegrees = count_ - p - (intercept ? 1 : 0);
    const auto degrees = static_cast<double>(fit.residualDegrees);
    double variance = degrees > 0 ? fit.residualSquares / degrees : null<double>;
    fit.residualError = degrees > 0 ? std::sqrt(variance) : null<double>;
    fit.r2 = fit.totalSquares > 0 ? 1 - fit.residualSquares / fit.totalSquares : null<double>;
    const auto totalDegrees = static_cast<double>(count_ - (intercept ? 1 : 0));
    fit.adjustedR2 = degrees > 0 && fit.totalSquares > 0 ? 1 - (1 - fit.r2) * totalDegrees / degrees : null<double>;
    fit.f = degrees > 0 && variance > 0 ? fit.regressionSquares / p / variance : null<double>;
    fit.significance = null<double>;
    if (!isNull(fit.f) && fit.f >= 0) {
        boost::math::fisher_f distribution(p, degrees);
        fit.significance = boost::math::cdf(boost::math::complement(distribution, fit.f));
    }
    auto add = [&](double b, double relativeVariance) {
        double se = degrees > 0 ? std::sqrt(variance * relativeVariance) : null<double>;
        double t = degrees > 0 && se > 0 ? b / se : null<double>;
        fit.beta.push_back(b);
        fit.standardError.push_back(se);
        fit.tStatistic.push_back(t);
        fit.pValue.push_back(isNull(t) ? null<double> : twoSidedP(t, degrees));
    };
    // Covers all coefficients, the intercept first, and their covariance.
    const size_t shift = intercept ? 1 : 0, all = static_cast<size_t>(p) + shift;
    std::vector<double> coefficients(all, 0.0);
    std::vector<std::vector<double>> spread(all, std::vector<double>(all, 0.0));
    auto mean = [&](size_t i) { return means_[i]; };
    const auto factors = static_cast<size_t>(p);
    for (size_t i = 0; i < factors; ++i) {
        coefficients[i + shift] = beta[i];
        for (size_t j = 0; j < factors; ++j) spread[i + shift][j + shift] = inverse[i * factors + j];
    }
    if (intercept) {
        coefficients[0] = mean(factors);
        spread[0][0] = 1 / n;
        for (size_t i = 0; i < factors; ++i) {
            coefficients[0] -= beta[i] * mean(i);
            for (size_t j = 0; j < factors; ++j) {
                spread[0][0] += mean(i) * inverse[i * factors + j] * mean(j);
                spread[0][i + 1] -= inverse[i * factors + j] * mean(j);
            }
            spread[i + 1][0] = spread[0][i + 1];
        }
    }
    // Collinear factors leave the coefficients open: those of min norm are chosen.
    if (fit.singular) {
        std::vector<std::vector<double>> directions;
        for (const std::vector<double>& direction : free) {
            std::vector<double> whole(shift, 0.0);
            whole.insert(whole.end(), direction.begin(), direction.end());
            for (size_t i = 0; intercept && i < factors; ++i) whole[0] -= mean(i) * direction[i];
            directions.push_back(std::move(whole));
        }
        directions = orthonormal(directions);
        removeParts(coefficients, directions);
        for (auto& row : spread) removeParts(row, directions);
        for (size_t c = 0; c < all; ++c) {
            std::vector<double> column;
            for (const auto& row : spread) column.push_back(row[c]);
            removeParts(column, directions);
            for (size_t r = 0; r < all; ++r) spread[r][c] = column[r];
        }
    }
    for (size_t i = 0; i < all; ++i) add(coefficients[i], std::max(0.0, spread[i][i]));
    return fit;
}

static Value doubles(const std::vector<double>& elements) {
    return Value::of(Vector::of(Type::Double, elements));
}
static Value strings(const std::vector<std::string>& elements) {
    return Value::of(Vector::ofStrings(elements));
}

static Value tableOf(std::vector<std::string> names, std::vector<Value> columns) {
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(columns))));
}

Value fitResult(const LeastSquares::Fit& fit, const std::vector<std::string>& names, bool intercept, int64_t mode) {
    if (mode == 0) return doubles(fit.beta);
    std::vector<std::string> factors = names;
    if (intercept) factors.insert(factors.begin(), "intercept");
    Value coefficients = tableOf({"factor", "beta", "stdError", "tstat", "pvalue"},
                                 {strings(factors), doubles(fit.beta), doubles(fit.standardError),
                                  doubles(fit.tStatistic), doubles(fit.pValue)});
    if (mode == 1) return coefficients;
    double residualMean =
        fit.residualDegrees > 0 ? fit.residualSquares / static_cast<double>(fit.residualDegrees) : null<double>;
    Value anova = tableOf(
        {"Breakdown", "DF", "SS", "MS", "F", "Significance"},
        {strings({"Regression", "Residual", "Total"}),
         Value::of(Vector::of(Type::Long, std::vector<int64_t>{fit.regressionDegrees, fit.residualDegrees,
                                                               fit.regressionDegrees + fit.residualDegrees})),
         doubles({fit.regressionSquares, fit.residualSquares, fit.totalSquares}),
         doubles({fit.regressionSquares / static_cast<double>(fit.regressionDegrees), residualMean, null<double>}),
         doubles({fit.f, null<double>, null<double>}), doubles({fit.significance, null<double>, null<double>})});
    Value regression = tableOf({"item", "statistics"},
                               {strings({"R2", "AdjustedR2", "StdError", "Observations"}),
                                doubles({fit.r2, fit.adjustedR2, fit.residualError, static_cast<double>(fit.count)})});
    auto result = makeRef<Dictionary>(Type::String, Type::Any, true);
    result->set(Value::ofString("Coefficient"), coefficients);
    result->set(Value::ofString("RegressionStat"), regression);
    result->set(Value::ofString("ANOVA"), anova);
    return Value::of(result);
}

}  // namespace pelorus
