// The likelihood of several series that are together an autoregressive moving average.
#pragma once

#include <functional>
#include <vector>

#include "stdlib/number_columns.h"

namespace pelorus {

// A process of k series: y_t = intercept_t + sum ar_i y_(t-i) + e_t + sum ma_i e_(t-i). Matrices are k by k; the
// covariance of e_t is root · root'.
struct VectorArma {
    std::vector<NumberMatrix> ar, ma;
    NumberMatrix root;                // a lower triangle
    std::vector<double> measurement;  // the variances of errors of measurement, one a series, or empty

    size_t width() const { return root.rows; }
    // Returns the count of numbers that describe a row's past.
    size_t states() const { return width() * (std::max<size_t>(ar.size(), 1) + ma.size()); }
};

// Maps matrices of any numbers to the coefficients of a stationary vector autoregression; each is reached (Ansley, Kohn
// 1986).
std::vector<NumberMatrix> stationaryMatrices(const std::vector<NumberMatrix>& free);

// Returns the exact log likelihood of y by the filter of Kalman (Harvey 1989, section 3.1); NaN where the process is
// not stationary. `intercepts` has a column for each series; the mean of the first row is that of a process with the
// intercept of the second. O(rows · states³), and O(rows · states²) once the filter is steady. `onBlock` is called now
// and then. REQUIRES: two rows or more, without NULL.
double logLikelihood(const VectorArma& process, const NumberColumns& y, const NumberColumns& intercepts,
                     const std::function<void()>& onBlock);

}  // namespace pelorus
