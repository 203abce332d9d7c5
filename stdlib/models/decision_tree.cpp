#include "stdlib/models/decision_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"

namespace pelorus {

namespace {

constexpr size_t kSampleRows = 200000;

std::vector<double> thresholdsOf(const std::vector<double>& column, size_t bins) {
    std::vector<double> sample;
    const size_t stride = column.size() / kSampleRows + 1;
    for (size_t i = 0; i < column.size(); i += stride) sample.push_back(column[i]);
    std::ranges::sort(sample);
    std::vector<double> distinct = sample;
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::vector<double> thresholds;
    const auto between = [](double a, double b) {
        const double middle = a + (b - a) / 2;
        return middle < b ? middle : a;
    };
    if (distinct.size() <= bins) {
        for (size_t i = 1; i < distinct.size(); ++i) thresholds.push_back(between(distinct[i - 1], distinct[i]));
        return thresholds;
    }
    for (size_t k = 1; k < bins; ++k) {
        const double at = sample[k * sample.size() / bins - 1];
        const auto next = std::ranges::upper_bound(distinct, at);
        if (next == distinct.end()) break;
        const double threshold = between(at, *next);
        if (thresholds.empty() || threshold > thresholds.back()) thresholds.push_back(threshold);
    }
    return thresholds;
}

// Sums over the rows of a node or a bin: the weight of each class, or weight, weighted values and their squares.
class Targets {
public:
    Targets(const std::vector<double>& targets, const std::vector<double>& weights, size_t classes)
        : targets_(targets), weights_(weights), classes_(classes) {}

    size_t width() const { return classes_ == 0 ? 3 : classes_; }
    void add(double* sums, size_t row) const {
        const double w = weights_[row], y = targets_[row];
        if (classes_ > 0) {
            sums[static_cast<size_t>(y)] += w;
        } else {
            sums[0] += w;
            sums[1] += w * y;
            sums[2] += w * y * y;
        }
    }
    double weight(const double* sums) const {
        return classes_ == 0 ? sums[0] : std::accumulate(sums, sums + classes_, 0.0);
    }
    // Returns the impurity times the weight.
    double impurity(const double* sums) const {
        const double w = weight(sums);
        if (!(w > 0)) return 0;
        if (classes_ == 0) return std::max(0.0, sums[2] - sums[1] * sums[1] / w);
        double squares = 0;
        for (size_t k = 0; k < classes_; ++k) squares += sums[k] * sums[k];
        return w - squares / w;
    }
    void appendValues(const double* sums, std::vector<double>& values) const {
        const double w = weight(sums);
        if (classes_ == 0) {
            values.push_back(w > 0 ? sums[1] / w : 0);
            return;
        }
        for (size_t k = 0; k < classes_; ++k) values.push_back(w > 0 ? sums[k] / w : 0);
    }

private:
    const std::vector<double>&targets_, &weights_;
    size_t classes_;
};

struct Split {
    size_t feature = 0, bin = 0;
    double decrease = 0;
};

class Grower {
public:
    Grower(const BinnedFactors& x, const Targets& targets, const TreeOptions& options, std::mt19937_64& random)
        : x_(x), targets_(targets), o_(options), random_(random), features_(x.bins.size()) {
        std::iota(features_.begin(), features_.end(), size_t{0});
    }

    DecisionTree grow(std::vector<uint32_t> rows) {
        rows_ = std::move(rows);
        tree_.width = o_.classes == 0 ? 1 : o_.classes;
        std::vector<Open> open = {{addNode(0, rows_.size()), 0, rows_.size(), 0}};
        const double all = weight_;
        while (!open.empty()) {
            checkCancelled();
            const Open node = open.back();
            open.pop_back();
            if (node.depth >= o_.maxDepth || node.end - node.begin < 2) continue;
            const Split split = bestSplit(node);
            if (!(split.decrease > 1e-12 * all) || split.decrease / all < o_.minDecrease) continue;
            const auto middle = std::stable_partition(
                rows_.begin() + static_cast<ptrdiff_t>(node.begin), rows_.begin() + static_cast<ptrdiff_t>(node.end),
                [&](uint32_t row) { return x_.bins[split.feature][row] <= split.bin; });
            const auto at = static_cast<size_t>(middle - rows_.begin());
            const size_t left = addNode(node.begin, at), right = addNode(at, node.end);
            tree_.feature[node.number] = static_cast<int32_t>(split.feature);
            tree_.threshold[node.number] = x_.thresholds[split.feature][split.bin];
            tree_.left[node.number] = static_cast<int32_t>(left);
            tree_.right[node.number] = static_cast<int32_t>(right);
            open.push_back({right, at, node.end, node.depth + 1});
            open.push_back({left, node.begin, at, node.depth + 1});
        }
        return std::move(tree_);
    }

private:
    struct Open {
        size_t number, begin, end;
        int64_t depth;
    };

    size_t addNode(size_t begin, size_t end) {
        std::vector<double> sums(targets_.width(), 0.0);
        for (size_t i = begin; i < end; ++i) targets_.add(sums.data(), rows_[i]);
        if (tree_.feature.empty()) weight_ = targets_.weight(sums.data());
        targets_.appendValues(sums.data(), tree_.values);
        tree_.feature.push_back(-1);
        tree_.left.push_back(-1);
        tree_.right.push_back(-1);
        tree_.threshold.push_back(0);
        return tree_.feature.size() - 1;
    }

    Split bestSplit(const Open& node) {
        const size_t width = targets_.width(), tried = o_.maxFeatures == 0 ? features_.size() : o_.maxFeatures;
        std::vector<double> total(width, 0.0), left(width), right(width);
        for (size_t i = node.begin; i < node.end; ++i) targets_.add(total.data(), rows_[i]);
        const double impurity = targets_.impurity(total.data());
        Split best;
        if (!(impurity > 0)) return best;
        for (size_t k = 0; k < tried; ++k) {
            if (tried < features_.size()) std::swap(features_[k], features_[k + random_() % (features_.size() - k)]);
            const size_t feature = features_[k], bins = x_.thresholds[feature].size() + 1;
            histogram_.assign(bins * width, 0.0);
            const uint16_t* codes = x_.bins[feature].data();
            for (size_t i = node.begin; i < node.end; ++i)
                targets_.add(histogram_.data() + codes[rows_[i]] * width, rows_[i]);
            std::ranges::fill(left, 0.0);
            for (size_t b = 0; b + 1 < bins; ++b) {
                for (size_t i = 0; i < width; ++i) {
                    left[i] += histogram_[b * width + i];
                    right[i] = total[i] - left[i];
                }
                if (!(targets_.weight(left.data()) > 0) || !(targets_.weight(right.data()) > 1e-12 * weight_)) continue;
                const double decrease = impurity - targets_.impurity(left.data()) - targets_.impurity(right.data());
                if (decrease > best.decrease) best = {feature, b, decrease};
            }
        }
        return best;
    }

    const BinnedFactors& x_;
    const Targets& targets_;
    const TreeOptions& o_;
    std::mt19937_64& random_;
    std::vector<size_t> features_;
    std::vector<uint32_t> rows_;
    std::vector<double> histogram_;
    double weight_ = 0;  // of all rows
    DecisionTree tree_;
};

}  // namespace

BinnedFactors BinnedFactors::of(const NumberColumns& x, size_t bins) {
    BinnedFactors binned;
    binned.rows = x.rows;
    binned.bins.resize(x.width());
    binned.thresholds.resize(x.width());
    parallelFor(static_cast<int64_t>(x.width()), [&](int64_t c) {
        const auto k = static_cast<size_t>(c);
        const std::vector<double>& thresholds = binned.thresholds[k] = thresholdsOf(x.columns[k], bins);
        std::vector<uint16_t>& codes = binned.bins[k];
        codes.reserve(x.rows);
        for (const double v : x.columns[k])
            codes.push_back(static_cast<uint16_t>(std::ranges::lower_bound(thresholds, v) - thresholds.begin()));
    });
    return binned;
}

const double* DecisionTree::leafOf(const NumberColumns& x, size_t row) const {
    size_t node = 0;
    while (feature[node] >= 0) {
        const bool goesLeft = x.columns[static_cast<size_t>(feature[node])][row] <= threshold[node];
        node = static_cast<size_t>(goesLeft ? left[node] : right[node]);
    }
    return values.data() + node * width;
}

Value DecisionTree::asMatrix() const {
    const size_t nodes = feature.size();
    std::vector<double> cells;
    cells.reserve(nodes * (4 + width));
    cells.insert(cells.end(), feature.begin(), feature.end());
    cells.insert(cells.end(), threshold.begin(), threshold.end());
    cells.insert(cells.end(), left.begin(), left.end());
    cells.insert(cells.end(), right.begin(), right.end());
    for (size_t k = 0; k < width; ++k) {
        for (size_t i = 0; i < nodes; ++i) cells.push_back(values[i * width + k]);
    }
    return matrixOf(cells, nodes, 4 + width);
}

DecisionTree DecisionTree::load(const Value& matrix, size_t factors, size_t width) {
    std::vector<Value> held = {matrix};
    const NumberMatrix m = matrixArgument(held, 0, "A tree of the model", true);
    if (m.rows == 0 || m.columns != 4 + width) throw UserError(0, "A tree of the model has another shape.");
    DecisionTree tree;
    tree.width = width;
    const auto whole = [&](size_t r, size_t c, double least, double end) {
        const double v = m.at(r, c);
        if (!(v >= least && v < end) || v != std::floor(v)) throw UserError(0, "A tree of the model is damaged.");
        return static_cast<int32_t>(v);
    };
    for (size_t r = 0; r < m.rows; ++r) {
        tree.feature.push_back(whole(r, 0, -1, static_cast<double>(factors)));
        tree.threshold.push_back(m.at(r, 1));
        const bool isLeaf = tree.feature.back() < 0;
        // Children stand behind their parents, so that every way ends.
        const double least = isLeaf ? -1 : static_cast<double>(r + 1), end = isLeaf ? 0 : static_cast<double>(m.rows);
        tree.left.push_back(whole(r, 2, least, end));
        tree.right.push_back(whole(r, 3, least, end));
        for (size_t k = 0; k < width; ++k) tree.values.push_back(m.at(r, 4 + k));
    }
    return tree;
}

DecisionTree growTree(const BinnedFactors& x, const std::vector<double>& targets, const std::vector<double>& weights,
                      const TreeOptions& options, std::mt19937_64& random) {
    std::vector<uint32_t> rows;
    for (size_t i = 0; i < x.rows; ++i) {
        if (weights[i] > 0) rows.push_back(static_cast<uint32_t>(i));
    }
    const Targets sums(targets, weights, options.classes);
    return Grower(x, sums, options, random).grow(std::move(rows));
}

}  // namespace pelorus
