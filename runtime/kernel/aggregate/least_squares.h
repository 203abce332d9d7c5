// Ordinary least squares as a state that merges: means and centred co-moments of the factors and the dependent variable
// (Chan, Golub, LeVeque 1983), so that large offsets cost no digits. NULL counts as 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

class Context;

class LeastSquares {
public:
    // Makes an empty state for `factors` columns, the intercept not counted.
    explicit LeastSquares(int factors);

    int factors() const { return factors_; }
    int64_t count() const { return count_; }
    // Returns the number of rows with a NULL: they count as zeros, and so bias the fit.
    int64_t nullRows() const { return nullRows_; }
    // Prints how many there are, if any, for the user of `function`.
    void tellOfNulls(const Context& context, std::string_view function) const;

    // Adds the rows of equally long columns. O(rows · factors²), in blocks. `weights` are one DOUBLE at least 0 per
    // row; each row weighs 1 without them.
    void add(const Vector& y, std::span<const Ref<Vector>> x, const double* weights = nullptr);
    void merge(const LeastSquares& other);

    // Return sums over the rows, weighted where they have weights: of y for the position `factors()`.
    double weight() const { return weight_; }
    double mean(int i) const { return means_[static_cast<size_t>(i)]; }
    double centredMoment(int i, int j) const { return moment(i, j); }

    // Saves the state as DOUBLEs, to be sent, and loads it. Throws UserError for a value that is no state, or that of
    // another version.
    Value save() const;
    static LeastSquares load(const Value& saved);

    struct Fit {
        std::vector<double> beta, standardError, tStatistic, pValue;  // the intercept first when there is one
        double r2, adjustedR2, residualError;
        double regressionSquares, residualSquares, totalSquares;
        int64_t count, regressionDegrees, residualDegrees;
        double f, significance;
        bool singular = false;
    };
    // Returns the solution of min norm among all when factors are collinear (pseudo-inverse); `singular` is set then.
    // Statistics are NULL when no degrees of freedom remain.
    Fit fit(bool intercept) const;

private:
    int width() const { return factors_ + 1; }  // factors, then y
    size_t place(int i, int j) const {
        return static_cast<size_t>(i) * static_cast<size_t>(width()) + static_cast<size_t>(j);
    }
    double& moment(int i, int j) { return moments_[place(i, j)]; }
    double moment(int i, int j) const { return moments_[place(i, j)]; }

    int factors_;
    int64_t count_ = 0;
    int64_t nullRows_ = 0;
    double weight_ = 0;  // sum of the weights of all rows
    std::vector<double> means_;
    std::vector<double> moments_;
};

// Returns the result of ols and olsEx: 0 coefficients, 1 a table of them, 2 a dictionary with ANOVA. `names` are of the
// factors.
Value fitResult(const LeastSquares::Fit& fit, const std::vector<std::string>& names, bool intercept, int64_t mode);

}  // namespace pelorus
