// Decision trees over binned factors, for forests and boosting.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "stdlib/number_columns.h"

namespace pelorus {

// The factors as numbers of bins: bin b holds the values up to its threshold, the last one those above all. Made once
// for all trees. The thresholds lie between values of a sample of at most 200,000 rows, at even shares of them.
struct BinnedFactors {
    std::vector<std::vector<uint16_t>> bins;      // by factor, then by row
    std::vector<std::vector<double>> thresholds;  // by factor
    size_t rows = 0;

    static BinnedFactors of(const NumberColumns& x, size_t bins);
};

// A tree as a table of nodes, the root first. A leaf has the feature -1. `values` has `width` numbers for each node:
// the shares of the classes, or the mean.
struct DecisionTree {
    std::vector<int32_t> feature, left, right;
    std::vector<double> threshold, values;
    size_t width = 1;

    // Returns the values of the leaf of a row.
    const double* leafOf(const NumberColumns& x, size_t row) const;
    // The tree as a matrix with a row for each node: feature, threshold, left, right, values. Throws UserError for a
    // matrix that is no tree: a node that is reached twice, or never, or an unknown factor.
    Value asMatrix() const;
    static DecisionTree load(const Value& matrix, size_t factors, size_t width);
};

struct TreeOptions {
    size_t maxFeatures = 0;  // how many factors are tried at a node; 0: all
    int64_t maxDepth = 10;
    double minDecrease = 0;
    size_t classes = 0;  // 0: a regression
};

// Grows a tree on rows with these weights (those of weight 0 are left out): splits that leave the least Gini impurity,
// or variance, of the targets (classes, or values). O(rows · factors tried) for each level.
DecisionTree growTree(const BinnedFactors& x, const std::vector<double>& targets, const std::vector<double>& weights,
                      const TreeOptions& options, std::mt19937_64& random);

}  // namespace pelorus
