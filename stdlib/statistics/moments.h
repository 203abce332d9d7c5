// States of sums and moments. runtime/kernel/aggregate/aggregate.h defines the interface of a state.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/type_table.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/aggregate/lane_sums.h"
#include "runtime/kernel/aggregate/wide_total.h"

namespace pelorus {

inline double finiteOrNull(double x) {
    return std::isfinite(x) ? x : null<double>;
}

struct Count {
    int64_t count = 0;
    void add(double) { ++count; }
    void merge(const Count& other) { count += other.count; }
    int32_t result() const { return static_cast<int32_t>(count); }
};

// The exact sum of integers; NULL when a LONG cannot hold it.
struct IntegerSum {
    WideTotal total;
    int64_t count = 0;
    void add(int64_t x) {
        total.add(x);
        ++count;
    }
    void addAll(const int64_t* elements, int64_t rows) {
        const auto [sum, valid] = integerTotal(elements, rows);
        total.add(sum);
        count += valid;
    }
    void merge(const IntegerSum& other) {
        total.add(other.total);
        count += other.count;
    }
    int64_t result() const { return count == 0 ? null<int64_t> : total.orNull(); }
};

struct RealSum {
    CompensatedSum sum;
    int64_t count = 0;
    void add(double x) {
        sum.add(x);
        ++count;
    }
    void addAll(const double* elements, int64_t rows) { count += addInLanes(sum, elements, rows); }
    void merge(const RealSum& other) {
        sum.merge(other.sum);
        count += other.count;
    }
    double result() const { return count == 0 ? null<double> : finiteOrNull(sum.value()); }
};

struct Mean {
    CompensatedSum sum;
    int64_t count = 0;
    void add(double x) {
        sum.add(x);
        ++count;
    }
    void addAll(const double* elements, int64_t rows) { count += addInLanes(sum, elements, rows); }
    void merge(const Mean& other) {
        sum.merge(other.sum);
        count += other.count;
    }
    double result() const { return count == 0 ? null<double> : finiteOrNull(sum.value() / static_cast<double>(count)); }
};

// The sum of X to the power of kPower.
template <int kPower>
struct PowerSum {
    CompensatedSum sum;
    int64_t count = 0;
    void add(double x) {
        double term = x;
        for (int i = 1; i < kPower; ++i) term *= x;
        sum.add(term);
        ++count;
    }
    void merge(const PowerSum& other) {
        sum.merge(other.sum);
        count += other.count;
    }
    double result() const { return count == 0 ? null<double> : finiteOrNull(sum.value()); }
};

struct Product {
    double product = 1;
    int64_t count = 0;
    void add(double x) {
        product *= x;
        ++count;
    }
    void merge(const Product& other) {
        product *= other.product;
        count += other.count;
    }
    double result() const { return count == 0 ? null<double> : finiteOrNull(product); }
};

// The exact product of integers; NULL when a LONG cannot hold it.
struct IntegerProduct {
    int64_t product = 1;  // product of the factors other than 0
    int64_t count = 0;
    int32_t hasZero = 0;
    int32_t isTooLarge = 0;  // for good: factors other than 0 make no product smaller
    void add(int64_t x) {
        multiply(x);
        ++count;
    }
    void merge(const IntegerProduct& other) {
        multiply(other.product);
        hasZero |= other.hasZero;
        isTooLarge |= other.isTooLarge;
        count += other.count;
    }
    int64_t result() const {
        if (count == 0) return null<int64_t>;
        if (hasZero) return 0;
        return isTooLarge ? null<int64_t> : product;
    }

private:
    void multiply(int64_t x) {
        if (x == 0)
            hasZero = 1;
        else if (__builtin_mul_overflow(product, x, &product))
            isTooLarge = 1;
    }
};

// Moments count from an origin, the first value: an offset common to all values is subtracted before digits are lost
// (1e8 + noise is as exact as the noise). `mean` is relative to it.

// The central moments up to the fourth, updated value by value and merged pairwise (Pébay 2008): no cancellation as in
// sums of powers.
struct Moments {
    double count = 0, origin = 0, mean = 0, m2 = 0, m3 = 0, m4 = 0;

    void add(double x) {
        Moments one;
        one.count = 1;
        one.origin = x;
        merge(one);
    }
    void merge(const Moments& other) {
        if (other.count == 0) return;
        if (count == 0) {
            *this = other;
            return;
        }
        double n = count + other.count, delta = (other.origin - origin) + (other.mean - mean);
        double share = delta / n, product = count * other.count;
        double nextM4 =
            m4 + other.m4 +
            delta * share * share * share * product * (count * count - product + other.count * other.count) +
            6 * share * share * (count * count * other.m2 + other.count * other.count * m2) +
            4 * share * (count * other.m3 - other.count * m3);
        m3 += other.m3 + delta * share * share * product * (count - other.count) +
              3 * share * (count * other.m2 - other.count * m2);
        m2 += other.m2 + delta * share * product;
        mean += share * other.count;
        m4 = nextM4;
        count = n;
    }
};

// The first two moments, in a cheaper form (Welford).
struct Spread {
    double count = 0, origin = 0, mean = 0, m2 = 0;

    void add(double x) {
        if (count == 0) origin = x;
        count += 1;
        double element = x - origin, delta = element - mean;
        mean += delta / count;
        m2 += delta * (element - mean);
    }
    void merge(const Spread& other) {
        if (other.count == 0) return;
        if (count == 0) {
            *this = other;
            return;
        }
        double n = count + other.count, delta = (other.origin - origin) + (other.mean - mean);
        m2 += other.m2 + delta * delta * count * other.count / n;
        mean += delta * other.count / n;
        count = n;
    }
    double center() const { return origin + mean; }
};

struct Variance : Spread {
    double result() const { return count < 2 ? null<double> : finiteOrNull(m2 / (count - 1)); }
};
struct PopulationVariance : Spread {
    double result() const { return count < 1 ? null<double> : finiteOrNull(m2 / count); }
};
struct StandardDeviation : Spread {
    double result() const { return count < 2 ? null<double> : finiteOrNull(std::sqrt(m2 / (count - 1))); }
};
struct PopulationDeviation : Spread {
    double result() const { return count < 1 ? null<double> : finiteOrNull(std::sqrt(m2 / count)); }
};
// The standard error of the mean.
struct StandardError : Spread {
    double result() const { return count < 2 ? null<double> : finiteOrNull(std::sqrt(m2 / (count - 1) / count)); }
};

// The skewness, or kurtosis (not excess); unbiased by the sample formulas.
template <bool kKurtosis, bool kBiased>
struct Shape : Moments {
    double result() const {
        if (count < (kKurtosis ? (kBiased ? 3 : 4) : (kBiased ? 1 : 3))) return null<double>;
        if (count == 0 || m2 == 0) return null<double>;
        double n = count;
        if (!kKurtosis) {
            double biased = std::sqrt(n) * m3 / std::pow(m2, 1.5);
            return finiteOrNull(kBiased ? biased : biased * std::sqrt(n * (n - 1)) / (n - 2));
        }
        double biased = n * m4 / (m2 * m2);
        if (kBiased) return finiteOrNull(biased);
        return finiteOrNull((n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * biased - 3 * (n - 1)) + 3);
    }
};

// The moments of pairs: means, spreads and the co-moment.
struct Comoments {
    double count = 0, originX = 0, originY = 0, meanX = 0, meanY = 0, m2X = 0, m2Y = 0, cXY = 0;

    void add(double x, double y) {
        if (count == 0) originX = x, originY = y;
        count += 1;
        double p = x - originX, q = y - originY;
        double dx = p - meanX, dy = q - meanY;
        meanX += dx / count;
        meanY += dy / count;
        m2X += dx * (p - meanX);
        m2Y += dy * (q - meanY);
        cXY += dx * (q - meanY);
    }
    void merge(const Comoments& other) {
        if (other.count == 0) return;
        if (count == 0) {
            *this = other;
            return;
        }
        double n = count + other.count;
        double dx = (other.originX - originX) + (other.meanX - meanX);
        double dy = (other.originY - originY) + (other.meanY - meanY);
        double weight = count * other.count / n;
        m2X += other.m2X + dx * dx * weight;
        m2Y += other.m2Y + dy * dy * weight;
        cXY += other.cXY + dx * dy * weight;
        meanX += dx * other.count / n;
        meanY += dy * other.count / n;
        count = n;
    }
    double centerX() const { return originX + meanX; }
    double centerY() const { return originY + meanY; }
};

struct Covariance : Comoments {
    double result() const { return count < 2 ? null<double> : finiteOrNull(cXY / (count - 1)); }
};
struct PopulationCovariance : Comoments {
    double result() const { return count < 1 ? null<double> : finiteOrNull(cXY / count); }
};
struct Correlation : Comoments {
    double result() const {
        double scale = std::sqrt(m2X) * std::sqrt(m2Y);
        return count < 2 || scale == 0 ? null<double> : finiteOrNull(cXY / scale);
    }
};
// The slope of the regression of X on Y.
struct Beta : Comoments {
    double result() const { return count < 2 || m2Y == 0 ? null<double> : finiteOrNull(cXY / m2Y); }
};

struct WeightedSum {
    CompensatedSum sum;
    int64_t count = 0;
    void add(double x, double y) {
        sum.add(x * y);
        ++count;
    }
    void merge(const WeightedSum& other) {
        sum.merge(other.sum);
        count += other.count;
    }
    double result() const { return count == 0 ? null<double> : finiteOrNull(sum.value()); }
};

// The Euclidean distance of two points.
struct EuclideanDistance {
    CompensatedSum squares;
    int64_t count = 0;
    void add(double x, double y) {
        squares.add((x - y) * (x - y));
        ++count;
    }
    void merge(const EuclideanDistance& other) {
        squares.merge(other.squares);
        count += other.count;
    }
    double result() const { return count == 0 ? null<double> : finiteOrNull(std::sqrt(squares.value())); }
};

// The sums of xy, xx and yy.
struct ProductSums {
    CompensatedSum products, xs, ys;
    int64_t count = 0;
    void add(double x, double y) {
        products.add(x * y);
        xs.add(x * x);
        ys.add(y * y);
        ++count;
    }
    void merge(const ProductSums& other) {
        products.merge(other.products);
        xs.merge(other.xs);
        ys.merge(other.ys);
        count += other.count;
    }
};

// 1 - xy / (xx + yy - xy): for sets, the share they do not have in common.
struct TanimotoDistance : ProductSums {
    double result() const {
        double all = xs.value() + ys.value() - products.value();
        return count == 0 || all == 0 ? null<double> : finiteOrNull(1 - products.value() / all);
    }
};

struct WeightedMean {
    CompensatedSum sum, weights;
    void add(double x, double y) {
        sum.add(x * y);
        weights.add(y);
    }
    void merge(const WeightedMean& other) {
        sum.merge(other.sum);
        weights.merge(other.weights);
    }
    double result() const { return weights.value() == 0 ? null<double> : finiteOrNull(sum.value() / weights.value()); }
};

}  // namespace pelorus
