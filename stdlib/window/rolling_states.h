// States that rows enter and leave, over DOUBLE items x (and y). See sliding.h.
//
// What leaves is subtracted, so errors could build up; sums are compensated, and moments are computed afresh each time
// as many rows have left as the window holds: still O(1) per row, and no worse than one pass over the window.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/type_table.h"
#include "runtime/kernel/aggregate.h"

namespace pelorus {

struct RollingColumns {
    const double* x = nullptr;
    const double* y = nullptr;
    bool valid(int64_t i) const { return !isNull(x[i]) && (!y || !isNull(y[i])); }
};

inline double finiteResult(double x) {
    return std::isfinite(x) ? x : null<double>;
}

// Sums of a term of each row.
template <class Term>
class RollingSums {
public:
    explicit RollingSums(RollingColumns c) : columns_(c) {}
    void add(int64_t i) {
        sum_.add(Term{}(columns_, i));
        ++count_;
    }
    void remove(int64_t i) {
        sum_.add(-Term{}(columns_, i));
        if (--count_ == 0) sum_ = CompensatedSum();
    }

protected:
    RollingColumns columns_;
    CompensatedSum sum_;
    int64_t count_ = 0;
};

struct TermX {
    double operator()(const RollingColumns& c, int64_t i) const { return c.x[i]; }
};
struct TermSquare {
    double operator()(const RollingColumns& c, int64_t i) const { return c.x[i] * c.x[i]; }
};
struct TermCube {
    double operator()(const RollingColumns& c, int64_t i) const { return c.x[i] * c.x[i] * c.x[i]; }
};
struct TermFourth {
    double operator()(const RollingColumns& c, int64_t i) const { return c.x[i] * c.x[i] * c.x[i] * c.x[i]; }
};
struct TermProduct {
    double operator()(const RollingColumns& c, int64_t i) const { return c.x[i] * c.y[i]; }
};

template <class Term>
struct RollingSum : RollingSums<Term> {
    using RollingSums<Term>::RollingSums;
    double result(int64_t) const { return finiteResult(this->sum_.value()); }
};
struct RollingMean : RollingSums<TermX> {
    using RollingSums::RollingSums;
    double result(int64_t) const { return finiteResult(sum_.value() / static_cast<double>(count_)); }
};

class RollingWeightedMean {
public:
    explicit RollingWeightedMean(RollingColumns c) : columns_(c) {}
    void add(int64_t i) { change(i, 1, 1); }
    void remove(int64_t i) { change(i, -1, -1); }
    double result(int64_t) const {
        return weights_.value() == 0 ? null<double> : finiteResult(sum_.value() / weights_.value());
    }

private:
    void change(int64_t i, double sign, int64_t count) {
        sum_.add(sign * columns_.x[i] * columns_.y[i]);
        weights_.add(sign * columns_.y[i]);
        count_ += count;
        if (count_ == 0) sum_ = weights_ = CompensatedSum();
    }
    RollingColumns columns_;
    CompensatedSum sum_, weights_;
    int64_t count_ = 0;
};

// Exact under removal: the product of the rows that came since the last turn, and products of what was before from each
// row on.
class RollingProduct {
public:
    explicit RollingProduct(RollingColumns c) : columns_(c) {}
    void add(int64_t i) {
        recent_.push_back(i);
        recentProduct_ *= columns_.x[i];
    }
    void remove(int64_t) {
        if (older_.empty()) {
            double product = 1;
            for (size_t k = recent_.size(); k-- > 0;) older_.push_back(product *= columns_.x[recent_[k]]);
            recent_.clear();
            recentProduct_ = 1;
        }
        older_.pop_back();
    }
    double result(int64_t) const { return finiteResult(recentProduct_ * (older_.empty() ? 1 : older_.back())); }

private:
    RollingColumns columns_;
    std::vector<int64_t> recent_;
    std::vector<double>
        older_;  // the product from each older row to the end of the older ones; the first to leave is last
    double recentProduct_ = 1;
};

// Remembers the rows of the window, to compute afresh from time to time.
template <class Derived>
class Refreshed {
public:
    void add(int64_t i) {
        end_ = i + 1;
        ++count_;
        self().enter(i);
    }
    void remove(int64_t i) {
        begin_ = i + 1;
        --count_;
        if (count_ == 0 || ++removals_ > std::max<int64_t>(end_ - begin_, kLeast)) {
            removals_ = 0;
            self().clear();
            for (int64_t k = begin_; k < end_; ++k) {
                if (self().columns_.valid(k)) self().enter(k);
            }
        } else {
            self().leave(i);
        }
    }

protected:
    static constexpr int64_t kLeast = 32;
    int64_t begin_ = 0, end_ = 0, count_ = 0, removals_ = 0;

private:
    Derived& self() { return static_cast<Derived&>(*this); }
};

class RollingSpread : public Refreshed<RollingSpread> {
public:
    explicit RollingSpread(RollingColumns c) : columns_(c) {}
    void clear() { n_ = mean_ = m2_ = 0; }
    void enter(int64_t i) {
        n_ += 1;
        double delta = columns_.x[i] - mean_;
        mean_ += delta / n_;
        m2_ += delta * (columns_.x[i] - mean_);
    }
    void leave(int64_t i) {
        double delta = columns_.x[i] - mean_;
        n_ -= 1;
        mean_ -= delta / n_;
        m2_ = std::max(0.0, m2_ - delta * (columns_.x[i] - mean_));
    }
    RollingColumns columns_;

protected:
    double n_ = 0, mean_ = 0, m2_ = 0;
};

template <bool kSample, bool kRoot>
struct RollingVariance : RollingSpread {
    using RollingSpread::RollingSpread;
    double result(int64_t) const {
        double divisor = kSample ? n_ - 1 : n_;
        if (divisor <= 0) return null<double>;
        return finiteResult(kRoot ? std::sqrt(m2_ / divisor) : m2_ / divisor);
    }
};

class RollingComoments : public Refreshed<RollingComoments> {
public:
    explicit RollingComoments(RollingColumns c) : columns_(c) {}
    void clear() { n_ = meanX_ = meanY_ = m2X_ = m2Y_ = cXY_ = 0; }
    void enter(int64_t i) {
        n_ += 1;
        double dx = columns_.x[i] - meanX_, dy = columns_.y[i] - meanY_;
        meanX_ += dx / n_;
        meanY_ += dy / n_;
        m2X_ += dx * (columns_.x[i] - meanX_);
        m2Y_ += dy * (columns_.y[i] - meanY_);
        cXY_ += dx * (columns_.y[i] - meanY_);
    }
    void leave(int64_t i) {
        double dx = columns_.x[i] - meanX_, dy = columns_.y[i] - meanY_;
        n_ -= 1;
        meanX_ -= dx / n_;
        meanY_ -= dy / n_;
        m2X_ = std::max(0.0, m2X_ - dx * (columns_.x[i] - meanX_));
        m2Y_ = std::max(0.0, m2Y_ - dy * (columns_.y[i] - meanY_));
        cXY_ -= dx * (columns_.y[i] - meanY_);
    }
    RollingColumns columns_;

protected:
    double n_ = 0, meanX_ = 0, meanY_ = 0, m2X_ = 0, m2Y_ = 0, cXY_ = 0;
};

template <bool kSample>
struct RollingCovariance : RollingComoments {
    using RollingComoments::RollingComoments;
    double result(int64_t) const {
        double divisor = kSample ? n_ - 1 : n_;
        return divisor <= 0 ? null<double> : finiteResult(cXY_ / divisor);
    }
};
struct RollingCorrelation : RollingComoments {
    using RollingComoments::RollingComoments;
    double result(int64_t) const {
        double scale = std::sqrt(m2X_) * std::sqrt(m2Y_);
        return n_ < 2 || scale == 0 ? null<double> : finiteResult(std::clamp(cXY_ / scale, -1.0, 1.0));
    }
};
struct RollingBeta : RollingComoments {
    using RollingComoments::RollingComoments;
    double result(int64_t) const { return n_ < 2 || m2Y_ == 0 ? null<double> : finiteResult(cXY_ / m2Y_); }
};

// Sums of powers about a point near the window's mean, from which the central moments follow.
template <bool kKurtosis>
class RollingShape : public Refreshed<RollingShape<kKurtosis>> {
public:
    explicit RollingShape(RollingColumns c) : columns_(c) {}
    void clear() { s1_ = s2_ = s3_ = s4_ = n_ = 0; }
    void enter(int64_t i) {
        if (n_ == 0) center_ = columns_.x[i];
        change(i, 1);
    }
    void leave(int64_t i) { change(i, -1); }
    double result(int64_t) const {
        double mean = s1_ / n_;
        double m2 = s2_ / n_ - mean * mean;
        if (!(m2 > 0)) return null<double>;
        double m3 = s3_ / n_ - 3 * mean * s2_ / n_ + 2 * mean * mean * mean;
        if (!kKurtosis) return finiteResult(m3 / std::pow(m2, 1.5));
        double m4 = s4_ / n_ - 4 * mean * s3_ / n_ + 6 * mean * mean * s2_ / n_ - 3 * mean * mean * mean * mean;
        return finiteResult(m4 / (m2 * m2));
    }
    RollingColumns columns_;

private:
    void change(int64_t i, double sign) {
        double d = columns_.x[i] - center_;
        n_ += sign;
        s1_ += sign * d;
        s2_ += sign * d * d;
        s3_ += sign * d * d * d;
        s4_ += sign * d * d * d * d;
    }
    double center_ = 0, n_ = 0, s1_ = 0, s2_ = 0, s3_ = 0, s4_ = 0;
};

// The items of the window in order, through the ranks of all rows: a Fenwick tree of counts. O(log n) per row.
class RollingOrder {
public:
    explicit RollingOrder(RollingColumns c, int64_t rows = 0) : columns_(c), rows_(rows) {
        for (int64_t i = 0; i < rows; ++i) {
            if (!isNull(c.x[i])) sorted_.push_back(c.x[i]);
        }
        std::sort(sorted_.begin(), sorted_.end());
        sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
        tree_.resize(sorted_.size() + 1);
    }
    void add(int64_t i) { change(i, 1); }
    void remove(int64_t i) { change(i, -1); }
    int64_t count() const { return count_; }
    // How many items of the window are below x.
    int64_t below(double x) const {
        int64_t sum = 0;
        for (size_t k = static_cast<size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), x) - sorted_.begin());
             k > 0; k &= k - 1)
            sum += tree_[k];
        return sum;
    }
    int64_t equal(double x) const { return below(std::nextafter(x, HUGE_VAL)) - below(x); }
    // Item number k of the window in order. REQUIRES: k < count().
    double item(int64_t k) const {
        size_t at = 0;
        size_t step = 1;
        while (step * 2 < tree_.size()) step *= 2;
        for (; step > 0; step /= 2) {
            if (at + step < tree_.size() && tree_[at + step] <= k) {
                at += step;
                k -= tree_[at];
            }
        }
        return sorted_[at];
    }
    double quantile(double q, std::string_view interpolation = "linear") const {
        double at = q * static_cast<double>(count_ - 1);
        auto low = static_cast<int64_t>(at);
        double share = at - static_cast<double>(low);
        double below = item(low);
        if (share == 0 || interpolation == "lower") return below;
        double above = item(low + 1);
        if (interpolation == "higher") return above;
        if (interpolation == "midpoint") return below + (above - below) / 2;
        if (interpolation == "nearest") return share < 0.5 || (share == 0.5 && low % 2 == 0) ? below : above;
        return below + (above - below) * share;
    }

protected:
    void change(int64_t i, int64_t by) {
        count_ += by;
        size_t k =
            static_cast<size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), columns_.x[i]) - sorted_.begin()) + 1;
        for (; k < tree_.size(); k += k & (~k + 1)) tree_[k] += by;
    }
    RollingColumns columns_;
    int64_t rows_;
    std::vector<double> sorted_;
    std::vector<int64_t> tree_;
    int64_t count_ = 0;
};

// The row of the smallest or largest item: a queue of rows of which each is better than those behind it.
template <bool kMax, class T>
class RollingExtreme {
public:
    explicit RollingExtreme(const T* items) : items_(items) {}
    void add(int64_t i) {
        while (rows_.size() > head_ && better(i, rows_.back())) rows_.pop_back();
        rows_.push_back(i);
    }
    void remove(int64_t i) {
        if (rows_.size() > head_ && rows_[head_] == i) ++head_;
        if (head_ > kLongHead && head_ * 2 > rows_.size()) {
            rows_.erase(rows_.begin(), rows_.begin() + static_cast<ptrdiff_t>(head_));
            head_ = 0;
        }
    }
    int64_t row() const { return rows_[head_]; }

private:
    static constexpr size_t kLongHead = 1024;
    bool better(int64_t a, int64_t b) const { return kMax ? items_[a] > items_[b] : items_[a] < items_[b]; }
    const T* items_;
    std::vector<int64_t> rows_;
    size_t head_ = 0;
};

}  // namespace pelorus
