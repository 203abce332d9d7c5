#include "stdlib/interpolation/newton_polynomial.h"

#include <utility>

#include "common/check.h"
#include "common/thread/cancellation.h"

namespace pelorus {

double NewtonPolynomial::derivative(double point, int order) const {
    // Horner's scheme for the value and the derivatives up to the order, each divided by the factorial of its order.
    std::vector<double> parts(static_cast<size_t>(order) + 1);
    for (size_t i = coefficients.size(); i-- > 0;) {
        const double t = point - x[i];
        for (size_t k = parts.size() - 1; k > 0; --k) parts[k] = parts[k] * t + parts[k - 1];
        parts[0] = parts[0] * t + coefficients[i];
    }
    double result = parts.back();
    for (int k = 2; k <= order; ++k) result *= k;
    return result;
}

NewtonPolynomial polynomialThrough(std::vector<double> x, std::span<const double> y) {
    const size_t n = x.size();
    CHECK(y.size() == n) << "each point has a value";
    std::vector<size_t> first(n);  // of the points with the same x
    for (size_t i = 1; i < n; ++i) first[i] = x[i] == x[i - 1] ? first[i - 1] : i;
    std::vector<double> differences(n);
    for (size_t i = 0; i < n; ++i) differences[i] = y[first[i]];
    NewtonPolynomial polynomial;
    double factorial = 1;
    for (size_t k = 0; k < n; ++k) {
        checkCancelled();
        if (k > 1) factorial *= static_cast<double>(k);
        polynomial.coefficients.push_back(differences[k]);
        // differences[i] becomes that of the points i - k … i + 1, written from the end.
        for (size_t i = n; i-- > k + 1;) {
            const double width = x[i] - x[i - k - 1];
            differences[i] = width == 0 ? y[first[i] + k + 1] / (factorial * static_cast<double>(k + 1))
                                        : (differences[i] - differences[i - 1]) / width;
        }
    }
    polynomial.x = std::move(x);
    return polynomial;
}

}  // namespace pelorus
