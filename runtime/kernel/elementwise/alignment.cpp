#include "runtime/kernel/elementwise/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/error.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

std::vector<int64_t> allPositions(int64_t count) {
    std::vector<int64_t> positions(static_cast<size_t>(count));
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
}

static Ref<Vector> labelsAs(const Value& labels, Type type) {
    return cast(labels.vector(), type);
}

// Returns the rows of `labels` in order.
static std::vector<int32_t> orderOf(const Ref<Vector>& labels) {
    OrderKey key{Value::of(labels)};
    return sortPositions({&key, 1}, labels->size());
}

LabelPairs joinLabels(const Value& left, const Value& right, LabelJoin join) {
    if (!left.isVector() || !right.isVector()) throw UserError("Both matrices must have labels to be aligned by.");
    Type type = commonType(left.type(), right.type());
    if (type == Type::Any || type == Type::Void) {
        throw UserError(
            fmt::format("The labels are of different kinds: {} and {}.", typeString(left), typeString(right)));
    }
    Ref<Vector> a = labelsAs(left, type), b = labelsAs(right, type);
    std::vector<int32_t> orderA = orderOf(a), orderB = orderOf(b);
    auto at = [](const std::vector<int32_t>& order, size_t i) { return static_cast<int64_t>(order[i]); };
    LabelPairs pairs;
    auto add = [&](int64_t l, int64_t r) {
        pairs.left.push_back(l);
        pairs.right.push_back(r);
    };
    size_t i = 0, j = 0;
    while (i < orderA.size() || j < orderB.size()) {
        int order = i == orderA.size()   ? 1
                    : j == orderB.size() ? -1
                                         : compareElements(*a, at(orderA, i), *b, at(orderB, j));
        if (join == LabelJoin::AsOf) {
            if (i == orderA.size()) break;
            if (order >= 0) {
                ++j;
            } else {
                add(at(orderA, i++), j == 0 ? -1 : at(orderB, j - 1));
            }
        } else if (order < 0) {
            if (join != LabelJoin::Inner) add(at(orderA, i), -1);
            ++i;
        } else if (order > 0) {
            if (join == LabelJoin::Outer) add(-1, at(orderB, j));
            ++j;
        } else {
            size_t endA = i, endB = j;
            while (endA < orderA.size() && compareElements(*a, at(orderA, endA), *a, at(orderA, i)) == 0) ++endA;
            while (endB < orderB.size() && compareElements(*b, at(orderB, endB), *b, at(orderB, j)) == 0) ++endB;
            for (size_t x = i; x < endA; ++x) {
                for (size_t y = j; y < endB; ++y) add(at(orderA, x), at(orderB, y));
            }
            i = endA;
            j = endB;
        }
    }
    Ref<Vector> labels = Vector::make(type, static_cast<int64_t>(pairs.left.size()));
    for (size_t k = 0; k < pairs.left.size(); ++k) {
        bool fromLeft = pairs.left[k] >= 0;
        labels->set(static_cast<int64_t>(k), fromLeft ? a->at(pairs.left[k]) : b->at(pairs.right[k]));
    }
    pairs.labels = Value::of(labels);
    return pairs;
}

Ref<Matrix> gatherCells(const Matrix& m, const std::vector<int64_t>& rows, const std::vector<int64_t>& columns) {
    auto count = static_cast<int64_t>(rows.size());
    Ref<Vector> cells = Vector::make(m.cells->type(), 0, count * static_cast<int64_t>(columns.size()));
    cells->setScale(m.cells->scale());
    Ref<Vector> nothing = Vector::filled(m.cells->type(), count, Value());
    nothing->setScale(m.cells->scale());
    for (int64_t c : columns) {
        Ref<Vector> column = c < 0 ? nothing : m.column(c)->gather(rows.data(), count);
        cells->append(*column, 0, count);
    }
    return makeRef<Matrix>(cells, count, static_cast<int64_t>(columns.size()));
}

void alignIndexed(Value& a, Value& b) {
    bool both = a.isMatrix() && b.isMatrix() && a.matrix().isIndexed() && b.matrix().isIndexed();
    if (!both) return;
    const Matrix &left = a.matrix(), &right = b.matrix();
    LabelPairs rows = joinLabels(left.rowLabels, right.rowLabels, LabelJoin::Outer);
    LabelPairs columns;
    bool seriesLeft = left.index == Matrix::Index::Series, seriesRight = right.index == Matrix::Index::Series;
    if (seriesLeft || seriesRight || left.columnLabels.isVoid() || right.columnLabels.isVoid()) {
        int64_t width = seriesLeft ? right.columns : left.columns;
        if (!seriesLeft && !seriesRight && left.columns != right.columns) {
            throw UserError(fmt::format("The matrices have {} and {} columns, and no labels to align them by.",
                                        left.columns, right.columns));
        }
        columns.left = seriesLeft ? std::vector<int64_t>(static_cast<size_t>(width), 0) : allPositions(width);
        columns.right = seriesRight ? std::vector<int64_t>(static_cast<size_t>(width), 0) : allPositions(width);
        columns.labels = seriesLeft ? right.columnLabels : left.columnLabels;
    } else {
        columns = joinLabels(left.columnLabels, right.columnLabels, LabelJoin::Outer);
    }
    auto aligned = [&](const Matrix& m, const std::vector<int64_t>& r, const std::vector<int64_t>& c) {
        Ref<Matrix> result = gatherCells(m, r, c);
        result->rowLabels = rows.labels;
        result->columnLabels = columns.labels;
        result->index = seriesLeft && seriesRight ? Matrix::Index::Series : Matrix::Index::Matrix;
        return Value::of(result);
    };
    Value alignedLeft = aligned(left, rows.left, columns.left);
    b = aligned(right, rows.right, columns.right);
    a = std::move(alignedLeft);
}

}  // namespace pelorus
