// Ordinary least squares over a few columns, with what tests of time series need of it.
#pragma once

#include <vector>

namespace pelorus {

struct DenseRegression {
    std::vector<double> beta, standardError;
    std::vector<double> residuals;
    double squares = 0;        // of the residuals
    double logLikelihood = 0;  // of normal residuals
    bool isSingular = false;

    double tStatistic(size_t i) const { return beta[i] / standardError[i]; }
    double aic() const { return -2 * logLikelihood + 2 * static_cast<double>(beta.size()); }
    double bic() const;
};

// Fits y on columns of the same length; there is no intercept but a column of ones. O(rows · columns²).
DenseRegression regress(const std::vector<double>& y, const std::vector<std::vector<double>>& columns);

}  // namespace pelorus
