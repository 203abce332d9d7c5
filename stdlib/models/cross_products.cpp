#include "stdlib/models/cross_products.h"

#include <cblas.h>

#include <algorithm>

#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"

namespace pelorus {

namespace {
constexpr size_t kBlockRows = 8192;
}

std::vector<double> summedOverBlocks(size_t rows, size_t width, const std::function<void(size_t, size_t, double*)>& f) {
    const size_t blocks = (rows + kBlockRows - 1) / kBlockRows;
    // Parts are summed wave by wave, in their order, so that there are never many.
    // They take 128 MB at most, or one part.
    const size_t wave = std::clamp<size_t>((size_t{1} << 24) / std::max<size_t>(width, 1), 1, 64);
    std::vector<double> sum(width, 0.0);
    for (size_t first = 0; first < blocks; first += wave) {
        checkCancelled();
        const size_t count = std::min(wave, blocks - first);
        std::vector<double> parts(count * width, 0.0);
        parallelFor(static_cast<int64_t>(count), [&](int64_t i) {
            const size_t begin = (first + static_cast<size_t>(i)) * kBlockRows;
            f(begin, std::min(rows, begin + kBlockRows), parts.data() + static_cast<size_t>(i) * width);
        });
        for (size_t i = 0; i < count; ++i) {
            for (size_t k = 0; k < width; ++k) sum[k] += parts[i * width + k];
        }
    }
    return sum;
}

WeightedSums weightedSums(const std::vector<std::vector<double>>& columns, bool intercept,
                          const std::vector<double>& theta, const std::function<RowTerms(size_t, double)>& terms) {
    const size_t factors = columns.size(), p = factors + intercept, rows = columns.empty() ? 0 : columns[0].size();
    const std::vector<double> all = summedOverBlocks(rows, p * p + p + 1, [&](size_t begin, size_t end, double* part) {
        const size_t n = end - begin;
        // Rows of the block, factor by factor, times the root of the weight.
        std::vector<double> scaled(n * p), linear(n, intercept ? theta[factors] : 0.0), roots(n);
        for (size_t c = 0; c < factors; ++c) {
            const double* column = columns[c].data() + begin;
            for (size_t i = 0; i < n; ++i) linear[i] += theta[c] * column[i];
        }
        double* pulls = part + p * p;
        std::vector<double>& pull = linear;
        for (size_t i = 0; i < n; ++i) {
            const RowTerms t = terms(begin + i, linear[i]);
            roots[i] = std::sqrt(std::max(0.0, t.weight));
            pull[i] = t.pull;
            part[p * p + p] += t.value;
        }
        for (size_t c = 0; c < p; ++c) {
            const double* column = c < factors ? columns[c].data() + begin : nullptr;
            double sum = 0;
            for (size_t i = 0; i < n; ++i) {
                const double x = column == nullptr ? 1 : column[i];
                scaled[c * n + i] = x * roots[i];
                sum += x * pull[i];
            }
            pulls[c] = sum;
        }
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, static_cast<int>(p), static_cast<int>(n), 1, scaled.data(),
                    static_cast<int>(n), 0, part, static_cast<int>(p));
    });
    WeightedSums sums;
    sums.products.assign(all.begin(), all.begin() + static_cast<ptrdiff_t>(p * p));
    sums.pulls.assign(all.begin() + static_cast<ptrdiff_t>(p * p), all.end() - 1);
    sums.value = all.back();
    for (size_t c = 0; c < p; ++c) {
        for (size_t r = 0; r < c; ++r) sums.products[c * p + r] = sums.products[r * p + c];
    }
    return sums;
}

}  // namespace pelorus
