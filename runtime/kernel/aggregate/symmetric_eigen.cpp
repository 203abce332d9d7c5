#include "runtime/kernel/aggregate/symmetric_eigen.h"

#include <cmath>

#include "common/check.h"

namespace pelorus {

Eigen symmetricEigen(std::vector<double> a, int n) {
    auto at = [n](std::vector<double>& m, int i, int j) -> double& {
        return m[static_cast<size_t>(i) * static_cast<size_t>(n) + static_cast<size_t>(j)];
    };
    CHECK(std::ssize(a) == int64_t{n} * n) << "a matrix of n rows has n columns";
    std::vector<double> v(static_cast<size_t>(n * n), 0.0);
    for (int i = 0; i < n; ++i) at(v, i, i) = 1;
    for (int sweep = 0; sweep < 60; ++sweep) {
        double off = 0;
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) off += at(a, p, q) * at(a, p, q);
        }
        if (off < 1e-300) break;
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                if (at(a, p, q) == 0) continue;
                double theta = (at(a, q, q) - at(a, p, p)) / (2 * at(a, p, q));
                double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
                double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; ++k) {
                    double x = at(a, k, p), y = at(a, k, q);
                    at(a, k, p) = c * x - s * y;
                    at(a, k, q) = s * x + c * y;
                }
                for (int k = 0; k < n; ++k) {
                    double x = at(a, p, k), y = at(a, q, k);
                    at(a, p, k) = c * x - s * y;
                    at(a, q, k) = s * x + c * y;
                    x = at(v, k, p);
                    y = at(v, k, q);
                    at(v, k, p) = c * x - s * y;
                    at(v, k, q) = s * x + c * y;
                }
            }
        }
    }
    Eigen eigen;
    for (int k = 0; k < n; ++k) eigen.values.push_back(at(a, k, k));
    eigen.vectors = std::move(v);
    return eigen;
}

}  // namespace pelorus
